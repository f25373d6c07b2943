// Selections with every field of a type, for operations that want to see all that there is.

const individualFields = `id birthDate motherName fatherName income nationality publiclyExposedPerson
  documentType documentNumber documentUf documentIssuing documentDateIssue documentExpiration`;

const addressFields = 'id zipCode state city neighborhood street number complement';

export const accountFields = 'id bank agency number balance status isEscrow investmentAccount';

/** What Person and Company have in common, less `accounts`. */
const holderFields =
  'id name document email emailConfirmation phone phoneConfirmation status onboardingStep hasPin';

/** Of `Me`, whichever it is. */
export const meFields = `__typename
  ... on AccountHolder { ${holderFields} accounts { ${accountFields} } }
  ... on Person { individual { ${individualFields} } address { ${addressFields} } }`;

export const transactionFields = `id amount credit signedAmount status externalStatus category beneficiaryName
  type createdAt`;

/** Of a TransactionConnection. */
export const connectionFields = `edges { cursor node { ${transactionFields} } } nodes { id } totalCount
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;
