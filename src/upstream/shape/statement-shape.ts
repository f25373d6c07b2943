// Parses the body of a statement page (docs/service.md).
import { GatewayError } from '../../errors.ts';
import { AnswerCheck, type Checked } from './check.ts';
import { signed } from './decimal.ts';
import { isFields, parseBody } from './exact-json.ts';
import { checkElement, requireObject, type Shape } from './field-types.ts';
import { NO_KEY, rowKey } from './row-key.ts';
import {
  paginationFields,
  type StatementPage,
  type StatementRow,
  transactionFields,
} from './shapes.ts';
import { timestampMs } from './timestamp.ts';

/** Each row costs time, and four million bytes of nulls are 800,000 rows. */
const maxRows = 5000;

/**
 * Reads a page. Throws UPSTREAM_CONTRACT_VIOLATION if the text is not a JSON object, has no `data` list or too long a
 * one, or has unusable pagination; a wrong value in a row is a violation of that row only.
 */
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
