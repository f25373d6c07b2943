import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { ProfileHolder } from '../profile/profile.ts';
import type { Individual as IndividualShape, Address as AddressShape, Account as AccountShape, Transaction as TransactionShape } from '../upstream/shape/shapes.ts';
import type { Slice, SliceEdge } from '../statement/statement.ts';
import type { GatewayContext } from './context.ts';
export type Maybe<T> = import('../upstream/shape/shapes.ts').Checked<T>;
export type InputMaybe<T> = T | null;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /**
   * A day of the calendar, without a time zone: `yyyy-MM-dd`. Example: `"2026-01-31"`.
   *
   * As an argument, a Date must be an existing day: `"2026-02-30"` and `"2026-1-31"` are rejected. In an
   * answer, a Date is the UTC day of the timestamp that the service sent, or the day itself if the
   * service sent a day.
   */
  Date: { input: string; output: string; }
  /**
   * An instant: an RFC 3339 date-time, exactly as the service sent it. Example:
   * `"2026-01-31T12:34:56.789Z"`.
   *
   * The service documents UTC with milliseconds; other fractions and offsets are passed on unchanged.
   */
  DateTime: { input: string; output: string; }
  /**
   * A decimal number as a JSON string, with exactly the digits that the service sent. Example:
   * `"1523.40"`.
   *
   * Its text is a JSON number (RFC 8259) without an exponent: an optional minus sign, digits, and
   * optionally a point and digits. An exponent that the service sent is written out. Parse the text with
   * a decimal library, not as a binary float.
   */
  Decimal: { input: string; output: string; }
  /**
   * A JSON object whose fields the service does not document. Example: `{ "product": "CDB", "yield":
   * "0.1250" }`.
   *
   * The object is passed on as sent, except that every number, at any depth, becomes a string in the
   * format of `Decimal`, because clients could round a JSON number.
   */
  JSONObject: { input: Record<string, unknown>; output: Record<string, unknown>; }
  _FieldSet: { input: string; output: string; }
};

/**
 * A bank account of the holder. A federation reference with an id that is not the caller's resolves to
 * null.
 *
 * Upstream: an element of `accounts`.
 */
export type Account = {
  readonly __typename?: 'Account';
  /**
   * The branch's code, as digits with leading zeros. Example: `"0001"`.
   *
   * Upstream: `accounts[].agency`.
   */
  readonly agency?: Maybe<Scalars['String']['output']>;
  /**
   * The balance, in units of a currency that the service does not name. Example: `"1523.40"`.
   *
   * Upstream: `accounts[].balance`.
   */
  readonly balance?: Maybe<Scalars['Decimal']['output']>;
  /**
   * The bank's code, as digits. Example: `"341"`.
   *
   * Upstream: `accounts[].bank`.
   */
  readonly bank?: Maybe<Scalars['String']['output']>;
  /**
   * A UUID, which is also the `accountId` of the statement. Example:
   * `"5f0c1f3e-8a57-4c3b-9d54-2f6f0f4f5a11"`.
   *
   * Upstream: `accounts[].id`.
   */
  readonly id: Scalars['ID']['output'];
  /**
   * The investment account that belongs to this account; null if there is none. The service does not
   * document the fields of this object. Example: `{ "product": "CDB" }`.
   *
   * Upstream: `accounts[].investmentAccount`.
   */
  readonly investmentAccount?: Maybe<Scalars['JSONObject']['output']>;
  /**
   * Whether the account is an escrow account. Example: `false`.
   *
   * Upstream: `accounts[].isEscrow`.
   */
  readonly isEscrow?: Maybe<Scalars['Boolean']['output']>;
  /**
   * The account's number, as digits. Example: `"1234567"`.
   *
   * Upstream: `accounts[].number`.
   */
  readonly number?: Maybe<Scalars['String']['output']>;
  /**
   * The state of the account. The field may have undocumented values. Example: `"APPROVED"`, the only
   * documented value.
   *
   * Upstream: `accounts[].status`.
   */
  readonly status?: Maybe<Scalars['String']['output']>;
  /**
   * This account's statement: inflows and outflows in the service's order. The service usually
   * sends the newest first, but does not guarantee this.
   *
   * To walk to older transactions, use `first` and `after`; to walk to newer ones, use `last` and
   * `before`. Without these arguments, the slice has the newest transactions, at most 20. The
   * error is BAD_USER_INPUT if the two pairs are combined, if `before` is used without `last`, if
   * `first` or `last` is out of range, if a cursor is invalid, or if `from` is later than `to`. The
   * error is NOT_FOUND if the service answers 404 because it does not know the account.
   *
   * Example: `transactions(first: 50) { nodes { signedAmount createdAt } }`.
   *
   * Upstream: `GET /accounts/{accountId}/transactions`.
   */
  readonly transactions?: Maybe<TransactionConnection>;
};


