// Scans a statement page: its rows, kept as the JSON that the service sent.
import { unexpected, valueKinds } from '../../json/json-reader.ts';
import { type Places, sourceClass } from '../../json/source-object.ts';
import type { SourceText } from '../../json/source-text.ts';
import type { AnswerObserver } from '../observer.ts';
import type { Shape } from '../shape/field-types.ts';
import { rowKeyIn } from '../shape/row-key.ts';
import {
  paginationFields,
  type StatementPage,
  type StatementRow,
  type Transaction,
  transactionFields,
} from '../shape/shapes.ts';
import { timestampMsAt } from '../shape/timestamp.ts';
import { answerScan, listPart, objectPart } from './answer-scan.ts';
import { type Derived, Layout } from './source-layout.ts';

const transactionRules = {
  ...transactionFields,
  id: { ...transactionFields.id, takes: valueKinds.ascii },
  // The row parses the instant, and so finds an invalid one.
  createdAt: { ...transactionFields.createdAt, isGood: null },
};

const [idAt = 0, amountAt = 0, creditAt = 0, createdAt = 0] = (
  ['id', 'amount', 'credit', 'createdAt'] as const
).map((name) => 2 * Object.keys(transactionRules).indexOf(name));

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

const transactionLayout = new Layout(transactionRules, { signedAmount });
const TransactionSource = sourceClass<Transaction>(transactionLayout.shape);

class Row implements StatementRow {
  readonly key: number;
  readonly createdAtMs: number | null;
  readonly node: Transaction;

  constructor(text: SourceText, places: Places, first: number) {
    this.key = rowKeyIn(text, (places[first + idAt] ?? 0) + 1, (places[first + idAt + 1] ?? 0) - 1);
    const start = places[first + createdAt] ?? 0;
    const end = places[first + createdAt + 1] ?? 0;
    this.createdAtMs = start === 0 ? null : timestampMsAt(text.bytes, start + 1, end - 1);
    if (start !== 0 && this.createdAtMs === null) throw unexpected;
    this.node = new TransactionSource(text, places, first);
  }

  get id(): string {
    return this.node.id;
  }
}

const scan = answerScan({
  data: listPart(transactionLayout, Row),
  pagination: objectPart<Shape<typeof paginationFields>>(paginationFields),
});

/** Reads a page; null if it is left to `parseStatementPage`. */
export function scanStatementPage(utf8: Buffer, observer?: AnswerObserver): StatementPage | null {
  const { data: rows, pagination } = scan(utf8, observer) ?? {};
  if (!rows || !pagination) return null;
  const { totalItems, currentPage, itemsPerPage } = pagination;
  return { totalItems, currentPage, itemsPerPage, rows };
}
