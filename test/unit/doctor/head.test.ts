// What the doctor says about the page size, and about rows with the same createdAt.
import { expect, test } from 'vitest';
import { examineTies, judgePageSize } from '../../../src/doctor/questions/head.ts';

test('judgePageSize does not claim to have counted rows if only one page was read', () => {
  const page = { totalItems: 0, currentPage: 0, itemsPerPage: 20, rows: [] };
  expect(judgePageSize({ pages: [page], rows: [], totalItems: 0 })).toMatchObject({
    answer: '20',
    seen: 'itemsPerPage; not counted, because only one page was read',
  });
});

test.each([
  ['the page cannot be read again', { status: 500, page: null }],
  ['it has other rows then', { status: 200, page: pageOf(5, 6) }],
  ['it has only one of the rows then', { status: 200, page: pageOf(2, 6) }],
])('examineTies does not say that ties keep their order if %s', async (_, reply) => {
  const statement = { read: () => Promise.resolve(reply) };
  const page = pageOf(1, 2);
  const head = { pages: [page], rows: page.rows, totalItems: 2 };
  expect(await examineTies(statement, head, 0)).toMatchObject({
    answer: null,
    seen: '2 such rows of a page, read 9 times at most: no two of them were found again',
  });
});

function pageOf(...keys: number[]) {
  const rows = keys.map((key) => ({ key, createdAtMs: 1000, node: { id: 'id' } as never }));
  return { totalItems: rows.length, currentPage: 0, itemsPerPage: 20, rows };
}