/**
 * A bank account of the holder. A federation reference with an id that is not the caller's resolves to
 * null.
 *
 * Upstream: an element of `accounts`.
 */
export type AccountTransactionsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  from?: InputMaybe<Scalars['Date']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  to?: InputMaybe<Scalars['Date']['input']>;
};

/**
 * The fields that a person and a company have in common.
 *
 * Upstream: `person` and `accounts` of `GET /persons`, or `entity` and `accounts` of
 * `GET /companies`.
 */
export type AccountHolder = {
  /**
   * The bank accounts, in the service's order; the same as `Query.accounts`. Example:
   * `accounts { id balance }`.
   *
   * Upstream: `accounts` of `GET /persons` or `GET /companies`.
   */
  readonly accounts?: Maybe<ReadonlyArray<Maybe<Account>>>;
  /**
   * The number in the national registry of persons or companies, digits only. Example:
   * `"12345678909"`.
   *
   * Upstream: `person.document` or `entity.document`.
   */
  readonly document?: Maybe<Scalars['String']['output']>;
  /**
   * The e-mail address. Example: `"maria@example.com"`.
   *
   * Upstream: `person.email` or `entity.email`.
   */
  readonly email?: Maybe<Scalars['String']['output']>;
  /**
   * Whether the e-mail address is confirmed. Example: `true`.
   *
   * Upstream: `person.emailConfirmation` or `entity.emailConfirmation`.
   */
  readonly emailConfirmation?: Maybe<Scalars['Boolean']['output']>;
  /**
   * Whether a PIN is set. Example: `true`.
   *
   * Upstream: `person.hasPin` or `entity.hasPin`.
   */
  readonly hasPin?: Maybe<Scalars['Boolean']['output']>;
  /**
   * A UUID. Example: `"9c2f7b1e-6d34-4a58-8e07-1b5a3c9d2f60"`.
   *
   * Upstream: `person.id` or `entity.id`.
   */
  readonly id: Scalars['ID']['output'];
  /**
   * A person's name or a company's legal name. Example: `"Maria Oliveira"`.
   *
   * Upstream: `person.name` or `entity.name`.
   */
  readonly name?: Maybe<Scalars['String']['output']>;
  /**
   * The current step of the onboarding. The field may have undocumented values. Example: `"DONE"`, the
   * only documented value.
   *
   * Upstream: `person.onboardingStep` or `entity.onboardingStep`.
   */
  readonly onboardingStep?: Maybe<Scalars['String']['output']>;
  /**
   * The phone number in international format: a plus sign, the country code and digits. Example:
   * `"+5511987654321"`.
   *
   * Upstream: `person.phone` or `entity.phone`.
   */
  readonly phone?: Maybe<Scalars['String']['output']>;
  /**
   * Whether the phone number is confirmed. Example: `true`.
   *
   * Upstream: `person.phoneConfirmation` or `entity.phoneConfirmation`.
   */
  readonly phoneConfirmation?: Maybe<Scalars['Boolean']['output']>;
  /**
   * The state of the holder. The field may have undocumented values. Example: `"ACTIVE"`, the only
   * documented value.
   *
   * Upstream: `person.status` or `entity.status`.
   */
  readonly status?: Maybe<Scalars['String']['output']>;
};

/**
 * A person's postal address.
 *
 * Upstream: `address` of `GET /persons`.
 */
export type Address = {
  readonly __typename?: 'Address';
  /**
   * The city. Example: `"São Paulo"`.
   *
   * Upstream: `address.city`.
   */
  readonly city?: Maybe<Scalars['String']['output']>;
  /**
   * Further details, such as the apartment. Example: `"Apto 42"`.
   *
   * Upstream: `address.complement`.
   */
  readonly complement?: Maybe<Scalars['String']['output']>;
  /**
   * A UUID. Example: `"7a4d9e10-1c85-4b2f-93e6-5f0d8c7b6a32"`.
   *
   * Upstream: `address.id`.
   */
  readonly id: Scalars['ID']['output'];
  /**
   * The neighborhood (bairro). Example: `"Bela Vista"`.
   *
   * Upstream: `address.neighborhood`.
   */
  readonly neighborhood?: Maybe<Scalars['String']['output']>;
  /**
   * The house number, as text. Example: `"1000"`.
   *
   * Upstream: `address.number`.
   */
  readonly number?: Maybe<Scalars['String']['output']>;
  /**
   * The state, as a two-letter code. Example: `"SP"`.
   *
   * Upstream: `address.state`.
   */
  readonly state?: Maybe<Scalars['String']['output']>;
  /**
   * The street. Example: `"Avenida Paulista"`.
   *
   * Upstream: `address.street`.
   */
  readonly street?: Maybe<Scalars['String']['output']>;
  /**
   * The postal code (CEP), 8 digits without a hyphen. Example: `"01310100"`.
   *
   * Upstream: `address.zipCode`.
   */
  readonly zipCode?: Maybe<Scalars['String']['output']>;
};

