// The objects of the service's answers. Types, checks and docs/mapping.md are derived from these tables.
import type { GatewayError } from '../../errors.ts';
import type { Checked } from './check.ts';
import * as field from './field-types.ts';
import type { FieldTable, Shape } from './field-types.ts';

export type { Checked } from './check.ts';

export type HolderKind = 'PERSON' | 'COMPANY';

export const holderFields = {
  id: field.id,
  email: field.text,
  emailConfirmation: field.flag,
  phone: field.text,
  phoneConfirmation: field.flag,
  name: field.text,
  document: field.text,
  status: field.open('holder.status', 'ACTIVE'),
  onboardingStep: field.open('holder.onboardingStep', 'DONE'),
  hasPin: field.flag,
};

/** The person or company that a token belongs to: the member `person` or `entity` of a profile. */
export type Holder = Shape<typeof holderFields>;

export const individualFields = {
  id: field.id,
  birthDate: field.day,
  motherName: field.text,
  fatherName: field.text,
  income: field.decimal,
  nationality: field.text,
  publiclyExposedPerson: field.flag,
  documentType: field.open('individual.documentType', 'CNH'),
  documentNumber: field.text,
  documentUf: field.text,
  documentIssuing: field.text,
  documentDateIssue: field.timestamp,
  documentExpiration: field.timestamp,
};

export type Individual = Shape<typeof individualFields>;

export const addressFields = {
  id: field.id,
  zipCode: field.text,
  state: field.text,
  city: field.text,
  neighborhood: field.text,
  street: field.text,
  number: field.text,
  complement: field.text,
};

export type Address = Shape<typeof addressFields>;

export const accountFields = {
  id: field.uuid,
  bank: field.text,
  agency: field.text,
  number: field.text,
  balance: field.decimal,
  status: field.open('account.status', 'APPROVED'),
  isEscrow: field.flag,
  investmentAccount: field.anyObject,
};

/** A bank account of the holder. Its `investmentAccount`, and the objects in it, have no prototype. */
export type Account = Shape<typeof accountFields>;

/** The service's answer about a holder and its accounts (docs/service.md). */
export interface Profile {
  readonly kind: HolderKind;
  readonly holder: Checked<Holder>;
  /** A company has neither an individual nor an address. */
  readonly individual: Checked<Individual>;
  readonly address: Checked<Address>;
  /** An element without a usable id is a GatewayError; the other elements are kept. */
  readonly accounts: Checked<readonly Checked<Account>[]>;
}

export const transactionFields = {
  id: field.id,
  amount: field.amount,
  status: field.oneOf('TransactionStatus', ['PROCESSING', 'DONE', 'CANCELED', 'ERROR']),
  externalStatus: field.open('transaction.externalStatus', 'SUCCESS', 'PROCESSING'),
  category: field.open(
    'transaction.category',
    'Pix enviado',
    'Pix recebido',
    'Tarifa bancária',
    'Tarifa Pix',
    'Transferência enviada',
    'QR Code pago',
  ),
  beneficiaryName: field.text,
  type: field.open('transaction.type', 'PIX', 'TED', 'TEF', 'FEE', 'PIX_QRCODE'),
  credit: field.flag,
  createdAt: field.timestamp,
};

export interface Transaction extends Shape<typeof transactionFields> {
  /** `amount` with a minus sign if `credit` is false; zero has no sign. */
  readonly signedAmount: Checked<string>;
}

/** The key of a row without a usable id; no id has this key. */
export const NO_KEY = 0;

/** A row of a page, kept even if its transaction cannot be shown, so that the cursors of nearby rows still work. */
export interface StatementRow {
  /** A hash of the id, regardless of case; `NO_KEY` for an unusable id, with a GatewayError as `node`. */
  readonly key: number;
  /** Epoch milliseconds of `createdAt`; null if it is absent or unusable. */
  readonly createdAtMs: number | null;
  readonly node: Transaction | GatewayError;
}

export const paginationFields = {
  totalItems: field.count(0),
  currentPage: field.countOrNone,
  itemsPerPage: field.countOrNone,
  totalPages: field.countOrNone,
};

/** One page of a statement, with the pagination as the service states it; null for a number that is not usable. */
export interface StatementPage {
  readonly totalItems: number;
  readonly currentPage: number | null;
  readonly itemsPerPage: number | null;
  readonly totalPages?: number | null;
  readonly rows: readonly StatementRow[];
}

/** The values that the API description names for each open set (docs/service.md), by the name of the field. */
export const documentedValues: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [holderFields, individualFields, accountFields, transactionFields]
    .flatMap((table: FieldTable) => Object.values(table))
    .flatMap(({ openSet }) => (openSet ? [[openSet.field, openSet.named]] : [])),
);
