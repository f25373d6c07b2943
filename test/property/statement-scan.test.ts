// The scanner of statement pages reads what JSON.parse and the checks read, or leaves it to them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StatementPage, StatementRow } from '../../src/upstream/shapes.ts';
import { scanStatementPage } from '../../src/upstream/statement-scan.ts';
import { parseStatementPage } from '../../src/upstream/statement-shape.ts';
import { textOf } from '../../src/graphql/compiled/json-text.ts';
import { statementText } from '../support/statements.ts';
import { holds } from '../support/properties.ts';

const shown = [
  ...['id', 'amount', 'credit', 'signedAmount', 'status', 'externalStatus', 'category'],
  ...['beneficiaryName', 'type', 'createdAt'],
];

/** Values as the service may write them, and as it should not. */
const tokens = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '0.00',
    '-0.00',
    '12.50',
    '-3',
    '1e2',
    '01',
    '1.',
    '.5',
    '1E999',
  ],
  ...[
    '"x"',
    '""',
    '"DONE"',
    '"PROCESSED"',
    '"é😀"',
    '"a\\"b"',
    '"\\u0041"',
    '"a\tb"',
    '"\u007f"',
    '"\u2028"',
  ],
  ...[
    '"2026-02-30T00:00:00Z"',
    '"2026-06-03T12:00:00+03:00"',
    '"2026-06-03"',
    '{}',
    '[]',
    '{"a":1}',
  ],
  ...[
    '"id"',
    '"extra": 1, "id"',
    '"type": "A", "type"',
    ',',
    ' ',
    '\n',
    '\u00a0',
    ']',
    '}',
    '',
    '20',
    '4294967296',
  ],
];

const part = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null|[{}[\],:]|\s+/g;

/** The text with some of its tokens replaced, left out or doubled. */
const pages = fc
  .array(fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(...tokens), fc.constant(null))), {
    maxLength: 3,
  })
  .chain((changes) =>
    fc
      .constantFrom(statementText, compact(statementText), noRows)
      .map((text) => change(text, changes)),
  );

const noRows =
  '{"pagination":{"totalPages":0,"itemsPerPage":20,"currentPage":0,"totalItems":0},"data":[]}';

function compact(text: string): string {
  return text.replace(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/g, '');
}

function change(text: string, changes: readonly (readonly [number, string | null])[]): string {
  const parts = text.match(part) ?? [];
  for (const [place, token] of changes) {
    const at = place % parts.length;
    parts[at] = token ?? `${parts[at] ?? ''}${parts[at] ?? ''}`;
  }
  return parts.join('');
}

test('a page is what it is by JSON.parse', async () => {
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

test('pages as they come are scanned, in any order and with what is new', () => {
  for (const text of [
    statementText,
    compact(statementText),
    noRows,
    statementText.replaceAll('"id"', '"channel": "APP", "id"'),
    statementText.replaceAll(/"category": "[^"]+",/g, ''),
    statementText.replaceAll('"PIX"', 'null'),
  ]) {
    expect(scanStatementPage(Buffer.from(text)), text).not.toBeNull();
  }
});

function plain({ rows, ...counts }: StatementPage): unknown {
  return { ...counts, rows: rows.map(({ node, ...row }) => ({ ...row, node: fieldsOf(node) })) };
}

function fieldsOf(node: StatementRow['node']): unknown {
  const values: ReadonlyMap<string, unknown> = new Map(
    shown.map((name) => [name, Reflect.get(node, name)]),
  );
  return Object.fromEntries(values);
}

/** What is written of a row: from its text where it has that, else by JSON.stringify. */
function jsonOf({ node }: StatementRow): unknown {
  const json: unknown = Reflect.get(node, 'json');
  return shown.map((name) =>
    typeof json === 'function'
      ? textOf(String(Reflect.apply(json, node, [name])))
      : JSON.stringify(Reflect.get(node, name)),
  );
}
