// What an operator should hear of an answer: values that are not as documented, and values of open sets.
import { ContractViolationError } from '../errors.ts';
import { Literal } from '../json/literal.ts';
import { SourceObject } from '../json/source-object.ts';
import type { FieldTable } from './shape/field-types.ts';
import type { Layout } from './scan/source-layout.ts';
import {
  accountLayout,
  holderLayout,
  individualLayout,
  transactionLayout,
} from './scan/sources.ts';
import {
  type Account,
  accountFields,
  type Checked,
  type Holder,
  holderFields,
  type Individual,
  individualFields,
  type Profile,
  type StatementPage,
  type Transaction,
  transactionFields,
} from './shape/shapes.ts';

/** Follows the answers of the service. Called on the hot path: nothing here may throw or wait. */
export interface AnswerObserver {
  /** A value is not as documented. `pointer` is its JSON pointer, '' for the whole answer. */
  violation(pointer: string): void;
  /** A value of a field whose set the service leaves open (as `account.status`); a documented value may be left out. */
  value(field: string, value: string): void;
}

/** An open field of a kind of object. */
interface OpenField {
  /** As `account.status`. */
  readonly field: string;
  readonly name: string;
  /** Its number in an object that is kept as the service sent it. */
  readonly number: number;
  readonly named: readonly string[];
  /** The same values as JSON. */
  readonly literals: readonly Literal[];
}

function openFieldsOf(object: string, table: FieldTable, { shape }: Layout): OpenField[] {
  const open = Object.entries(table).filter(([, { named }]) => named.length > 0);
  return open.map(([name, { named }]) => ({
    field: `${object}.${name}`,
    name,
    number: shape.fieldOf(name),
    named,
    literals: named.map((value) => new Literal(JSON.stringify(value))),
  }));
}

const openOfHolder = openFieldsOf('holder', holderFields, holderLayout);
const openOfIndividual = openFieldsOf('individual', individualFields, individualLayout);
const openOfAccount = openFieldsOf('account', accountFields, accountLayout);
const openOfTransaction = openFieldsOf('transaction', transactionFields, transactionLayout);

/** The fields with open sets (docs/service.md), each with the values that the API description names. */
export const documentedValues: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...openOfHolder, ...openOfIndividual, ...openOfAccount, ...openOfTransaction].map(
    ({ field, named }) => [field, named],
  ),
);

/** Tells of everything odd in a profile. */
export function observeProfile(profile: Profile, observer: AnswerObserver): void {
  const { holder, individual, address, accounts } = profile;
  observePart(holder, observer, observeHolder);
  observePart(individual, observer, observeIndividual);
  observePart(address, observer, observeFields);
  observePart(accounts, observer, observeAccounts);
}

/** Tells of everything odd in a page: 1.5 µs for 20 rows. */
export function observePage({ rows }: StatementPage, observer: AnswerObserver): void {
  for (const { node } of rows) observePart(node, observer, observeTransaction);
}

/** A parser of answers that also tells of what is odd in them; `parse` itself where there is nobody to tell. */
export function observed<Source, T>(
  parse: (source: Source) => T,
  observe: Observe<T>,
  observer: AnswerObserver | undefined,
): (source: Source) => T {
  if (observer === undefined) return parse;
  return (source) => {
    try {
      const answer = parse(source);
      observe(answer, observer);
      return answer;
    } catch (error) {
      observeFailure(error, observer);
      throw error;
    }
  };
}

function observeFailure(error: unknown, observer: AnswerObserver): void {
  if (error instanceof ContractViolationError) observer.violation(error.pointer);
}

type Observe<T> = (part: T, observer: AnswerObserver) => void;

function observePart<T extends object>(
  part: Checked<T>,
  observer: AnswerObserver,
  observe: Observe<T>,
): void {
  if (part instanceof Error) observeFailure(part, observer);
  else if (part !== null) observe(part, observer);
}

function observeHolder(holder: Holder, observer: AnswerObserver): void {
  observeFields(holder, observer);
  observeValues(holder, openOfHolder, observer);
}

function observeIndividual(individual: Individual, observer: AnswerObserver): void {
  observeFields(individual, observer);
  observeValues(individual, openOfIndividual, observer);
}

function observeAccounts(accounts: readonly Checked<Account>[], observer: AnswerObserver): void {
  for (const account of accounts) observePart(account, observer, observeAccount);
}

function observeAccount(account: Account, observer: AnswerObserver): void {
  observeFields(account, observer);
  observeValues(account, openOfAccount, observer);
}

function observeTransaction(transaction: Transaction, observer: AnswerObserver): void {
  observeFields(transaction, observer);
  observeValues(transaction, openOfTransaction, observer);
}

/** Tells of the fields of an object that are violations. One that is kept as it was sent has none. */
function observeFields(part: object, observer: AnswerObserver): void {
  if (part instanceof SourceObject) return;
  for (const key in part) {
    const value: unknown = part[key as keyof typeof part];
    // signedAmount is made here, of two fields that are looked at themselves.
    if (value instanceof Error && key !== 'signedAmount') observeFailure(value, observer);
  }
}

function observeValues(part: object, fields: readonly OpenField[], observer: AnswerObserver): void {
  for (const { field, name, number, literals } of fields) {
    // An observer knows the documented values already.
    if (part instanceof SourceObject && part.isOneOf(number, literals)) continue;
    const value: unknown = part[name as keyof typeof part];
    if (typeof value === 'string') observer.value(field, value);
  }
}
