// What the service's answers look like inside the gateway, after each value was checked: types only.
import type { GatewayError } from '../errors.ts';

/**
 * A field of an answer once it was checked: its value; null where the service left it out or sent null; or the
 * UPSTREAM_CONTRACT_VIOLATION that takes the value's place. graphql-js treats a property that is an Error as thrown
 * by its field, so that default resolvers null exactly this field, with the error on its path (docs/exactness.md).
 */
export type Checked<T> = T | null | GatewayError;

/** The two entity types of the service, which is also the name of the profile endpoint to ask (docs/service.md). */
export type HolderKind = 'PERSON' | 'COMPANY';

/** The person or company that a token is tied to: `person` or `entity` (docs/mapping.md). */
export interface Holder {
  readonly id: string;
  readonly name: Checked<string>;
  readonly document: Checked<string>;
  readonly email: Checked<string>;
  readonly emailConfirmation: Checked<boolean>;
  readonly phone: Checked<string>;
  readonly phoneConfirmation: Checked<boolean>;
  readonly status: Checked<string>;
  readonly onboardingStep: Checked<string>;
  readonly hasPin: Checked<boolean>;
}

/** What only a person has (docs/mapping.md). */
export interface Individual {
  readonly id: string;
  /** yyyy-MM-dd: the UTC date of the service's timestamp. */
  readonly birthDate: Checked<string>;
  readonly motherName: Checked<string>;
  readonly fatherName: Checked<string>;
  /** Decimal digits as sent, see docs/exactness.md. */
  readonly income: Checked<string>;
  readonly nationality: Checked<string>;
  readonly publiclyExposedPerson: Checked<boolean>;
  readonly documentType: Checked<string>;
  readonly documentNumber: Checked<string>;
  readonly documentUf: Checked<string>;
  readonly documentIssuing: Checked<string>;
  /** RFC 3339 as sent. */
  readonly documentDateIssue: Checked<string>;
  /** RFC 3339 as sent. */
  readonly documentExpiration: Checked<string>;
}

/** A person's address (docs/mapping.md). */
export interface Address {
  readonly id: string;
  readonly zipCode: Checked<string>;
  readonly state: Checked<string>;
  readonly city: Checked<string>;
  readonly neighborhood: Checked<string>;
  readonly street: Checked<string>;
  readonly number: Checked<string>;
  readonly complement: Checked<string>;
}

/** A bank account of the holder (docs/mapping.md). */
export interface Account {
  readonly id: string;
  readonly bank: Checked<string>;
  readonly agency: Checked<string>;
  readonly number: Checked<string>;
  /** Decimal digits as sent. */
  readonly balance: Checked<string>;
  readonly status: Checked<string>;
  readonly isEscrow: Checked<boolean>;
  /** As sent, except that numbers at any depth are their decimal text; objects in it have no prototype. */
  readonly investmentAccount: Checked<Record<string, unknown>>;
}

/** The service's answer about a holder and its accounts (docs/service.md). */
export interface Profile {
  /** Which endpoint answered. */
  readonly kind: HolderKind;
  readonly holder: Checked<Holder>;
  /** Null for a company. */
  readonly individual: Checked<Individual>;
  /** Null for a company. */
  readonly address: Checked<Address>;
  /** An element that is null or no object upstream is a GatewayError here, its neighbours stand. */
  readonly accounts: Checked<readonly Checked<Account>[]>;
}

/** The closed set of a transaction's states (docs/service.md). */
export type TransactionStatus = 'PROCESSING' | 'DONE' | 'CANCELED' | 'ERROR';

/** One inflow or outflow (docs/mapping.md). */
export interface Transaction {
  readonly id: string;
  /** Decimal digits as sent, never negative. */
  readonly amount: Checked<string>;
  readonly credit: Checked<boolean>;
  /** `amount` with a minus where `credit` is false; zero has none. Null where either is null, else either's violation. */
  readonly signedAmount: Checked<string>;
  readonly status: Checked<TransactionStatus>;
  readonly externalStatus: Checked<string>;
  readonly category: Checked<string>;
  readonly beneficiaryName: Checked<string>;
  readonly type: Checked<string>;
  /** RFC 3339 as sent. */
  readonly createdAt: Checked<string>;
}

/** A row of a page, kept also where its transaction cannot be shown, so that cursors beside it still work. */
export interface StatementRow {
  /** As sent; null where the row has no usable id (`node` is a GatewayError then). */
  readonly id: string | null;
  /** The number that stands for its id; `NO_KEY` (row-key.ts) where that is null. */
  readonly key: number;
  /** Epoch milliseconds of `createdAt`; null where that is absent or unusable. */
  readonly createdAtMs: number | null;
  readonly node: Transaction | GatewayError;
}

/** What the service answers at once about a statement (docs/service.md). */
export interface StatementPage {
  /** A safe integer, 0 or more. */
  readonly totalItems: number;
  /** As the service counts (UPSTREAM_PAGE_BASE); a safe integer, 0 or more. */
  readonly currentPage: number;
  /** A safe integer, 1 or more. */
  readonly itemsPerPage: number;
  readonly rows: readonly StatementRow[];
}
