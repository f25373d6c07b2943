// The objects of the service's answers. Types, checks and docs/mapping.md are derived from these tables.
import type { GatewayError } from '../../errors.ts';
import type { Checked } from './check.ts';
import {
  amount,
  anyObject,
  count,
  day,
  decimal,
  type FieldTable,
  flag,
  id,
  oneOf,
  open,
  type Shape,
  text,
  timestamp,
  uuid,
} from './field-types.ts';

export type { Checked } from './check.ts';

/** The two entity types of the service; each has its own profile endpoint (docs/service.md). */
export type HolderKind = 'PERSON' | 'COMPANY';

export const holderFields = {
  id,
  email: text,
  emailConfirmation: flag,
  phone: text,
  phoneConfirmation: flag,
  name: text,
  document: text,
  status: open('holder.status', 'ACTIVE'),
  onboardingStep: open('holder.onboardingStep', 'DONE'),
  hasPin: flag,
};

/** The person or company that a token belongs to: the member `person` or `entity` of a profile. */
export type Holder = Shape<typeof holderFields>;

export const individualFields = {
  id,
  birthDate: day,
  motherName: text,
  fatherName: text,
  income: decimal,
  nationality: text,
  publiclyExposedPerson: flag,
  documentType: open('individual.documentType', 'CNH'),
  documentNumber: text,
  documentUf: text,
  documentIssuing: text,
  documentDateIssue: timestamp,
  documentExpiration: timestamp,
};

export type Individual = Shape<typeof individualFields>;

export const addressFields = {
  id,
  zipCode: text,
  state: text,
  city: text,
  neighborhood: text,
  street: text,
  number: text,
  complement: text,
};

export type Address = Shape<typeof addressFields>;

export const accountFields = {
  id: uuid,
  bank: text,
  agency: text,
  number: text,
  balance: decimal,
  status: open('account.status', 'APPROVED'),
  isEscrow: flag,
  investmentAccount: anyObject,
};

/** A bank account of the holder. Its `investmentAccount`, and the objects in it, have no prototype. */
export type Account = Shape<typeof accountFields>;

/** The service's answer about a holder and its accounts (docs/service.md). */
export interface Profile {
  readonly kind: HolderKind;
  readonly holder: Checked<Holder>;
  /** Null for a company. */
  readonly individual: Checked<Individual>;
  /** Null for a company. */
  readonly address: Checked<Address>;
  /** An element without a usable id is a GatewayError; the other elements are kept. */
  readonly accounts: Checked<readonly Checked<Account>[]>;
}

export const transactionFields = {
  id,
  amount,
  status: oneOf('TransactionStatus', ['PROCESSING', 'DONE', 'CANCELED', 'ERROR']),
  externalStatus: open('transaction.externalStatus', 'SUCCESS', 'PROCESSING'),
  category: open(
    'transaction.category',
    'Pix enviado',
    'Pix recebido',
    'Tarifa bancária',
    'Tarifa Pix',
    'Transferência enviada',
    'QR Code pago',
  ),
  beneficiaryName: text,
  type: open('transaction.type', 'PIX', 'TED', 'TEF', 'FEE', 'PIX_QRCODE'),
  credit: flag,
  createdAt: timestamp,
};

export interface Transaction extends Shape<typeof transactionFields> {
  /** `amount` with a minus sign if `credit` is false; zero has no sign. */
  readonly signedAmount: Checked<string>;
}

/** A row of a page, kept even if its transaction cannot be shown, so that the cursors of nearby rows still work. */
export interface StatementRow {
  /** A hash of the id, regardless of case; `NO_KEY` (row-key.ts) for an unusable id, with a GatewayError as `node`. */
  readonly key: number;
  /** Epoch milliseconds of `createdAt`; null if it is absent or unusable. */
  readonly createdAtMs: number | null;
  readonly node: Transaction | GatewayError;
}

/** The fields of `pagination` that are read. */
export const paginationFields = {
  totalItems: count(0),
  currentPage: count(0),
  itemsPerPage: count(1),
};

/** One page of a statement; `currentPage` is the page's number as the service reports it (page-numbering.ts). */
export interface StatementPage extends Shape<typeof paginationFields> {
  readonly rows: readonly StatementRow[];
}

/** The values that the API description names for each open set (docs/service.md), by the name of the field. */
export const documentedValues: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [holderFields, individualFields, accountFields, transactionFields]
    .flatMap((table: FieldTable) => Object.values(table))
    .flatMap(({ openSet }) => (openSet ? [[openSet.field, openSet.named]] : [])),
);
