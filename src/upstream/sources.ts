// The objects of the service's answers (docs/mapping.md), where they are kept as the JSON that the service sent.
import { sourceClass } from '../json/source-object.ts';
import { readInvestment } from './investment-shape.ts';
import type { Account, Address, Holder, Individual, Transaction } from './shapes.ts';
import { type Derived, Layout } from './source-layout.ts';
import {
  amount,
  anyObject,
  ascii,
  day,
  decimal,
  flag,
  oneOf,
  type Rule,
  text,
  timestamp,
} from './source-rules.ts';
import { utcDate } from './timestamp.ts';

// In the order in which the service documents them, its `id` first.

type Rules<T> = Readonly<Record<keyof T, Rule>>;

const transactionRules: Rules<Omit<Transaction, 'signedAmount'>> = {
  id: ascii,
  amount,
  status: oneOf(['DONE', 'PROCESSING', 'CANCELED', 'ERROR']),
  externalStatus: text,
  category: text,
  beneficiaryName: text,
  type: text,
  credit: flag,
  // Whoever reads a row needs its instant, and finds out by that.
  createdAt: ascii,
};

const holderRules: Rules<Holder> = {
  id: text,
  name: text,
  document: text,
  email: text,
  emailConfirmation: flag,
  phone: text,
  phoneConfirmation: flag,
  status: text,
  onboardingStep: text,
  hasPin: flag,
};

const individualRules: Rules<Individual> = {
  id: text,
  birthDate: day,
  motherName: text,
  fatherName: text,
  income: decimal,
  nationality: text,
  publiclyExposedPerson: flag,
  documentType: text,
  documentNumber: text,
  documentUf: text,
  documentIssuing: text,
  documentDateIssue: timestamp,
  documentExpiration: timestamp,
};

const addressRules: Rules<Address> = {
  id: text,
  zipCode: text,
  state: text,
  city: text,
  neighborhood: text,
  street: text,
  number: text,
  complement: text,
};

const accountRules: Rules<Account> = {
  id: text,
  bank: text,
  agency: text,
  number: text,
  balance: decimal,
  status: text,
  isEscrow: flag,
  investmentAccount: anyObject,
};

const amountAt = 2 * Object.keys(transactionRules).indexOf('amount');
const creditAt = 2 * Object.keys(transactionRules).indexOf('credit');

/** The amount, below zero where it went out; zero has no sign. */
const signedAmount: Derived = {
  kind: 'digits',
  derive({ bytes }, places, first, at) {
    const [start = 0, end = 0] = [places[first + amountAt], places[first + amountAt + 1]];
    const credit = places[first + creditAt] ?? 0;
    if (start === 0 || credit === 0) return;
    const isOutflow = bytes[credit] === letterF && hasDigits(bytes, start, end);
    places[at] = isOutflow ? -start : start;
    places[at + 1] = end;
  },
};

const [zero, nine, letterF] = [0x30, 0x39, 0x66] as const;

/** Whether the digits of a number are more than zeros. */
function hasDigits(utf8: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = utf8[at] ?? 0;
    if (byte > zero && byte <= nine) return true;
  }
  return false;
}

export const transactionLayout = new Layout(transactionRules, { signedAmount });
export const holderLayout = new Layout(holderRules);
export const individualLayout = new Layout(individualRules);
export const addressLayout = new Layout(addressRules);
export const accountLayout = new Layout(accountRules);

export const HolderSource = sourceClass<Holder>(holderLayout.shape);
export const AddressSource = sourceClass<Address>(addressLayout.shape);

const birthDate = individualLayout.shape.fieldOf('birthDate');

export class IndividualSource
  extends sourceClass<Omit<Individual, 'birthDate'>>(individualLayout.shape)
  implements Individual
{
  get birthDate(): string | null {
    const sent = this.textOf(birthDate);
    return sent === null ? null : utcDate(sent);
  }
}

const investmentAccount = accountLayout.shape.fieldOf('investmentAccount');

export class AccountSource
  extends sourceClass<Omit<Account, 'investmentAccount'>>(accountLayout.shape)
  implements Account
{
  #investment: Record<string, unknown> | null = null;

  /** Kept once it is decoded: it may be large, and a client may select it many times. */
  get investmentAccount(): Record<string, unknown> | null {
    if (this.#investment !== null) return this.#investment;
    const sent = this.jsonOf(investmentAccount);
    this.#investment = sent === null ? null : readInvestment(sent);
    return this.#investment;
  }
}

/** The numbers of fields that whoever reads rows looks at. */
export const transactionFields = {
  id: transactionLayout.shape.fieldOf('id'),
  createdAt: transactionLayout.shape.fieldOf('createdAt'),
};

export const TransactionSource = sourceClass<Transaction>(transactionLayout.shape);
