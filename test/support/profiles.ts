// A person and a company with distinctive values: the service's answers, and the expected answers to clients.

const entity = `"id": "0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f1001", "email": "ana@example.com", "emailConfirmation": true,
  "phone": "+5511987654321", "phoneConfirmation": false, "name": "Ana \\"Bia\\" Conceição", "document": "01234567890",
  "status": "ACTIVE", "onboardingStep": "DONE", "hasPin": true`;

const accounts = `[
  {"id": "0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2001", "bank": "301", "agency": "0001", "number": "00123456",
   "balance": 1523.40, "status": "APPROVED", "isEscrow": false, "investmentAccount": null},
  {"id": "0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2002", "bank": "001", "agency": "0042", "number": "7",
   "balance": -12345678901234567.890, "status": "BLOCKED", "isEscrow": true,
   "investmentAccount": {"id": "inv", "rate": 0.10, "lots": [{"units": 1e3}, null, true], "balance": 5.00}}
]`;

/** The body of `GET /persons`. */
export const personText = `{
  "person": {${entity}},
  "individual": {
    "id": "0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f3001", "birthDate": "1988-04-17T00:00:00.000Z", "motherName": "Maria",
    "fatherName": "José", "income": 5200.00, "nationality": "BRASILEIRA", "publiclyExposedPerson": false,
    "documentType": "CNH", "documentNumber": "04512345678", "documentUf": "SP", "documentIssuing": "DETRAN",
    "documentDateIssue": "2019-05-20T00:00:00.000Z", "documentExpiration": "2029-05-20T03:00:00-03:00"
  },
  "address": {
    "id": "0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f4001", "zipCode": "01310100", "state": "SP", "city": "São Paulo",
    "neighborhood": "Bela Vista", "street": "Avenida Paulista", "number": "1000", "complement": ""
  },
  "accounts": ${accounts}
}`;

/** The body of `GET /companies` with a token that must not be disclosed. */
export function companyTextWith(token: string): string {
  return `{"token": "${token}", "entityType": "COMPANY", "entity": {${entity}}, "accounts": ${accounts}}`;
}

export const shownHolder = {
  id: '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f1001',
  name: 'Ana "Bia" Conceição',
  document: '01234567890',
  email: 'ana@example.com',
  emailConfirmation: true,
  phone: '+5511987654321',
  phoneConfirmation: false,
  status: 'ACTIVE',
  onboardingStep: 'DONE',
  hasPin: true,
};

export const shownAccounts = [
  {
    id: '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2001',
    bank: '301',
    agency: '0001',
    number: '00123456',
    balance: '1523.40',
    status: 'APPROVED',
    isEscrow: false,
    investmentAccount: null,
  },
  {
    id: '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2002',
    bank: '001',
    agency: '0042',
    number: '7',
    balance: '-12345678901234567.890',
    status: 'BLOCKED',
    isEscrow: true,
    investmentAccount: {
      id: 'inv',
      rate: '0.10',
      lots: [{ units: '1000' }, null, true],
      balance: '5.00',
    },
  },
];

export const shownIndividual = {
  id: '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f3001',
  birthDate: '1988-04-17',
  motherName: 'Maria',
  fatherName: 'José',
  income: '5200.00',
  nationality: 'BRASILEIRA',
  publiclyExposedPerson: false,
  documentType: 'CNH',
  documentNumber: '04512345678',
  documentUf: 'SP',
  documentIssuing: 'DETRAN',
  documentDateIssue: '2019-05-20T00:00:00.000Z',
  documentExpiration: '2029-05-20T03:00:00-03:00',
};

export const shownAddress = {
  id: '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f4001',
  zipCode: '01310100',
  state: 'SP',
  city: 'São Paulo',
  neighborhood: 'Bela Vista',
  street: 'Avenida Paulista',
  number: '1000',
  complement: '',
};
