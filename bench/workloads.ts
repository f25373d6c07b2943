// The four workloads of every contender, each in the gateway's schema, in a schema of the service's own fields, and
// as REST.

export type WorkloadName = 'profile' | 'page' | 'nested' | 'hundred';

/** The forms of a request: in the gateway's schema, in a schema of the service's own fields, or as REST. */
export type Dialect = 'contract' | 'raw' | 'rest';

export interface Workload {
  readonly name: WorkloadName;
  readonly title: string;
  /**
   * The number of calls to the service (`calls`), and the length of the longest sequence of calls that depend on each
   * other (`rounds`).
   */
  readonly calls: number;
  readonly rounds: number;
}

export const workloads: readonly Workload[] = [
  { name: 'profile', title: 'profile and three accounts', calls: 1, rounds: 1 },
  { name: 'page', title: '20 transactions', calls: 1, rounds: 1 },
  {
    name: 'nested',
    title: 'holder, three accounts, five transactions of each',
    calls: 4,
    rounds: 2,
  },
  { name: 'hundred', title: '100 transactions', calls: 5, rounds: 2 },
];

const individual =
  'individual { id birthDate motherName fatherName income nationality publiclyExposedPerson documentType documentNumber documentUf documentIssuing documentDateIssue documentExpiration }';
const address = 'address { id zipCode state city neighborhood street number complement }';
const holder =
  'id name document email emailConfirmation phone phoneConfirmation status onboardingStep hasPin';
const account = 'id bank agency number balance status isEscrow';
const row = 'id amount credit status externalStatus category beneficiaryName type createdAt';

const me = `me { ... on Person { ${holder} ${individual} ${address} } ... on Company { ${holder} } }`;
const connection = `edges { cursor node { ${row} signedAmount } } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;
const slice = (accountId: string, first: number) =>
  `transactions(accountId: "${accountId}", first: ${first}) { ${connection} }`;

const statement = `data { ${row} } pagination { totalItems totalPages itemsPerPage currentPage }`;
const profile = `person { ${holder} } ${individual} ${address}`;
const page = (accountId: string, number: number) =>
  `statement(accountId: "${accountId}", page: ${number}) { ${statement} }`;
const pages = (accountId: string) =>
  [0, 1, 2, 3, 4].map((number) => `p${number}: ${page(accountId, number)}`).join(' ');

/** The operation text of a workload; `accountId` is the account whose statement is read. */
export function documentOf(
  dialect: 'contract' | 'raw',
  workload: WorkloadName,
  accountId: string,
): string {
  const fields = {
    contract: {
      profile: `${me} accounts { ${account} }`,
      page: slice(accountId, 20),
      nested: `${me} accounts { ${account} transactions(first: 5) { ${connection} } }`,
      hundred: slice(accountId, 100),
    },
    raw: {
      profile: `profile { ${profile} accounts { ${account} } }`,
      page: page(accountId, 0),
      nested: `profile { ${profile} accounts { ${account} statement { ${statement} } } }`,
      hundred: pages(accountId),
    },
  };
  return `query Bench { ${fields[dialect][workload]} }`;
}

/** The operation text for a slice of any size. */
export function sliceDocument(accountId: string, first: number): string {
  return `query Bench { ${slice(accountId, first)} }`;
}

/** The path of a workload on the REST handler. */
export function pathOf(workload: WorkloadName, accountId: string): string {
  const paths = {
    profile: '/profile',
    page: `/transactions?accountId=${accountId}&first=20`,
    nested: '/overview?first=5',
    hundred: `/transactions?accountId=${accountId}&first=100`,
  };
  return paths[workload];
}
