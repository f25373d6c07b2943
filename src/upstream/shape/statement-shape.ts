// Parses the body of a statement page (docs/service.md).
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

/** Each row costs time, and four million bytes of nulls are 800,000 rows. */
const maxRows = 5000;

/**
 * Reads a page. Throws UPSTREAM_CONTRACT_VIOLATION if the text is not a JSON object, has no `data` list or too long a
 * one, or has unusable pagination; a wrong value in a row is a violation of that row only.
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

/** The largest GraphQL Int: a larger total could not be shown. */
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
  const createdAtMs = typeof row.createdAt === 'string' ? timestampMs(row.createdAt) : null;
  if (id === null) {
    return { id, key: NO_KEY, createdAtMs, node: violation(at, 'id', 'is no usable id') };
  }
  const fields = checkTransaction(row, id, at, answer);
  const node = { ...fields, signedAmount: signAmount(fields) };
  return { id, key: rowKey(id), createdAtMs, node };
}

/** `credit` gives the direction. */
function signAmount({ amount, credit }: Pick<Transaction, 'amount' | 'credit'>): Checked<string> {
  if (amount === null || credit === null) return null;
  if (amount instanceof GatewayError) return amount;
  if (credit instanceof GatewayError) return credit;
  return credit ? withoutSign(amount) : negated(amount);
}