/**
 * A holder that is a company. A federation reference with an id that is not the caller's resolves to
 * null.
 *
 * Upstream: `entity` and `accounts` of `GET /companies`.
 */
export type Company = AccountHolder & {
  readonly __typename?: 'Company';
  /**
   * The bank accounts, in the service's order; the same as `Query.accounts`. Example:
   * `accounts { id balance }`.
   *
   * Upstream: `accounts`.
   */
  readonly accounts?: Maybe<ReadonlyArray<Maybe<Account>>>;
  /**
   * The number in the national registry of companies (CNPJ), digits only. Example: `"12345678000195"`.
   *
   * Upstream: `entity.document`.
   */
  readonly document?: Maybe<Scalars['String']['output']>;
  /**
   * The e-mail address. Example: `"contato@aurora.example"`.
   *
   * Upstream: `entity.email`.
   */
  readonly email?: Maybe<Scalars['String']['output']>;
  /**
   * Whether the e-mail address is confirmed. Example: `true`.
   *
   * Upstream: `entity.emailConfirmation`.
   */
  readonly emailConfirmation?: Maybe<Scalars['Boolean']['output']>;
  /**
   * Whether a PIN is set. Example: `true`.
   *
   * Upstream: `entity.hasPin`.
   */
  readonly hasPin?: Maybe<Scalars['Boolean']['output']>;
  /**
   * A UUID. Example: `"9c2f7b1e-6d34-4a58-8e07-1b5a3c9d2f60"`.
   *
   * Upstream: `entity.id`.
   */
  readonly id: Scalars['ID']['output'];
  /**
   * The legal name. Example: `"Padaria Aurora Ltda"`.
   *
   * Upstream: `entity.name`.
   */
  readonly name?: Maybe<Scalars['String']['output']>;
  /**
   * The current step of the onboarding. The field may have undocumented values. Example: `"DONE"`, the
   * only documented value.
   *
   * Upstream: `entity.onboardingStep`.
   */
  readonly onboardingStep?: Maybe<Scalars['String']['output']>;
  /**
   * The phone number in international format: a plus sign, the country code and digits. Example:
   * `"+551133334444"`.
   *
   * Upstream: `entity.phone`.
   */
  readonly phone?: Maybe<Scalars['String']['output']>;
  /**
   * Whether the phone number is confirmed. Example: `true`.
   *
   * Upstream: `entity.phoneConfirmation`.
   */
  readonly phoneConfirmation?: Maybe<Scalars['Boolean']['output']>;
  /**
   * The state of the company. The field may have undocumented values. Example: `"ACTIVE"`, the only
   * documented value.
   *
   * Upstream: `entity.status`.
   */
  readonly status?: Maybe<Scalars['String']['output']>;
};

/**
 * A person's civil data and identity document.
 *
 * Upstream: `individual` of `GET /persons`.
 */
export type Individual = {
  readonly __typename?: 'Individual';
  /**
   * The day of birth. If the service sent a timestamp, this is its UTC day. Example: `"1988-04-17"`.
   *
   * Upstream: `individual.birthDate`.
   */
  readonly birthDate?: Maybe<Scalars['Date']['output']>;
  /**
   * When the identity document was issued. Example: `"2019-05-20T00:00:00.000Z"`.
   *
   * Upstream: `individual.documentDateIssue`.
   */
  readonly documentDateIssue?: Maybe<Scalars['DateTime']['output']>;
  /**
   * When the identity document expires. Example: `"2029-05-20T00:00:00.000Z"`.
   *
   * Upstream: `individual.documentExpiration`.
   */
  readonly documentExpiration?: Maybe<Scalars['DateTime']['output']>;
  /**
   * The body that issued the identity document. Example: `"DETRAN"`.
   *
   * Upstream: `individual.documentIssuing`.
   */
  readonly documentIssuing?: Maybe<Scalars['String']['output']>;
  /**
   * The identity document's number. Example: `"04512345678"`.
   *
   * Upstream: `individual.documentNumber`.
   */
  readonly documentNumber?: Maybe<Scalars['String']['output']>;
  /**
   * The kind of identity document. The field may have undocumented values. Example: `"CNH"`, the only
   * documented value.
   *
   * Upstream: `individual.documentType`.
   */
  readonly documentType?: Maybe<Scalars['String']['output']>;
  /**
   * The state that issued the identity document, as a two-letter code. Example: `"SP"`.
   *
   * Upstream: `individual.documentUf`.
   */
  readonly documentUf?: Maybe<Scalars['String']['output']>;
  /**
   * The father's name. Example: `"José Oliveira"`.
   *
   * Upstream: `individual.fatherName`.
   */
  readonly fatherName?: Maybe<Scalars['String']['output']>;
  /**
   * A UUID, which may differ from the person's `id`. Example:
   * `"3e8a1d47-52b9-4f6c-a0d3-6c7b8e9f1a25"`.
   *
   * Upstream: `individual.id`.
   */
  readonly id: Scalars['ID']['output'];
  /**
   * The income. The service names neither a currency nor a period. Example: `"5200.00"`.
   *
   * Upstream: `individual.income`.
   */
  readonly income?: Maybe<Scalars['Decimal']['output']>;
  /**
   * The mother's name. Example: `"Ana Oliveira"`.
   *
   * Upstream: `individual.motherName`.
   */
  readonly motherName?: Maybe<Scalars['String']['output']>;
  /**
   * The nationality, in upper case. Example: `"BRASILEIRA"`.
   *
   * Upstream: `individual.nationality`.
   */
  readonly nationality?: Maybe<Scalars['String']['output']>;
  /**
   * Whether the person is a politically exposed person (PEP). Example: `false`.
   *
   * Upstream: `individual.publiclyExposedPerson`.
   */
  readonly publiclyExposedPerson?: Maybe<Scalars['Boolean']['output']>;
};

