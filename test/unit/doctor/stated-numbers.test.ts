// What the doctor says about currentPage and totalItems.
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../doctor/finding.ts';
import { examineNumbering } from '../../../doctor/questions/numbering.ts';
import type { Statement } from '../../../doctor/statement-pages.ts';
import type { StatementPage } from '../../../src/upstream/shape/shapes.ts';

/** A statement of 95 rows in pages of 20, numbered from `base`, each as `change` returns it. */
function statementOf(base: 0 | 1, change: (page: StatementPage) => StatementPage): Statement {
  const all = Array.from({ length: 95 }, (_, index) => ({
    key: index + 1,
    createdAtMs: 1_000_000 - index,
    node: { id: 'id' } as never,
  }));
  return {
    read({ page: number = base }) {
      const currentPage = number - base;
      if (currentPage < 0) return Promise.resolve({ status: 400, page: null });
      const rows = all.slice(currentPage * 20, currentPage * 20 + 20);
      const page = change({ totalItems: 95, currentPage, itemsPerPage: 20, rows });
      return Promise.resolve({ status: 200, page });
    },
  };
}

async function find(id: string, statement: Statement): Promise<Finding | undefined> {
  const { findings } = await examineNumbering(statement);
  return findings.find((finding) => finding.id === id);
}

describe('currentPage', () => {
  test.each([
    [0, 'an index', (index: number) => index, 'from 0'],
    [1, 'an index', (index: number) => index, 'from 0'],
    [1, 'the number of the request', (index: number) => index + 1, 'as page does'],
    [0, 'the index of the first row', (index: number) => index * 20, null],
    [0, 'always 0', () => 0, null],
    [1, 'always 1', () => 1, null],
  ] as const)('is checked on all pages: page base %i, %s', async (base, _, stated, answer) => {
    const statement = statementOf(base, (page) => ({
      ...page,
      currentPage: stated(page.currentPage),
    }));
    expect(await find('current-page', statement)).toMatchObject({ answer });
  });

  test('has a consequence if it does not count with page', async () => {
    const statement = statementOf(0, (page) => ({ ...page, currentPage: 0 }));
    expect(await find('current-page', statement)).toMatchObject({
      seen: 'currentPage of page=0, 1, 2, 4: 0, 0, 0, 0; the gateway rejects pages with a wrong number',
    });
  });
});

describe('totalItems', () => {
  const endOfFirst = { key: 20, createdAtMs: 1_000_000 - 19, node: { id: 'id' } as never };
  const isRejected = (rows: number, expected: number) =>
    `the last page has ${rows} rows, not ${expected}: the gateway rejects it`;
  const rowsFollow = 'rows follow the last page: clients never see them';

  test.each<[string, (page: StatementPage) => Partial<StatementPage>, string | null, string]>([
    ['is right', () => ({}), 'yes', 'the rows of the last page, counted'],
    ['is too large', () => ({ totalItems: 98 }), 'no', isRejected(15, 18)],
    ['is too small', () => ({ totalItems: 92 }), 'no', isRejected(15, 12)],
    ['is limited', () => ({ totalItems: 50 }), 'no', `${isRejected(20, 10)}; ${rowsFollow}`],
    ['counts the rows of the page', ({ rows }) => ({ totalItems: rows.length }), 'no', rowsFollow],
    [
      'differs',
      ({ currentPage }) => ({ totalItems: 95 - currentPage }),
      null,
      'totalItems differs from page to page, or the statement changed',
    ],
    [
      'is right, but an id is repeated',
      ({ rows }) => ({ rows: rows.map((row, index) => (index === 1 ? (rows[0] ?? row) : row)) }),
      'no',
      'a page has the same id twice',
    ],
    [
      'is right, but an id is repeated on the next page',
      ({ rows }) => ({
        rows: rows.map((row, index) => (index === 9 ? { ...row, key: 1000 } : row)),
      }),
      'no',
      'two pages have the same id: the gateway rejects slices of both',
    ],
    [
      'is right, and a row has moved to the next page',
      ({ rows, currentPage }) => ({
        rows: rows.map((row, index) => (currentPage === 1 && index === 0 ? endOfFirst : row)),
      }),
      'yes',
      'the rows of the last page, counted',
    ],
  ])('is compared with the rows if it %s', async (_, change, answer, seen) => {
    const statement = statementOf(0, (page) => ({ ...page, ...change(page) }));
    expect(await find('totals', statement)).toMatchObject({ answer, seen });
  });

  test.each([
    ['the last', 4],
    ['the first', 0],
  ])('agrees with the rows if %s page is returned after the last one', async (_, repeated) => {
    const plain = statementOf(0, (page) => page);
    const statement: Statement = {
      read: (ask) => plain.read(ask.page === 5 ? { page: repeated } : ask),
    };
    expect(await find('totals', statement)).toMatchObject({ answer: 'yes' });
  });
});
