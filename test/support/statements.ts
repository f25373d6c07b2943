// A page of a statement with distinctive values, as the service sends it.

/** The body of `GET /accounts/{accountId}/transactions`: one page of three rows. */
export const statementText = `{
  "data": [
    {"id": "0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f5001", "amount": 1523.40, "status": "DONE", "externalStatus": "SUCCESS",
     "category": "Pix recebido", "beneficiaryName": "João", "type": "PIX", "credit": true,
     "createdAt": "2026-06-03T12:00:00.003Z"},
    {"id": "0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f5002", "amount": 0.10, "status": "PROCESSING", "externalStatus": "WAITING",
     "category": "Tarifa bancária", "beneficiaryName": "Banco", "type": "FEE", "credit": false,
     "createdAt": "2026-06-02T12:00:00.002Z"},
    {"id": "0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f5003", "amount": 7.00, "status": "ERROR", "externalStatus": "FAILED",
     "category": "Pix enviado", "beneficiaryName": "Inês", "type": "TED", "credit": false,
     "createdAt": "2026-06-01T12:00:00.001Z"}
  ],
  "pagination": {"totalItems": 3, "currentPage": 0, "itemsPerPage": 20, "totalPages": 1}
}`;

/** The transactions of that page as the gateway returns them. */
export const shownTransactions = [
  {
    id: '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f5001',
    amount: '1523.40',
    credit: true,
    signedAmount: '1523.40',
    status: 'DONE',
    externalStatus: 'SUCCESS',
    category: 'Pix recebido',
    beneficiaryName: 'João',
    type: 'PIX',
    createdAt: '2026-06-03T12:00:00.003Z',
  },
  {
    id: '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f5002',
    amount: '0.10',
    credit: false,
    signedAmount: '-0.10',
    status: 'PROCESSING',
    externalStatus: 'WAITING',
    category: 'Tarifa bancária',
    beneficiaryName: 'Banco',
    type: 'FEE',
    createdAt: '2026-06-02T12:00:00.002Z',
  },
  {
    id: '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f5003',
    amount: '7.00',
    credit: false,
    signedAmount: '-7.00',
    status: 'ERROR',
    externalStatus: 'FAILED',
    category: 'Pix enviado',
    beneficiaryName: 'Inês',
    type: 'TED',
    createdAt: '2026-06-01T12:00:00.001Z',
  },
];