/**
 * The holder that the caller's token belongs to.
 *
 * Upstream: the answer of `GET /persons` or `GET /companies`, depending on the token's holder.
 */
export type Me = Company | Person;

/**
 * The cursors at both ends of a slice, and whether there are transactions before and after it. Both
 * flags are correct, regardless of the direction of the request.
 *
 * Upstream: derived from `pagination` and the positions of the rows.
 */
export type PageInfo = {
  readonly __typename?: 'PageInfo';
  /**
   * The cursor of the last edge; null if the slice is empty. Example:
   * `"2.14x96g08td2.2n.k.3040xxma1.j.mr0rwio0.1a0qglj0000g.0s.5ly25"`.
   *
   * Upstream: derived in the same way as `TransactionEdge.cursor`.
   */
  readonly endCursor?: Maybe<Scalars['String']['output']>;
  /**
   * Whether there are older transactions after the slice: `first` with `after: endCursor` returns
   * the next ones. With `first: 0` but without `after`, whether there are any transactions. Example:
   * `true`.
   *
   * Upstream: derived from `pagination.totalItems` and the positions of the rows.
   */
  readonly hasNextPage: Scalars['Boolean']['output'];
  /**
   * Whether there are newer transactions before the slice: `last` with `before: startCursor`
   * returns the next ones. Example: `false`.
   *
   * Upstream: derived from `pagination.totalItems` and the positions of the rows.
   */
  readonly hasPreviousPage: Scalars['Boolean']['output'];
  /**
   * The cursor of the first edge; null if the slice is empty. Example:
   * `"2.14x96g08td2.2n.k.3040xxma1.j.mr0rwio0.1a0qglj0000g.0s.5ly25"`.
   *
   * Upstream: derived in the same way as `TransactionEdge.cursor`.
   */
  readonly startCursor?: Maybe<Scalars['String']['output']>;
};

/**
 * A holder that is a natural person. A federation reference with an id that is not the caller's
 * resolves to null.
 *
 * Upstream: `person`, `individual`, `address` and `accounts` of `GET /persons`.
 */
