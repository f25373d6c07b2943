// Reads the rows of a statement's page.
import { GatewayError } from '../../errors.ts';
import { SourceObject } from '../../json/source-object.ts';
import type { SourceText } from '../../json/json-bytes.ts';
import { hashIn, hashOf } from '../../json/text-hash.ts';
import type { Checked } from '../shape/check.ts';
import { signed } from '../shape/decimal.ts';
import { NO_KEY, type StatementRow, type Transaction, transactionFields } from '../shape/shapes.ts';
import { correctTimestamp, timestampMs, timestampMsAt } from '../shape/timestamp.ts';
import type { ListItems } from './answer-reader.ts';
import { Layout } from './object-layout.ts';

// `create` itself checks `createdAt`, so that most timestamps are parsed only once.
const fields = {
  ...transactionFields,
  createdAt: { ...transactionFields.createdAt, isGood: null },
};
const layout = new Layout(fields, 'signedAmount');
const { shape } = layout;
const indexOf = (name: keyof Transaction) => shape.names.indexOf(name);
const [idField, amountField, creditField] = [indexOf('id'), indexOf('amount'), indexOf('credit')];
const [createdAtField, signedField] = [indexOf('createdAt'), indexOf('signedAmount')];

/** The number of rows is limited, because a page could have 800,000 rows of four bytes, such as `null`. */
export const statementRows: ListItems<StatementRow> = {
  layout,
  maxItems: 5000,
  maxWrong: 10_000,
  create(text, places, first, outcome, answer, index) {
    const createdAt = first + 2 * createdAtField;
    const start = places[createdAt] ?? 0;
    const end = places[createdAt + 1] ?? 0;
    const createdAtMs = start === 0 ? null : timestampMsAt(text.bytes, start + 1, end - 1);
    if (outcome instanceof GatewayError) return { key: NO_KEY, createdAtMs, node: outcome };
    let decoded = outcome;
    if (start !== 0 && createdAtMs === null) {
      places[createdAt] = 0;
      const value =
        correctTimestamp(text.slice(start + 1, end - 1), answer.timeZone) ??
        answer.violation(`/data/${index}/createdAt`, 'is not a timestamp');
      decoded = (decoded ?? new Map<number, unknown>()).set(createdAtField, value);
    }
    const source: object = new SourceObject(shape, text, places, first, decoded);
    const node = source as Transaction;
    if (decoded === null) {
      placeSignedAmount(text, places, first);
      const id = first + 2 * idField;
      const key = hashIn(text, (places[id] ?? 0) + 1, (places[id + 1] ?? 0) - 1);
      return { key, createdAtMs, node };
    }
    decoded.set(signedField, signedAmount(node));
    const sentAt = typeof node.createdAt === 'string' ? node.createdAt : '';
    return { key: hashOf(node.id), createdAtMs: timestampMs(sentAt), node };
  },
};

/** Sets the place of `signedAmount` to that of `amount`, with a minus sign for an outflow other than zero. */
function placeSignedAmount({ bytes }: SourceText, places: number[], first: number): void {
  const amount = first + 2 * amountField;
  const [start = 0, end = 0] = [places[amount], places[amount + 1]];
  const credit = places[first + 2 * creditField] ?? 0;
  if (start === 0 || credit === 0) return;
  const isOutflow = bytes[credit] === letterF && hasNonZeroDigit(bytes, start, end);
  places[first + 2 * signedField] = isOutflow ? -start : start;
  places[first + 2 * signedField + 1] = end;
}

const [zero, nine, letterF] = [0x30, 0x39, 0x66] as const;

function hasNonZeroDigit(utf8: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = utf8[at] ?? 0;
    if (byte > zero && byte <= nine) return true;
  }
  return false;
}

function signedAmount({ amount, credit }: Transaction): Checked<string> {
  if (amount === null || credit === null) return null;
  if (amount instanceof GatewayError) return amount;
  if (credit instanceof GatewayError) return credit;
  return signed(amount, !credit);
}
