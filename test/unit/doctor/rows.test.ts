// What the doctor says about order, ties, ids, totals and page sizes.
import { describe, expect, test } from 'vitest';
import type { Page, Row, Statement } from '../../../doctor/pages.ts';
import * as questions from '../../../doctor/questions/rows.ts';
import { pageOf, rowsOf, statementOf } from './pages.ts';

/** The keys of 95 rows. */
const keys = Array.from({ length: 95 }, (_, index) => index + 1);

type Change = (page: Page, index: number) => Partial<Page>;

/** A statement of 95 rows in pages of 20, each as `change` returns it. */
function changed(change: Change = () => ({}), rows: readonly Row[] = rowsOf(...keys)): Statement {
  return statementOf(({ page: index = 0 }) => {
    const own = rows.slice(index * 20, index * 20 + 20);
    const page = pageOf(own, { totalItems: rows.length, totalPages: 5, currentPage: index });
    return { ...page, ...change(page, index) };
  });
}

/** The finding with this id, as a judge of the head, of the end, or of both, returns it. */
async function find(id: string, statement: Statement) {
  const head = await questions.readHead(statement, 0);
  if (typeof head === 'string') throw new Error(head);
  const end = await questions.readEnd(statement, head, 0);
  const findings = [
    questions.judgeOrder(head),
    questions.judgeIds(head),
    questions.judgePageSize(head, end),
    questions.judgeTotals(head, end),
    questions.judgeBeyond(head, end),
    await questions.examineTies(statement, head, 0),
  ];
  return findings.find((finding) => finding.id === id);
}

const outcomes = (outcome: string, seen: string) => ({
  outcome,
  seen: expect.stringContaining(seen) as string,
});

test('a service that fits has no finding', async () => {
  for (const id of ['order', 'ids', 'page-size', 'totals', 'page-beyond']) {
    expect(await find(id, changed())).toMatchObject({ id, outcome: 'expected' });
  }
});

test.each([
  [(rows: Row[]) => rows.toReversed(), 'notice', 'the oldest transactions are listed first'],
  [
    (rows: Row[]) => [...rows.slice(1, 50), ...rows.slice(0, 1), ...rows.slice(50)],
    'notice',
    'neither rises nor falls',
  ],
  [
    (rows: Row[]) => rows.map((row) => ({ ...row, createdAtMs: null })),
    'unknown',
    'no row has a usable createdAt',
  ],
  [
    (rows: Row[]) => rows.map((row) => ({ ...row, createdAtMs: 1 })),
    'unknown',
    'all rows have the same',
  ],
])('the order is compared with createdAt: %s', async (change, outcome, seen) => {
  expect(await find('order', changed(undefined, change(rowsOf(...keys))))).toMatchObject(
    outcomes(outcome, seen),
  );
});

describe('ids', () => {
  const rows = rowsOf(...keys);
  const sharing = (content: string) =>
    rows.map((row, at) => (at === 9 ? { ...row, key: 9, content } : row));

  test('are reported if two different transactions share one', async () => {
    expect(await find('ids', changed(undefined, sharing('10')))).toMatchObject(
      outcomes('notice', '2 of 95 rows share an id with a row of another amount'),
    );
  });

  test('are reported if a page has a row twice', async () => {
    expect(await find('ids', changed(undefined, sharing('9')))).toMatchObject(
      outcomes('notice', '1 of 95 rows are on their page twice'),
    );
  });

  test('are not compared if rows have none', async () => {
    const without = rows.map((row) => ({ ...row, key: 0 }));
    expect(await find('ids', changed(undefined, without))).toMatchObject({ outcome: 'expected' });
  });
});

describe('totals', () => {
  test.each<[string, Change, string, string]>([
    ['is too large', () => ({ totalItems: 98 }), 'notice', 'the last page has 15 rows, not 18'],
    ['is too small', () => ({ totalItems: 92 }), 'notice', 'the last page has 15 rows, not 12'],
    ['is limited', () => ({ totalItems: 50 }), 'notice', 'rows follow the last page'],
    [
      'counts the page',
      ({ rows }) => ({ totalItems: rows.length }),
      'notice',
      'rows follow the last page',
    ],
    ['differs', (_, index) => ({ totalItems: 95 - index }), 'unknown', 'totalItems changed'],
  ])('are compared with the rows if totalItems %s', async (_, change, outcome, seen) => {
    expect(await find('totals', changed(change))).toMatchObject(outcomes(outcome, seen));
  });

  test.each([0, 4])(
    'agree with the rows if page %i is returned after the last one',
    async (again) => {
      const plain = changed();
      const service: Statement = {
        read: (ask) => plain.read(ask.page === 5 ? { page: again } : ask),
      };
      expect(await find('totals', service)).toMatchObject({ outcome: 'expected' });
      expect(await find('page-beyond', service)).toMatchObject({ outcome: 'expected' });
    },
  );

  test('that are 0 after the last page are reported', async () => {
    const service = changed((_, index) => (index === 5 ? { totalItems: 0 } : {}));
    expect(await find('page-beyond', service)).toMatchObject(
      outcomes('notice', 'page=5, after the last page: totalItems is 0, not 95'),
    );
  });
});

