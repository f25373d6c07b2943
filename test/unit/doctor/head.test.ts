// What the doctor says about the page size.
import { expect, test } from 'vitest';
import { judgePageSize } from '../../../src/doctor/questions/head.ts';

test('judgePageSize does not claim to have counted rows if only one page was read', () => {
  const page = { totalItems: 0, currentPage: 0, itemsPerPage: 20, rows: [] };
  expect(judgePageSize({ pages: [page], rows: [], totalItems: 0 })).toMatchObject({
    answer: '20',
    seen: 'itemsPerPage; not counted, because only one page was read',
  });
});