export type Person = AccountHolder & {
  readonly __typename?: 'Person';
  /**
   * The bank accounts, in the service's order; the same as `Query.accounts`. Example:
   * `accounts { id balance }`.
   *
   * Upstream: `accounts`.
   */
  readonly accounts?: Maybe<ReadonlyArray<Maybe<Account>>>;
  /**
   * The postal address; null if the service has none. Example: `address { city state }`.
   *
   * Upstream: `address`.
   */
  readonly address?: Maybe<Address>;
  /**
   * The number in the national registry of persons (CPF), digits only. Example: `"12345678909"`.
   *
   * Upstream: `person.document`.
   */
  readonly document?: Maybe<Scalars['String']['output']>;
  /**
   * The e-mail address. Example: `"maria@example.com"`.
   *
   * Upstream: `person.email`.
   */
  readonly email?: Maybe<Scalars['String']['output']>;
  /**
   * Whether the e-mail address is confirmed. Example: `true`.
   *
   * Upstream: `person.emailConfirmation`.
   */
  readonly emailConfirmation?: Maybe<Scalars['Boolean']['output']>;
  /**
   * Whether a PIN is set. Example: `true`.
   *
   * Upstream: `person.hasPin`.
   */
  readonly hasPin?: Maybe<Scalars['Boolean']['output']>;
  /**
   * A UUID. Example: `"9c2f7b1e-6d34-4a58-8e07-1b5a3c9d2f60"`.
   *
   * Upstream: `person.id`.
   */
  readonly id: Scalars['ID']['output'];
  /**
   * Civil data and identity document; null if the service has none. Example: `individual { birthDate
   * income }`.
   *
   * Upstream: `individual`.
   */
  readonly individual?: Maybe<Individual>;
  /**
   * The person's name. Example: `"Maria Oliveira"`.
   *
   * Upstream: `person.name`.
   */
  readonly name?: Maybe<Scalars['String']['output']>;
  /**
   * The current step of the onboarding. The field may have undocumented values. Example: `"DONE"`, the
   * only documented value.
   *
   * Upstream: `person.onboardingStep`.
   */
  readonly onboardingStep?: Maybe<Scalars['String']['output']>;
  /**
   * The phone number in international format: a plus sign, the country code and digits. Example:
   * `"+5511987654321"`.
   *
   * Upstream: `person.phone`.
   */
  readonly phone?: Maybe<Scalars['String']['output']>;
  /**
   * Whether the phone number is confirmed. Example: `true`.
   *
   * Upstream: `person.phoneConfirmation`.
   */
  readonly phoneConfirmation?: Maybe<Scalars['Boolean']['output']>;
  /**
   * The state of the person. The field may have undocumented values. Example: `"ACTIVE"`, the only
   * documented value.
   *
   * Upstream: `person.status`.
   */
  readonly status?: Maybe<Scalars['String']['output']>;
};

/**
 * All data belongs to one holder: the person or company that the bearer token belongs to, in the
 * tenant of the `x-tenant-id` header.
 *
 * Upstream: the endpoints named in the descriptions of the fields.
 */
export type Query = {
  readonly __typename?: 'Query';
  /**
   * One of the holder's bank accounts. Null, without an error, if the caller has no such account.
   * Example: `{ account(id: "5f0c1f3e-8a57-4c3b-9d54-2f6f0f4f5a11") { balance } }`.
   *
   * Upstream: the first element with this id in `accounts` of `GET /persons` or `GET /companies`.
   */
  readonly account?: Maybe<Account>;
  /**
   * The holder's bank accounts, in the service's order. An account that cannot be shown is null, with
   * an error on its path. Example: `{ accounts { id balance } }`.
   *
   * Upstream: `accounts` of `GET /persons` or `GET /companies`.
   */
  readonly accounts?: Maybe<ReadonlyArray<Maybe<Account>>>;
  /**
   * The holder that the caller's token belongs to: a person or a company. Example:
   * `{ me { __typename ... on AccountHolder { name } } }`.
   *
   * Upstream: `GET /persons` or `GET /companies`, depending on the token's holder.
   */
  readonly me?: Maybe<Me>;
  /**
   * The statement of one account, read without a call for the profile: inflows and outflows in the
   * service's order. The service usually sends the newest first, but does not guarantee this.
   *
   * To walk to older transactions, use `first` and `after`; to walk to newer ones, use `last` and
   * `before`. Without these arguments, the slice has the newest transactions, at most 20. The
   * error is BAD_USER_INPUT if the two pairs are combined, if `before` is used without `last`, if
   * `first` or `last` is out of range, if a cursor is invalid, or if `from` is later than `to`. The
   * error is NOT_FOUND if the service answers 404 because it does not know the account.
   *
   * Example:
   * `{ transactions(accountId: "5f0c1f3e-8a57-4c3b-9d54-2f6f0f4f5a11") { nodes { amount } } }`.
   *
   * Upstream: `GET /accounts/{accountId}/transactions`.
   */
  readonly transactions?: Maybe<TransactionConnection>;
};


/**
 * All data belongs to one holder: the person or company that the bearer token belongs to, in the
 * tenant of the `x-tenant-id` header.
 *
 * Upstream: the endpoints named in the descriptions of the fields.
 */
export type QueryAccountArgs = {
  id: Scalars['ID']['input'];
};


/**
 * All data belongs to one holder: the person or company that the bearer token belongs to, in the
 * tenant of the `x-tenant-id` header.
 *
 * Upstream: the endpoints named in the descriptions of the fields.
 */
export type QueryTransactionsArgs = {
  accountId: Scalars['ID']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  from?: InputMaybe<Scalars['Date']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  to?: InputMaybe<Scalars['Date']['input']>;
};

/**
 * One inflow or outflow of an account, such as a PIX, a transfer, a fee or a QR code payment.
 *
 * The service cannot look up a transaction by its id, so a federation reference to a transaction
 * resolves to null.
 *
 * Upstream: an element of `data` of `GET /accounts/{accountId}/transactions`.
 */