test.each([
  [400, 'expected', ''],
  [404, 'expected', ''],
  [500, 'notice', 'page=5, after the last page: status 500'],
  [429, 'unknown', 'status 429'],
  ['no answer', 'unknown', 'no answer'],
] as const)('the status %s after the last page is judged', async (status, outcome, seen) => {
  const plain = changed();
  const service: Statement = {
    read: (ask) =>
      ask.page === 5
        ? Promise.resolve({
            status,
            page: null,
            reason: typeof status === 'number' ? `status ${status}` : status,
          })
        : plain.read(ask),
  };
  expect(await find('page-beyond', service)).toMatchObject(outcomes(outcome, seen));
});

test.each<[string, Change, string]>([
  [
    'counts the rows of the page',
    ({ rows }) => ({ itemsPerPage: rows.length || 20 }),
    'itemsPerPage is 20 or 15',
  ],
  ['is another number', () => ({ itemsPerPage: 25 }), 'itemsPerPage is 25 on pages of 20 rows'],
  ['does not fit totalPages', () => ({ totalPages: 7 }), 'totalPages is not totalItems divided by'],
  [
    'is that before rows are hidden',
    ({ rows }, index) => ({ rows: rows.slice(index % 2) }),
    'pages before the last one have 19 to 20 rows',
  ],
])('the page size is compared with the rows if itemsPerPage %s', async (_, change, seen) => {
  expect(await find('page-size', changed(change))).toMatchObject(outcomes('notice', seen));
});

describe('rows with the same createdAt', () => {
  /** Each four rows share a createdAt. The first tie has two rows only, so that a tie is on both sides of each edge. */
  const tied = rowsOf(...keys).map((row, at) => ({
    ...row,
    createdAtMs: 1000 - Math.floor((at + 2) / 4),
  }));
  const swap = (rows: readonly Row[], at: number) => [
    ...rows.slice(0, at),
    ...rows.slice(at, at + 2).reverse(),
    ...rows.slice(at + 2),
  ];

  test('have no finding if they keep their order', async () => {
    expect(await find('ties', changed(undefined, tied))).toMatchObject({ outcome: 'expected' });
  });

  test('are reported with the rows that are on two pages, if their order depends on the page', async () => {
    const other = swap(tied, 19);
    const service = changed(
      (_, index) => ({ rows: (index === 1 ? other : tied).slice(index * 20, index * 20 + 20) }),
      tied,
    );
    expect(await find('ties', service)).toMatchObject({
      outcome: 'notice',
      seen: 'of 95 rows, 1 are on two pages, so as many others are on none',
      there: 'sort by createdAt and id, as in ORDER BY created_at DESC, id DESC',
    });
  });

  test('are reported if their order changes from read to read', async () => {
    let reads = 0;
    const service = changed(
      ({ rows }) => ({ rows: reads++ % 2 === 0 ? rows : swap(rows, 3) }),
      tied,
    );
    expect(await find('ties', service)).toMatchObject(
      outcomes('notice', 'pages read again had other rows, or another order'),
    );
  });

  test.each([
    [
      'none',
      (row: Row) => row,
      "no two rows on both sides of a page's edge have the same createdAt (5 pages read)",
    ],
    [
      'no createdAt',
      (row: Row) => ({ ...row, createdAtMs: null }),
      'no row has a usable createdAt',
    ],
  ])('are unknown if there are %s', async (_, change, seen) => {
    const service = changed(undefined, rowsOf(...keys).map(change));
    expect(await find('ties', service)).toMatchObject({
      outcome: 'unknown',
      seen: `${seen}: choose another --account`,
    });
  });
});

test('totals that rise and fall again are replicas, not arrivals', async () => {
  let reads = 0;
  const replicas = changed(() => ({ totalItems: 95 + (reads++ % 2) }));
  expect(await find('ties', replicas)).toMatchObject(
    outcomes('notice', 'totalItems rises and falls again'),
  );
  const arrivals = changed(() => ({ totalItems: 95 + reads++ }));
  expect(await find('ties', arrivals)).toMatchObject({ outcome: 'unknown' });
});
