// How the doctor finds out the number of the first page if many rows have the same createdAt.
import { expect, test } from 'vitest';
import { examineNumbering } from '../../../doctor/questions/numbering.ts';
import type { Statement } from '../../../doctor/statement-pages.ts';

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
  return {
    read({ page = base }) {
      const shift = turn * reads++;
      const all = ties.flatMap((keys, tie) =>
        keys.map((_, index) => ({
          key: keys[(index + shift) % keys.length] ?? 0,
          createdAtMs: 1_000_000 - tie,
          ...{ id: 'id', node: { id: 'id' } as never },
        })),
      );
      const currentPage = Math.max(0, page - base);
      const rows = all.slice(currentPage * pageSize, (currentPage + 1) * pageSize);
      const reply = { totalItems: 200, currentPage, itemsPerPage: pageSize, rows };
      return Promise.resolve({ status: 200, page: reply });
    },
  };
}

async function baseOf(service: Service): Promise<{ base: 0 | 1 | null; seen: string | undefined }> {
  const { base, findings } = await examineNumbering(statementOf(service));
  return { base, seen: findings[0]?.seen };
}

test.each([0, 1] as const)(
  'examineNumbering does not guess the base (%i) if pages have the rows of one tie, in a new order at each read',
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
  'examineNumbering finds the base %i if ties are short, or end on the second page',
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
