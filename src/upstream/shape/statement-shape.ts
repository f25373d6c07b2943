// The body of a statement page (docs/service.md) -> StatementPage.
import { GatewayError } from '../../errors.ts';
import {
  checkBody,
  type Checked,
  type Fields,
  isFields,
  parseJson,
  usableId,
  violation,
} from './check.ts';
import { negated, withoutSign } from './decimal.ts';
import { createExactParser } from './exact-json.ts';
import { checkFieldsOf, decimalsIn, type ParsedAnswer } from './field-types.ts';
import { NO_KEY, rowKey } from './row-key.ts';
import {
  paginationFields,
  type StatementPage,
  type StatementRow,
  type Transaction,
  transactionFields,
} from './shapes.ts';
import { timestampMs } from './timestamp.ts';

const parse = createExactParser(decimalsIn(transactionFields));
const checkTransaction = checkFieldsOf(transactionFields);

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
  const answer = { digits, exactObject: () => null };
  return {
    totalItems: checkCount(pagination, 'totalItems'),
    currentPage: checkCount(pagination, 'currentPage'),
    itemsPerPage: checkCount(pagination, 'itemsPerPage'),
    rows: data.map((row: unknown, index) => readRow(row, index, answer)),
  };
}

/** The largest GraphQL Int: a total beyond it could not be shown, and no statement has as many. */
const maxCount = 2 ** 31 - 1;

function checkCount(pagination: Fields, key: keyof typeof paginationFields): number {
  const value = pagination[key];
  const min = paginationFields[key];
  const isCount = typeof value === 'number' && Number.isInteger(value);
  if (isCount && value >= min && value <= maxCount) return value;
  throw violation('/pagination', key, `is not a whole number from ${min} to ${maxCount}`);
}

function readRow(row: unknown, index: number, answer: ParsedAnswer): StatementRow {
  if (!isFields(row)) {
    const node = violation('/data', `${index}`, 'is not an object');
    return { id: null, key: NO_KEY, createdAtMs: null, node };
  }
  const id = usableId(row.id);
  const at = `/data/${index}`;
  return {
    id,
    key: rowKey(id),
    createdAtMs: typeof row.createdAt === 'string' ? timestampMs(row.createdAt) : null,
    node:
      id === null ? violation(at, 'id', 'is no usable id') : readTransaction(row, id, at, answer),
  };
}

function readTransaction(row: Fields, id: string, at: string, answer: ParsedAnswer): Transaction {
  const fields = checkTransaction(row, id, at, answer);
  return { ...fields, signedAmount: signAmount(fields) };
}

/** The direction is `credit`'s to tell. */
function signAmount({ amount, credit }: Pick<Transaction, 'amount' | 'credit'>): Checked<string> {
  if (amount === null || credit === null) return null;
  if (amount instanceof GatewayError) return amount;
  if (credit instanceof GatewayError) return credit;
  return credit ? withoutSign(amount) : negated(amount);
}
