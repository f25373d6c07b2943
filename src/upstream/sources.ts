// The objects of upstream.md 2, where they are kept as the JSON that the service sent.
import type { JsonOutput } from '../json/json-output.ts';
import { sourceClass } from '../json/source-object.ts';
import { readInvestment } from './investment-shape.ts';
import type { Account, Address, Holder, Individual, Transaction } from './shapes.ts';
import { Layout } from './source-layout.ts';
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

export const transactionLayout = new Layout(transactionRules, { signedAmount: 'digits' });
export const holderLayout = new Layout(holderRules);
export const individualLayout = new Layout(individualRules);
export const addressLayout = new Layout(addressRules);
export const accountLayout = new Layout(accountRules);

export const HolderSource = sourceClass<Holder>(holderLayout.shape);
export const AddressSource = sourceClass<Address>(addressLayout.shape);

const birthDate = individualLayout.shape.names.indexOf('birthDate');

export class IndividualSource
  extends sourceClass<Omit<Individual, 'birthDate'>>(individualLayout.shape)
  implements Individual
{
  get birthDate(): string | null {
    const sent = this.textOf(birthDate);
    return sent === null ? null : utcDate(sent);
  }
}

const investmentAccount = accountLayout.shape.names.indexOf('investmentAccount');

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

/** The numbers of fields that are looked at here, or by whoever reads rows. */
export const transactionFields = {
  id: transactionLayout.shape.names.indexOf('id'),
  amount: transactionLayout.shape.names.indexOf('amount'),
  credit: transactionLayout.shape.names.indexOf('credit'),
  createdAt: transactionLayout.shape.names.indexOf('createdAt'),
  signedAmount: transactionLayout.shape.names.indexOf('signedAmount'),
};

export class TransactionSource
  extends sourceClass<Omit<Transaction, 'signedAmount'>>(transactionLayout.shape)
  implements Transaction
{
  get signedAmount(): string | null {
    if (!this.has(transactionFields.signedAmount)) return null;
    const digits = this.jsonOf(transactionFields.amount);
    return this.#isOutflow ? `-${digits}` : digits;
  }

  override has(field: number): boolean {
    if (field !== transactionFields.signedAmount) return super.has(field);
    return super.has(transactionFields.amount) && super.has(transactionFields.credit);
  }

  override write(field: number, output: JsonOutput): void {
    if (field !== transactionFields.signedAmount) super.write(field, output);
    else if (this.#isOutflow) this.writeNegated(transactionFields.amount, output);
    else super.write(transactionFields.amount, output);
  }

  /** Whether the amount is shown with a minus; zero has none. */
  get #isOutflow(): boolean {
    return (
      this.flagOf(transactionFields.credit) === false && this.hasDigits(transactionFields.amount)
    );
  }
}
