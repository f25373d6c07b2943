// The initial holders of every bank: persons and companies in two tenants, with accounts of various sizes.
import type { NewHolder } from './holders.ts';

/**
 * An initial holder. Entries with the same `key` are the same holder in several tenants, with different data in each.
 */
export type Person = NewHolder & { readonly key: string; readonly tenant: string };

const aurora = 'aurora';
const litoral = 'cooperativa:litoral';

const investments = `{
  "id": "inv-0001",
  "product": "CDB Liquidez Diária",
  "position": 98765432109876543210.123456789,
  "dailyRate": 0.00045513000,
  "lots": [{ "units": 1000.0000, "unitPrice": 10.10 }, { "units": 0.000000010, "unitPrice": 1e3 }]
}`;

/** The initial holders, in order; the first holder's accounts have 95, 5,000, 20 and 0 transactions. */
export const people: readonly Person[] = [
  {
    key: 'ana',
    kind: 'PERSON',
    tenant: aurora,
    name: 'Ana Beatriz Moreira da Silva',
    document: '12345678909',
    email: 'ana.moreira@example.com',
    phone: '+5511999990001',
    accounts: [
      { transactions: 95, balance: '1523.40' },
      { transactions: 5000, balance: '84210.00' },
      { transactions: 20, balance: '0.10' },
      { transactions: 0, balance: '0.00' },
    ],
  },
  {
    key: 'padaria',
    kind: 'COMPANY',
    tenant: aurora,
    name: 'Padaria Pão Dourado Ltda',
    document: '11222333000181',
    email: 'financeiro@paodourado.example.com',
    phone: '+5511999990002',
    accounts: [
      { transactions: 21, balance: '30250.70' },
      { transactions: 19, balance: '-120.50' },
    ],
  },
  {
    key: 'carlos',
    kind: 'PERSON',
    tenant: aurora,
    name: 'Carlos Eduardo Conceição Ferreira',
    document: '98765432100',
    email: 'carlos.ferreira@example.com',
    phone: '+5531999990003',
    accounts: [
      { transactions: 1, balance: '12345678901234567.89', investmentAccount: investments },
    ],
  },
  {
    key: 'ana',
    kind: 'PERSON',
    tenant: litoral,
    name: 'Ana B. Moreira',
    document: '12345678909',
    email: 'ana@litoral.example.com',
    phone: '+5548999990004',
    accounts: [{ transactions: 21, balance: '7.00' }],
  },
  {
    key: 'pescados',
    kind: 'COMPANY',
    tenant: litoral,
    name: 'Litoral Comércio de Pescados S.A.',
    document: '11444777000161',
    email: 'contas@pescados.example.com',
    phone: '+5548999990005',
    accounts: [
      { transactions: 95, balance: '250000.00' },
      { transactions: 1, balance: '0.01' },
    ],
  },
  {
    key: 'juliana',
    kind: 'PERSON',
    tenant: litoral,
    name: 'Juliana Cavalcanti Rocha',
    document: '11144477735',
    email: 'juliana.rocha@example.com',
    phone: '+5548999990006',
    accounts: [],
  },
];
