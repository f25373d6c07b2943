// The statement scanner reads the same page as JSON.parse and the checks, or returns null, so that the gateway uses
// JSON.parse.
import { expect, test } from 'vitest';
import {
  type StatementPage,
  type StatementRow,
  transactionFields,
} from '../../src/upstream/shape/shapes.ts';
import {
  parseStatementPage,
  scanStatementPage,
} from '../../src/upstream/answers/statement-answer.ts';
import { statementText } from '../support/statements.ts';
import { holds } from '../support/properties.ts';
import { compact, jsonIn, mutated, valuesIn } from './json-mutations.ts';

const shown = [...Object.keys(transactionFields), 'signedAmount'];

const noRows =
  '{"pagination":{"totalPages":0,"itemsPerPage":20,"currentPage":0,"totalItems":0},"data":[]}';
const pages = mutated([statementText, noRows]);

test('the scanner reads the same statement page as JSON.parse', async () => {
  let scanned = 0;
  await holds(pages, (text) => {
    const page = scanStatementPage(Buffer.from(text));
    if (page !== null) {
      scanned++;
      expect(plain(page)).toEqual(plain(parseStatementPage(text)));
      expect(page.rows.map(jsonOf)).toEqual(parseStatementPage(text).rows.map(jsonOf));
    }
    return Promise.resolve();
  });
  expect(scanned).toBeGreaterThan(0);
});

test('the scanner leaves a statement page with text after its end to JSON.parse', () => {
  for (const text of [`{}${statementText.slice(1)}`, `${statementText}{}`]) {
    expect(scanStatementPage(Buffer.from(text)), text).toBeNull();
  }
});

test('the scanner can read ordinary statement pages, even with unknown or missing fields', () => {
  for (const text of [
    statementText,
    compact(statementText),
    noRows,
    statementText.replaceAll('"id"', '"channel": "APP", "id"'),
    statementText.replaceAll(/"category": "[^"]+",/g, ''),
    statementText.replaceAll('"PIX"', 'null'),
    statementText.replaceAll('ã', '\\u00e3').replaceAll('Banco', 'B\\"a\\/n\\\\co'),
  ]) {
    expect(scanStatementPage(Buffer.from(text)), text).not.toBeNull();
  }
});

function plain({ rows, ...counts }: StatementPage): unknown {
  return {
    ...counts,
    rows: rows.map(({ id, key, createdAtMs, node }) => ({
      ...{ id, key, createdAtMs },
      node: valuesIn(node, shown),
    })),
  };
}

function jsonOf({ node }: StatementRow): unknown {
  return jsonIn(node, shown);
}
