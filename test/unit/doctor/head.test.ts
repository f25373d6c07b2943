// What the doctor says about the page size, and about rows with the same createdAt.
import { expect, test } from 'vitest';
import { examineDates } from '../../../doctor/questions/dates.ts';
import { examineTies, judgeOrder, judgePageSize } from '../../../doctor/questions/head.ts';

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
    seen: '2 such rows of a page, read 9 times at most: a read did not have two of them',
  });
});

test('examineTies does not say that ties keep their order if only one of the reads has two of them', async () => {
  let reads = 0;
  const statement = {
    read: () => Promise.resolve({ status: 200, page: reads++ === 0 ? pageOf(1, 2) : pageOf(2, 6) }),
  };
  const page = pageOf(1, 2);
  const head = { pages: [page], rows: page.rows, totalItems: 2 };
  expect(await examineTies(statement, head, 0)).toMatchObject({ answer: null });
});

test('no --account is recommended if no row has a usable createdAt', async () => {
  const page = pageOf(1, 2);
  const rows = page.rows.map((row) => ({ ...row, createdAtMs: null }));
  const head = { pages: [{ ...page, rows }], rows, totalItems: 2 };
  const statement = { read: () => Promise.resolve({ status: 200, page: { ...page, rows } }) };
  const findings = [judgeOrder(head), await examineTies(statement, head, 0)];
  findings.push(...(await examineDates(statement, 0)).slice(0, 2));
  for (const finding of findings) {
    expect(finding).toMatchObject({
      answer: null,
      seen: 'no row has a usable createdAt: see violations',
    });
  }
});

function pageOf(...keys: number[]) {
  const rows = keys.map((key) => ({ key, createdAtMs: 1000, node: { id: 'id' } as never }));
  return { totalItems: rows.length, currentPage: 0, itemsPerPage: 20, rows };
}