export type Transaction = {
  readonly __typename?: 'Transaction';
  /**
   * The amount, which is never negative: `credit` gives the direction. The service names no currency.
   * Example: `"89.90"`.
   *
   * Upstream: `data[].amount`.
   */
  readonly amount?: Maybe<Scalars['Decimal']['output']>;
  /**
   * The name of the receiver or sender of the money. Example: `"Maria Oliveira"`.
   *
   * Upstream: `data[].beneficiaryName`.
   */
  readonly beneficiaryName?: Maybe<Scalars['String']['output']>;
  /**
   * The kind of transaction as a label in Portuguese; free text. Example: `"Pix enviado"`.
   *
   * Upstream: `data[].category`.
   */
  readonly category?: Maybe<Scalars['String']['output']>;
  /**
   * The time of creation. The service usually sends newer transactions first, but does not guarantee this.
   * Example: `"2026-01-31T12:34:56.789Z"`.
   *
   * Upstream: `data[].createdAt`.
   */
  readonly createdAt?: Maybe<Scalars['DateTime']['output']>;
  /**
   * True for an inflow, false for an outflow. Example: `false`.
   *
   * Upstream: `data[].credit`.
   */
  readonly credit?: Maybe<Scalars['Boolean']['output']>;
  /**
   * The state of the transaction outside the service. The field may have undocumented values, and may
   * still be `"PROCESSING"` if `status` is DONE. Example: `"SUCCESS"`.
   *
   * Upstream: `data[].externalStatus`.
   */
  readonly externalStatus?: Maybe<Scalars['String']['output']>;
  /**
   * A UUID. Example: `"0b7d6a52-3c1e-4f0a-8b9d-7e6c5d4f3a21"`.
   *
   * Upstream: `data[].id`.
   */
  readonly id: Scalars['ID']['output'];
  /**
   * `amount`, with a minus sign if `credit` is false; zero has no sign. Null if `amount` or `credit`
   * is null. Example: `"-89.90"`.
   *
   * Upstream: derived from `data[].amount` and `data[].credit`.
   */
  readonly signedAmount?: Maybe<Scalars['Decimal']['output']>;
  /**
   * The state of the transaction in the service. Example: `DONE`.
   *
   * Upstream: `data[].status`.
   */
  readonly status?: Maybe<TransactionStatus>;
  /**
   * The kind of transaction as a code: PIX, TED, TEF, FEE, PIX_QRCODE or an undocumented value.
   * Example: `"PIX"`.
   *
   * Upstream: `data[].type`.
   */
  readonly type?: Maybe<Scalars['String']['output']>;
};

/**
 * A slice of a statement, in the service's order. A client that follows the cursors gets each
 * transaction once, even while others arrive, with rare exceptions.
 *
 * Upstream: one or more pages of `GET /accounts/{accountId}/transactions`.
 */
export type TransactionConnection = {
  readonly __typename?: 'TransactionConnection';
  /**
   * The transactions of the slice, each with its cursor. Example: `edges { cursor node { id } }`.
   *
   * Upstream: `data`.
   */
  readonly edges: ReadonlyArray<TransactionEdge>;
  /**
   * The transactions of the slice without cursors: the `node` of every edge. A transaction that cannot
   * be shown is null, with an error on its path. Example: `nodes { id signedAmount }`.
   *
   * Upstream: `data`.
   */
  readonly nodes: ReadonlyArray<Maybe<Transaction>>;
  /**
   * The cursors at both ends of the slice, and whether there are transactions before and after it.
   * Example: `pageInfo { hasNextPage endCursor }`.
   *
   * Upstream: derived from `pagination` and the positions of the rows.
   */
  readonly pageInfo: PageInfo;
  /**
   * The number of transactions in the whole statement between `from` and `to`, not in the slice. A
   * slice costs least if only this field is selected, or with `first: 0` and no `after`. Example:
   * `95`.
   *
   * Upstream: `pagination.totalItems`.
   */
  readonly totalCount?: Maybe<Scalars['Int']['output']>;
};

/**
 * A transaction and its place in a statement.
 *
 * Upstream: an element of `data`.
 */
export type TransactionEdge = {
  readonly __typename?: 'TransactionEdge';
  /**
   * An opaque string of at most 256 characters that identifies this transaction in `after` and
   * `before`, with the same account, `from` and `to`, even if `node` is null. Other replicas and later
   * releases accept the cursor. If the place of the transaction can no longer be found, the error is
   * CURSOR_EXPIRED. Example:
   * `"2.14x96g08td2.2n.k.3040xxma1.j.mr0rwio0.1a0qglj0000g.0s.5ly25"`.
   *
   * Upstream: derived from the rows of `data` and from `pagination`.
   */
  readonly cursor: Scalars['String']['output'];
  /**
   * The transaction; null, with an error on its path, if it cannot be shown. Example: `node { id
   * signedAmount }`.
   *
   * Upstream: an element of `data`.
   */
  readonly node?: Maybe<Transaction>;
};

