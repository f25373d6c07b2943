// How the doctor finds out the number of the first page if many rows have the same createdAt, and judges currentPage.
import { expect, test } from 'vitest';
import type { Statement } from '../../../doctor/pages.ts';
import { findPageBase, judgeCurrentPage } from '../../../doctor/questions/numbering.ts';
import { pageOf, statementOf as serving } from './pages.ts';

const pageSize = 20;

interface Service {
  readonly base: 0 | 1;
  /** The numbers of rows that share a createdAt, one after another until the statement has 200 rows. */
  readonly tieSizes: readonly number[];
  /** How many places the rows of a tie move at each read. */
  readonly turn: number;
}

/** A statement of 200 rows. Pages before the first one are answered with the first one. */
function statementOf({ base, tieSizes, turn }: Service): Statement {
  const ties: number[][] = [];
  for (let at = 0; at < 200;) {
    const size = tieSizes[ties.length % tieSizes.length] ?? 1;
    ties.push(Array.from({ length: size }, (_, index) => at + index + 1));
    at += size;
  }
  let reads = 0;
  return serving(({ page = base }) => {
    const shift = turn * reads++;
    const all = ties.flatMap((keys, tie) =>
      keys.map((_, index) => ({
        ...{ key: keys[(index + shift) % keys.length] ?? 0, createdAtMs: 1_000_000 - tie },
        content: '',
      })),
    );
    const currentPage = Math.max(0, page - base);
    const rows = all.slice(currentPage * pageSize, (currentPage + 1) * pageSize);
    return pageOf(rows, { totalItems: 200 });
  });
}

async function baseOf(service: Service): Promise<{ base: 0 | 1 | null; seen: string }> {
  const { base, finding } = await findPageBase(statementOf(service), service.base === 0 ? 1 : 0);
  return { base, seen: finding.seen };
}

test.each([0, 1] as const)(
  'findPageBase does not guess the base (%i) if pages have the rows of one tie, in a new order at each read',
  async (base) => {
    for (const turn of [5, 15, 25]) {
      expect(await baseOf({ base, tieSizes: [40], turn })).toEqual({
        base: null,
        seen: 'too many rows have no id, or the same createdAt on both pages: choose another --account',
      });
    }
  },
);

test.each([0, 1] as const)(
  'findPageBase finds the base %i if ties are short, or end on the second page',
  async (base) => {
    for (const turn of [0, 1, 7]) {
      for (const tieSizes of [[2], [3], [8, 1], [10, 20]]) {
        expect(await baseOf({ base, tieSizes, turn }), `${tieSizes.join()} ${turn}`).toMatchObject({
          base,
        });
      }
    }
  },
);

test.each([
  [0, [0, 1, 2], 'expected'],
  [1, [0, 1, 2], 'expected'],
  [1, [1, 2, 3], 'expected'],
  [0, ['0', '1', '2'], 'expected'],
  [0, [1, 2, 3], 'notice'],
  [0, [0, 0, 0], 'notice'],
  [1, [1, 1, 1], 'notice'],
  [0, [null, null, null], 'notice'],
  [0, [undefined, undefined, undefined], 'notice'],
  [0, [0, 20, 40], 'fatal'],
] as const)('with the first page %i, the numbers %j are judged', (base, numbers, outcome) => {
  const pages = numbers.map((currentPage, at) => [at + base, pageOf([], { currentPage })] as const);
  expect(judgeCurrentPage(new Map(pages), base)).toMatchObject({ id: 'current-page', outcome });
});

test('judgeCurrentPage quotes numbers, but no texts', () => {
  const pages = [pageOf([], { currentPage: 7 }), pageOf([], { currentPage: 'Ana' })];
  expect(judgeCurrentPage(new Map(pages.entries()), 0).seen).toContain('page=0, 1: 7, a string;');
});
