// The rows of a statement's page.
import { GatewayError } from '../../errors.ts';
import { sourceClass } from '../../json/source-object.ts';
import type { SourceText } from '../../json/json-bytes.ts';
import type { AnswerCheck, Checked } from '../shape/check.ts';
import { signed } from '../shape/decimal.ts';
import { rowKey, rowKeyIn } from '../shape/row-key.ts';
import { type StatementRow, type Transaction, transactionFields } from '../shape/shapes.ts';
import { timestampMs, timestampMsAt } from '../shape/timestamp.ts';
import type { ListItems } from './answer-reader.ts';
import { Layout, type Outcome } from './object-layout.ts';

// `Row` itself checks `createdAt`, so that its timestamp is parsed only once.
const fields = {
  ...transactionFields,
  createdAt: { ...transactionFields.createdAt, isGood: null },
};
const layout = new Layout(fields, 'signedAmount');
const { shape } = layout;
const TransactionSource = sourceClass<Transaction>(shape);
const [idField = 0, amountField = 0, creditField = 0, createdAtField = 0, signedField = 0] = [
  'id',
  'amount',
  'credit',
  'createdAt',
  'signedAmount',
].map((name) => shape.fieldOf(name));

class Row implements StatementRow {
  readonly key: number;
  readonly createdAtMs: number | null;
  readonly node: Transaction | GatewayError;

  constructor(
    text: SourceText,
    places: number[],
    first: number,
    outcome: Outcome,
    answer: AnswerCheck,
    index: number,
  ) {
    let decoded = outcome instanceof Map ? outcome : null;
    const idAt = first + 2 * idField;
    const id = places[idAt] ?? 0;
    const idEnd = places[idAt + 1] ?? 0;
    this.key = id === 0 ? rowKey(textAt(decoded, idField)) : rowKeyIn(text, id + 1, idEnd - 1);
    const createdAt = first + 2 * createdAtField;
    const start = places[createdAt] ?? 0;
    const end = places[createdAt + 1] ?? 0;
    this.createdAtMs =
      start === 0
        ? timestampMs(textAt(decoded, createdAtField) ?? '')
        : timestampMsAt(text.bytes, start + 1, end - 1);
    if (outcome instanceof GatewayError) {
      this.node = outcome;
      return;
    }
    if (start !== 0 && this.createdAtMs === null) {
      const violation = answer.violation(`/data/${index}/createdAt`, 'is not a timestamp');
      places[createdAt] = 0;
      decoded ??= new Map();
      decoded.set(createdAtField, violation);
    }
    const node = new TransactionSource(text, places, first, decoded);
    if (decoded === null) placeSignedAmount(text, places, first);
    else decoded.set(signedField, signedAmount(node));
    this.node = node;
  }

  get id(): string | null {
    return this.node instanceof GatewayError ? null : this.node.id;
  }
}

function textAt(decoded: ReadonlyMap<number, unknown> | null, field: number): string | null {
  const value = decoded?.get(field);
  return typeof value === 'string' ? value : null;
}

/** `signedAmount` is `amount`, with a minus sign if `credit` is false; zero has no sign. */
function placeSignedAmount({ bytes }: SourceText, places: number[], first: number): void {
  const [start = 0, end = 0] = [
    places[first + 2 * amountField],
    places[first + 2 * amountField + 1],
  ];
  const credit = places[first + 2 * creditField] ?? 0;
  if (start === 0 || credit === 0) return;
  const isOutflow = bytes[credit] === letterF && hasDigits(bytes, start, end);
  places[first + 2 * signedField] = isOutflow ? -start : start;
  places[first + 2 * signedField + 1] = end;
}

const [zero, nine, letterF] = [0x30, 0x39, 0x66] as const;

/** Whether a number has a digit other than zero. */
function hasDigits(utf8: Uint8Array, start: number, end: number): boolean {
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

/** `data` of a page. The number of rows is limited, because 4 MB could hold 800,000 rows that are `null`. */
export const statementRows: ListItems<StatementRow> = {
  layout,
  maxItems: 5000,
  maxWrong: Infinity,
  create: (text, places, first, outcome, answer, index) =>
    new Row(text, places, first, outcome, answer, index),
};
