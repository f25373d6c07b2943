// The objects of the service's answers (shapes.ts) that are kept as the JSON that the service sent.
import { valueKinds } from '../../json/json-reader.ts';
import { sourceClass } from '../../json/source-object.ts';
import { parseBody } from '../shape/exact-json.ts';
import { AnswerCheck } from '../shape/check.ts';
import { copyObject } from '../shape/investment-shape.ts';
import {
  type Account,
  accountFields,
  type Address,
  addressFields,
  type Holder,
  holderFields,
  type Individual,
  individualFields,
  type Transaction,
  transactionFields,
} from '../shape/shapes.ts';
import { type Derived, Layout } from './source-layout.ts';
import { utcDate } from '../shape/timestamp.ts';

const transactionRules = {
  ...transactionFields,
  id: { ...transactionFields.id, takes: valueKinds.ascii },
  // The scanner of a page parses the instant, and so finds an invalid one.
  createdAt: { ...transactionFields.createdAt, isGood: null },
};

const amountAt = 2 * Object.keys(transactionRules).indexOf('amount');
const creditAt = 2 * Object.keys(transactionRules).indexOf('credit');

/** The amount, below zero if it went out; zero has no sign. */
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

/** Whether a number has a digit other than zero. */
function hasDigits(utf8: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = utf8[at] ?? 0;
    if (byte > zero && byte <= nine) return true;
  }
  return false;
}

export const transactionLayout = new Layout(transactionRules, { signedAmount });
export const holderLayout = new Layout(holderFields);
export const individualLayout = new Layout(individualFields);
export const addressLayout = new Layout(addressFields);
export const accountLayout = new Layout(accountFields);

export const HolderSource = sourceClass<Holder>(holderLayout.shape);
export const AddressSource = sourceClass<Address>(addressLayout.shape);
export const TransactionSource = sourceClass<Transaction>(transactionLayout.shape);
export const IndividualSource = sourceClass<Individual>(individualLayout.shape, {
  birthDate: (json) => utcDate(JSON.parse(json) as string),
});
export const AccountSource = sourceClass<Account>(accountLayout.shape, {
  investmentAccount: (json) => copyObject(parseBody(json), 1, new AnswerCheck()),
});
