// The body of a statement page (docs/service.md) -> StatementPage.
import { GatewayError } from '../errors.ts';
import {
  absentOr,
  checkBody,
  checkDecimal,
  checkFlag,
  checkText,
  checkTimestamp,
  type Fields,
  isFields,
  parseJson,
  usableId,
  violation,
} from './check.ts';
import { isNegative, negated, withoutSign } from './decimal.ts';
import { createExactParser, type ExactJson } from './exact-json.ts';
import { NO_KEY, rowKey } from './row-key.ts';
import type {
  Checked,
  StatementPage,
  StatementRow,
  Transaction,
  TransactionStatus,
} from './shapes.ts';
import { timestampMs } from './timestamp.ts';

const parse = createExactParser(['amount']);

/** What is done with a page takes time for each of its rows, of which four million bytes of nulls have 800,000. */
const maxRows = 5000;

/**
 * Reads a page. Throws UPSTREAM_CONTRACT_VIOLATION where the text is no JSON object, has no `data` list or one that is
 * far too long, or where its pagination cannot be used; anything wrong with a row stays in that row.
 */
export function parseStatementPage(text: string): StatementPage {
  const { root, digits } = parseJson(parse, text);
  const { data, pagination } = checkBody(root);
  if (!Array.isArray(data)) throw violation('', 'data', 'is not a list');
  if (data.length > maxRows) throw violation('', 'data', `has more than ${maxRows} rows`);
  if (!isFields(pagination)) throw violation('', 'pagination', 'is not an object');
  return {
    totalItems: checkCount(pagination, 'totalItems', 0),
    currentPage: checkCount(pagination, 'currentPage', 0),
    itemsPerPage: checkCount(pagination, 'itemsPerPage', 1),
    rows: data.map((row: unknown, index) => readRow(row, index, digits)),
  };
}

/** The largest GraphQL Int: a total beyond it could not be shown, and no statement has as many. */
const maxCount = 2 ** 31 - 1;

function checkCount(pagination: Fields, key: string, min: number): number {
  const value = pagination[key];
  const isCount = typeof value === 'number' && Number.isInteger(value);
  if (isCount && value >= min && value <= maxCount) return value;
  throw violation('/pagination', key, `is not a whole number from ${min} to ${maxCount}`);
}

function readRow(row: unknown, index: number, digits: ExactJson['digits']): StatementRow {
  if (!isFields(row)) {
    return {
      ...{ id: null, key: NO_KEY, createdAtMs: null },
      node: violation('/data', `${index}`, 'is not an object'),
    };
  }
  const id = usableId(row.id);
  const createdAtMs = typeof row.createdAt === 'string' ? timestampMs(row.createdAt) : null;
  const at = `/data/${index}`;
  const node =
    id === null
      ? violation(at, 'id', 'is no usable id')
      : readTransaction(row, id, createdAtMs, at, digits);
  return { id, key: rowKey(id), createdAtMs, node };
}

function readTransaction(
  row: Fields,
  id: string,
  createdAtMs: number | null,
  at: string,
  digits: ExactJson['digits'],
): Transaction {
  const amount = checkAmount(row.amount, digits, at);
  const credit = checkFlag(row.credit, at, 'credit');
  return {
    id,
    amount,
    credit,
    signedAmount: signAmount(amount, credit),
    status: checkStatus(row.status, at),
    externalStatus: checkText(row.externalStatus, at, 'externalStatus'),
    category: checkText(row.category, at, 'category'),
    beneficiaryName: checkText(row.beneficiaryName, at, 'beneficiaryName'),
    type: checkText(row.type, at, 'type'),
    // A row whose instant is known has a good timestamp: it is not read twice.
    createdAt:
      createdAtMs === null
        ? checkTimestamp(row.createdAt, at, 'createdAt')
        : (row.createdAt as string),
  };
}

/** The direction is `credit`'s to tell: an amount below zero contradicts docs/service.md. `-0.00` is zero, as sent. */
function checkAmount(value: unknown, digits: ExactJson['digits'], at: string): Checked<string> {
  const amount = checkDecimal(value, digits, at, 'amount');
  return typeof amount === 'string' && isNegative(amount)
    ? violation(at, 'amount', 'is negative')
    : amount;
}

function signAmount(amount: Checked<string>, credit: Checked<boolean>): Checked<string> {
  if (amount === null || credit === null) return null;
  if (amount instanceof GatewayError) return amount;
  if (credit instanceof GatewayError) return credit;
  return credit ? withoutSign(amount) : negated(amount);
}

function checkStatus(value: unknown, at: string): Checked<TransactionStatus> {
  return isStatus(value) ? value : absentOr(value, at, 'status', 'is no documented status');
}

function isStatus(value: unknown): value is TransactionStatus {
  return value === 'DONE' || value === 'PROCESSING' || value === 'CANCELED' || value === 'ERROR';
}
