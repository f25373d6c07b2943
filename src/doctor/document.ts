// The fields that the service's API description names, object by object (docs/mapping.md), to compare answers with.

const holder = [
  'id',
  'email',
  'emailConfirmation',
  'phone',
  'phoneConfirmation',
  'name',
  'document',
  'status',
  'onboardingStep',
  'hasPin',
];

/** Where in an answer -> the fields that an object there has. A list's elements are below `[]`. */
export const documentedFields: Readonly<Record<string, readonly string[]>> = {
  '/persons': ['person', 'individual', 'address', 'accounts'],
  '/persons person': holder,
  '/persons individual': [
    'id',
    'birthDate',
    'motherName',
    'fatherName',
    'income',
    'nationality',
    'publiclyExposedPerson',
    'documentType',
    'documentNumber',
    'documentUf',
    'documentIssuing',
    'documentDateIssue',
    'documentExpiration',
  ],
  '/persons address': [
    'id',
    'zipCode',
    'state',
    'city',
    'neighborhood',
    'street',
    'number',
    'complement',
  ],
  '/persons accounts[]': accountFields(),
  '/companies': ['token', 'entityType', 'entity', 'accounts'],
  '/companies entity': holder,
  '/companies accounts[]': accountFields(),
  '/transactions': ['data', 'pagination'],
  '/transactions pagination': ['totalItems', 'currentPage', 'itemsPerPage', 'totalPages'],
  '/transactions data[]': [
    'id',
    'amount',
    'status',
    'externalStatus',
    'category',
    'beneficiaryName',
    'type',
    'credit',
    'createdAt',
  ],
};

function accountFields(): string[] {
  return ['id', 'bank', 'agency', 'number', 'balance', 'status', 'isEscrow', 'investmentAccount'];
}

/** The values of a transaction's status: a closed set (docs/service.md). */
export const documentedStatuses = ['PROCESSING', 'DONE', 'CANCELED', 'ERROR'];