/**
 * The state of a transaction in the service. Example: `DONE`.
 *
 * Upstream: `data[].status`. For any other value, the field is null, with an error on its path.
 */
export type TransactionStatus =
  /**
   * The transaction was canceled.
   *
   * Upstream: `"CANCELED"`.
   */
  | 'CANCELED'
  /**
   * The transaction has been completed.
   *
   * Upstream: `"DONE"`.
   */
  | 'DONE'
  /**
   * The transaction failed.
   *
   * Upstream: `"ERROR"`.
   */
  | 'ERROR'
  /**
   * The transaction is being processed.
   *
   * Upstream: `"PROCESSING"`.
   */
  | 'PROCESSING';



export type ResolverTypeWrapper<T> = Promise<T> | T;

export type ReferenceResolver<TResult, TReference, TContext> = (
      reference: TReference,
      context: TContext,
      info: GraphQLResolveInfo
    ) => Promise<TResult> | TResult;

      type ScalarCheck<T, S> = S extends true ? T : NullableCheck<T, S>;
      type NullableCheck<T, S> = Maybe<T> extends T ? Maybe<ListCheck<NonNullable<T>, S>> : ListCheck<T, S>;
      type ListCheck<T, S> = T extends (infer U)[] ? NullableCheck<U, S>[] : GraphQLRecursivePick<T, S>;
      export type GraphQLRecursivePick<T, S> = { [K in keyof T & keyof S]: ScalarCheck<T[K], S[K]> };
    

export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

/** Mapping of federation types */
export type FederationTypes = {
  Account: Account;
  Company: Company;
  Person: Person;
};

/** Mapping of federation reference types */
export type FederationReferenceTypes = {
  Account:
    ( { __typename: 'Account' }
    & GraphQLRecursivePick<FederationTypes['Account'], {"id":true}> );
  Company:
    ( { __typename: 'Company' }
    & GraphQLRecursivePick<FederationTypes['Company'], {"id":true}> );
  Person:
    ( { __typename: 'Person' }
    & GraphQLRecursivePick<FederationTypes['Person'], {"id":true}> );
};

/** Mapping of union types */
export type ResolversUnionTypes<_RefType extends Record<string, unknown>> = {
  Me:
    | ( ProfileHolder )
    | ( ProfileHolder )
  ;
};

/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  AccountHolder:
    | ( ProfileHolder )
    | ( ProfileHolder )
  ;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  Account: ResolverTypeWrapper<AccountShape>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  AccountHolder: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['AccountHolder']>;
  Address: ResolverTypeWrapper<AddressShape>;
  Company: ResolverTypeWrapper<ProfileHolder>;
  Date: ResolverTypeWrapper<Scalars['Date']['output']>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Decimal: ResolverTypeWrapper<Scalars['Decimal']['output']>;
  Individual: ResolverTypeWrapper<IndividualShape>;
  JSONObject: ResolverTypeWrapper<Scalars['JSONObject']['output']>;
  Me: ResolverTypeWrapper<ResolversUnionTypes<ResolversTypes>['Me']>;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  Person: ResolverTypeWrapper<ProfileHolder>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Transaction: ResolverTypeWrapper<TransactionShape>;
  TransactionConnection: ResolverTypeWrapper<Slice>;
  TransactionEdge: ResolverTypeWrapper<SliceEdge>;
  TransactionStatus: TransactionStatus;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  Account: AccountShape;
  String: Scalars['String']['output'];
  ID: Scalars['ID']['output'];
  Boolean: Scalars['Boolean']['output'];
  Int: Scalars['Int']['output'];
  AccountHolder: ResolversInterfaceTypes<ResolversParentTypes>['AccountHolder'];
  Address: AddressShape;
  Company: ProfileHolder;
  Date: Scalars['Date']['output'];
  DateTime: Scalars['DateTime']['output'];
  Decimal: Scalars['Decimal']['output'];
  Individual: IndividualShape;
  JSONObject: Scalars['JSONObject']['output'];
  Me: ResolversUnionTypes<ResolversParentTypes>['Me'];
  PageInfo: PageInfo;
  Person: ProfileHolder;
  Query: Record<PropertyKey, never>;
  Transaction: TransactionShape;
  TransactionConnection: Slice;
  TransactionEdge: SliceEdge;
};

export type AccountResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Account'] = ResolversParentTypes['Account'], FederationReferenceType extends FederationReferenceTypes['Account'] = FederationReferenceTypes['Account']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Account']> | FederationReferenceType, FederationReferenceType, ContextType>;
  agency?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  balance?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  bank?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  investmentAccount?: Resolver<Maybe<ResolversTypes['JSONObject']>, ParentType, ContextType>;
  isEscrow?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  number?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  transactions?: Resolver<Maybe<ResolversTypes['TransactionConnection']>, ParentType, ContextType, Partial<AccountTransactionsArgs>>;
};

