// Reads a page of a statement: by a scan that keeps the service's JSON, or by a parser if the JSON has an unusual form.
import { GatewayError } from '../../errors.ts';
import { unexpected, valueKinds } from '../../json/json-reader.ts';
import { sourceClass } from '../../json/source-object.ts';
import type { SourceText } from '../../json/json-bytes.ts';
import type { AnswerObserver } from '../observer.ts';
import { AnswerCheck, type Checked } from '../shape/check.ts';
import { signed } from '../shape/decimal.ts';
import { isFields, parseBody } from '../shape/exact-json.ts';
import { checkElement, requireObject, type Shape } from '../shape/field-types.ts';
import { NO_KEY, rowKey, rowKeyIn } from '../shape/row-key.ts';
import {
  paginationFields,
  type StatementPage,
  type StatementRow,
  type Transaction,
  transactionFields,
} from '../shape/shapes.ts';
import { timestampMs, timestampMsAt } from '../shape/timestamp.ts';
import { answerScan, listPart, objectPart } from './answer-scan.ts';
import { Layout } from './source-layout.ts';

const transactionRules = {
  ...transactionFields,
  // `isGood` is left out, because `Row` itself rejects an empty id and an invalid timestamp.
  id: { ...transactionFields.id, takes: valueKinds.ascii, isGood: null },
  createdAt: { ...transactionFields.createdAt, isGood: null },
};

const transactionLayout = new Layout(transactionRules, { signedAmount: 'digits' });
const { shape } = transactionLayout;
const TransactionSource = sourceClass<Transaction>(shape);
const [idAt = 0, amountAt = 0, creditAt = 0, createdAt = 0, signedAt = 0] = [
  'id',
  'amount',
  'credit',
  'createdAt',
  'signedAmount',
].map((name) => 2 * shape.fieldOf(name));

class Row implements StatementRow {
  readonly key: number;
  readonly createdAtMs: number | null;
  readonly node: Transaction;

  constructor(text: SourceText, places: number[], first: number) {
    const idStart = (places[first + idAt] ?? 0) + 1;
    const idEnd = (places[first + idAt + 1] ?? 0) - 1;
    if (idStart === idEnd) throw unexpected;
    this.key = rowKeyIn(text, idStart, idEnd);
    const start = places[first + createdAt] ?? 0;
    const end = places[first + createdAt + 1] ?? 0;
    this.createdAtMs = start === 0 ? null : timestampMsAt(text.bytes, start + 1, end - 1);
    if (start !== 0 && this.createdAtMs === null) throw unexpected;
    placeSignedAmount(text, places, first);
    this.node = new TransactionSource(text, places, first);
  }

  get id(): string {
    return this.node.id;
  }
}

/** `signedAmount` is `amount`, with a minus sign if `credit` is false; zero has no sign. */
function placeSignedAmount({ bytes }: SourceText, places: number[], first: number): void {
  const [start = 0, end = 0] = [places[first + amountAt], places[first + amountAt + 1]];
  const credit = places[first + creditAt] ?? 0;
  if (start === 0 || credit === 0) return;
  const isOutflow = bytes[credit] === letterF && hasDigits(bytes, start, end);
  places[first + signedAt] = isOutflow ? -start : start;
  places[first + signedAt + 1] = end;
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

const scan = answerScan({
  data: listPart(transactionLayout, Row),
  pagination: objectPart<Shape<typeof paginationFields>>(paginationFields),
});

/** Scans a page; returns null if `parseStatementPage` has to read the page. */
export function scanStatementPage(utf8: Buffer, observer?: AnswerObserver): StatementPage | null {
  const { data: rows, pagination } = scan(utf8, observer) ?? {};
  if (!rows || !pagination) return null;
  const { totalItems, currentPage, itemsPerPage } = pagination;
  return { totalItems, currentPage, itemsPerPage, rows };
}

/** The largest number of rows on a page, to limit the time for parsing: 4 MB can hold 800,000 `null` rows. */
const maxRows = 5000;

/** Parses a page; throws UPSTREAM_CONTRACT_VIOLATION if the page is unusable. */
export function parseStatementPage(text: string, answer = new AnswerCheck()): StatementPage {
  const body = parseBody(text);
  const { data } = body;
  if (!Array.isArray(data)) throw answer.violation('/data', 'is not a list');
  if (data.length > maxRows) throw answer.violation('/data', `has more than ${maxRows} rows`);
  const counts = requireObject(paginationFields, body['pagination'], '/pagination', answer);
  return { ...counts, rows: data.map((row: unknown, index) => readRow(row, index, answer)) };
}

function readRow(row: unknown, index: number, answer: AnswerCheck): StatementRow {
  const createdAt = isFields(row) ? row['createdAt'] : null;
  const createdAtMs = typeof createdAt === 'string' ? timestampMs(createdAt) : null;
  const fields = checkElement(transactionFields, row, `/data/${index}`, answer);
  if (fields instanceof GatewayError) return { id: null, key: NO_KEY, createdAtMs, node: fields };
  const { id } = fields;
  return {
    id,
    key: rowKey(id),
    createdAtMs,
    node: { ...fields, signedAmount: signedAmount(fields) },
  };
}

function signedAmount({ amount, credit }: Shape<typeof transactionFields>): Checked<string> {
  if (amount === null || credit === null) return null;
  if (amount instanceof GatewayError) return amount;
  if (credit instanceof GatewayError) return credit;
  return signed(amount, !credit);
}