export type AccountHolderResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['AccountHolder'] = ResolversParentTypes['AccountHolder']> = {
  __resolveType: TypeResolveFn<'Company' | 'Person', ParentType, ContextType>;
};

export type AddressResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Address'] = ResolversParentTypes['Address']> = {
  city?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  complement?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  neighborhood?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  number?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  state?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  street?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  zipCode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type CompanyResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Company'] = ResolversParentTypes['Company'], FederationReferenceType extends FederationReferenceTypes['Company'] = FederationReferenceTypes['Company']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Company']> | FederationReferenceType, FederationReferenceType, ContextType>;
  accounts?: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['Account']>>>, ParentType, ContextType>;
  document?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  email?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  emailConfirmation?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  hasPin?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  onboardingStep?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  phone?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  phoneConfirmation?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export interface DateScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Date'], any> {
  name: 'Date';
}

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export interface DecimalScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Decimal'], any> {
  name: 'Decimal';
}

export type IndividualResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Individual'] = ResolversParentTypes['Individual']> = {
  birthDate?: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
  documentDateIssue?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  documentExpiration?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  documentIssuing?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  documentNumber?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  documentType?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  documentUf?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  fatherName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  income?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  motherName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  nationality?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  publiclyExposedPerson?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
};

export interface JsonObjectScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSONObject'], any> {
  name: 'JSONObject';
}

export type MeResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Me'] = ResolversParentTypes['Me']> = {
  __resolveType: TypeResolveFn<'Company' | 'Person', ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type PersonResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Person'] = ResolversParentTypes['Person'], FederationReferenceType extends FederationReferenceTypes['Person'] = FederationReferenceTypes['Person']> = {
  __resolveReference?: ReferenceResolver<Maybe<ResolversTypes['Person']> | FederationReferenceType, FederationReferenceType, ContextType>;
  accounts?: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['Account']>>>, ParentType, ContextType>;
  address?: Resolver<Maybe<ResolversTypes['Address']>, ParentType, ContextType>;
  document?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  email?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  emailConfirmation?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  hasPin?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  individual?: Resolver<Maybe<ResolversTypes['Individual']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  onboardingStep?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  phone?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  phoneConfirmation?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type QueryResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  account?: Resolver<Maybe<ResolversTypes['Account']>, ParentType, ContextType, RequireFields<QueryAccountArgs, 'id'>>;
  accounts?: Resolver<Maybe<ReadonlyArray<Maybe<ResolversTypes['Account']>>>, ParentType, ContextType>;
  me?: Resolver<Maybe<ResolversTypes['Me']>, ParentType, ContextType>;
  transactions?: Resolver<Maybe<ResolversTypes['TransactionConnection']>, ParentType, ContextType, RequireFields<QueryTransactionsArgs, 'accountId'>>;
};

export type TransactionResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['Transaction'] = ResolversParentTypes['Transaction']> = {
  amount?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  beneficiaryName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  category?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  createdAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  credit?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  externalStatus?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  signedAmount?: Resolver<Maybe<ResolversTypes['Decimal']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['TransactionStatus']>, ParentType, ContextType>;
  type?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type TransactionConnectionResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['TransactionConnection'] = ResolversParentTypes['TransactionConnection']> = {
  edges?: Resolver<ReadonlyArray<ResolversTypes['TransactionEdge']>, ParentType, ContextType>;
  nodes?: Resolver<ReadonlyArray<Maybe<ResolversTypes['Transaction']>>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
  totalCount?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type TransactionEdgeResolvers<ContextType = GatewayContext, ParentType extends ResolversParentTypes['TransactionEdge'] = ResolversParentTypes['TransactionEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<Maybe<ResolversTypes['Transaction']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = GatewayContext> = {
  Account?: AccountResolvers<ContextType>;
  AccountHolder?: AccountHolderResolvers<ContextType>;
  Address?: AddressResolvers<ContextType>;
  Company?: CompanyResolvers<ContextType>;
  Date?: GraphQLScalarType;
  DateTime?: GraphQLScalarType;
  Decimal?: GraphQLScalarType;
  Individual?: IndividualResolvers<ContextType>;
  JSONObject?: GraphQLScalarType;
  Me?: MeResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  Person?: PersonResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  Transaction?: TransactionResolvers<ContextType>;
  TransactionConnection?: TransactionConnectionResolvers<ContextType>;
  TransactionEdge?: TransactionEdgeResolvers<ContextType>;
};

