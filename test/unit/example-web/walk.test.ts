// The walk of an export: its slices, its retries and restarts, and the rows that it returns.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createWalk,
  maxRows,
  type Slice,
  type WalkSteps,
} from '../../../examples/web/src/export/walk.ts';
import { failureBy } from '../../../examples/web/src/failure.ts';
import type { LineFragment } from '../../../examples/web/src/generated/graphql.ts';
import { SliceError } from '../../../examples/web/src/slice.ts';
import { holds } from '../../support/properties.ts';
import { lineOf } from '../../support/statement-files.ts';

const open = new AbortController().signal;

/** Rows with ids r0, r1 …, newest first, in pairs with the same createdAt. The pairs are a minute apart. */
function rowsOf(count: number): LineFragment[] {
  const newestMs = Date.parse('2026-06-30T12:00:00.000Z');
  return Array.from({ length: count }, (_, index) => {
    const createdAt = new Date(newestMs - 60_000 * Math.floor(index / 2)).toISOString();
    return lineOf({ id: `r${index}`, createdAt });
  });
}

/** The slice of `rows` after a cursor, which is the id of a row, or from the start if the cursor is null. */
function sliceAfter(
  rows: readonly (LineFragment | null)[],
  after: string | null,
  size = 100,
): Slice {
  const start = rows.findIndex((row) => row?.id === after) + 1;
  const slice = rows.slice(start, start + size);
  return {
    rows: slice,
    endCursor: slice.findLast((row) => row !== null)?.id ?? null,
    hasNextPage: start + size < rows.length,
    totalCount: rows.length,
  };
}

interface Recorded {
  readonly steps: WalkSteps;
  readonly asked: (string | null)[];
  readonly waits: number[];
  readonly progress: [number, number][];
}

/** The steps of a walk that gets its slices from `answer`, and a record of the requests, pauses and progress. */
function record(answer: (after: string | null, count: number) => Slice): Recorded {
  const asked: (string | null)[] = [];
  const waits: number[] = [];
  const progress: [number, number][] = [];
  const steps: WalkSteps = {
    readSlice: (after) => {
      asked.push(after);
      return new Promise((resolve) => resolve(answer(after, asked.length)));
    },
    wait: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    onProgress: (read, total) => progress.push([read, total]),
  };
  return { steps, asked, waits, progress };
}

const fail = (code: string, retryAfter: number | null = null): never => {
  throw new SliceError(failureBy(code, retryAfter));
};

const idsOf = ({ lines }: { readonly lines: readonly LineFragment[] }) => lines.map(({ id }) => id);

test('an export reads slice after slice to the end and reports its progress', async () => {
  const rows = rowsOf(250);
  const { steps, asked, progress } = record((after) => sliceAfter(rows, after));
  expect(idsOf(await createWalk(steps).run(open))).toEqual(rows.map(({ id }) => id));
  expect(asked).toEqual([null, 'r99', 'r199']);
  expect(progress).toEqual([
    [100, 250],
    [200, 250],
    [250, 250],
  ]);
});

test('an export has two rows with one id twice, also after a restart', async () => {
  const fee = lineOf({ id: 'r1', amount: '0.99', signedAmount: '-0.99' });
  const rows = [...rowsOf(3), fee];
  const cursors = ['c1', 'c2'];
  const slices = [rows.slice(0, 2), rows.slice(2)];
  const answer = (after: string | null, count: number): Slice => {
    if (count === 2) fail('CURSOR_EXPIRED');
    const place = after === null ? 0 : cursors.indexOf(after) + 1;
    return {
      rows: slices[place] ?? [],
      endCursor: cursors[place] ?? null,
      hasNextPage: place === 0,
      totalCount: rows.length,
    };
  };
  const { lines } = await createWalk(record(answer).steps).run(open);
  expect(lines.map(({ id, amount }) => [id, amount])).toEqual(
    expect.arrayContaining([
      ['r1', '22.00'],
      ['r1', '0.99'],
    ]),
  );
  expect(lines).toHaveLength(4);
});

test('an export of an empty statement has no rows', async () => {
  const { steps } = record((after) => sliceAfter([], after));
  expect(await createWalk(steps).run(open)).toEqual({ lines: [], unreadable: 0 });
});

test('an export counts each unreadable row once, even after a restart', async () => {
  const rows = [null, ...rowsOf(4), null];
  const { steps } = record((after, count) =>
    count === 2 ? fail('CURSOR_EXPIRED') : sliceAfter(rows, after, 3),
  );
  expect(await createWalk(steps).run(open)).toMatchObject({ unreadable: 2, lines: { length: 4 } });
});

test('an export sorts rows newest first, keeps the order of rows with the same instant, and puts undated rows last', async () => {
  const [newest, twin, older, last] = rowsOf(4) as [
    LineFragment,
    LineFragment,
    LineFragment,
    LineFragment,
  ];
  const undated = lineOf({ id: 'undated', createdAt: null });
  const rows = [older, undated, twin, newest, last];
  const { steps } = record((after) => sliceAfter(rows, after));
  expect(idsOf(await createWalk(steps).run(open))).toEqual(['r1', 'r0', 'r2', 'r3', 'undated']);
});

describe('after a failure', () => {
  const rows = rowsOf(250);

  test('an export requests the same slice again, with growing pauses between the attempts', async () => {
    const { steps, asked, waits } = record((after, count) =>
      count > 1 && count < 5 ? fail('UPSTREAM_UNAVAILABLE') : sliceAfter(rows, after),
    );
    expect((await createWalk(steps).run(open)).lines).toHaveLength(250);
    expect(asked).toEqual([null, 'r99', 'r99', 'r99', 'r99', 'r199']);
    expect(waits).toEqual([500, 1000, 2000]);
  });

  test('an export waits for the time in Retry-After, but fails at once if that time exceeds 30 s', async () => {
    const short = record((after, count) =>
      count === 1 ? fail('RATE_LIMITED', 7) : sliceAfter(rows, after),
    );
    await createWalk(short.steps).run(open);
    expect(short.waits).toEqual([7000]);
    const long = record(() => fail('RATE_LIMITED', 31));
    await expect(createWalk(long.steps).run(open)).rejects.toThrow('RATE_LIMITED');
    expect(long.waits).toEqual([]);
  });

  test('an export stops after four attempts and resumes at the same slice when run again', async () => {
    let isDown = true;
    const { steps, asked } = record((after) =>
      isDown && after === 'r99' ? fail('OFFLINE') : sliceAfter(rows, after),
    );
    const walk = createWalk(steps);
    await expect(walk.run(open)).rejects.toThrow('OFFLINE');
    expect(asked).toEqual([null, 'r99', 'r99', 'r99', 'r99']);
    isDown = false;
    expect((await walk.run(open)).lines).toHaveLength(250);
    expect(asked.slice(5)).toEqual(['r99', 'r199']);
  });

  test.each(['UNAUTHENTICATED', 'NOT_FOUND', 'BAD_USER_INPUT'])(
    'an export does not repeat a request that failed with %s',
    async (code) => {
      const { steps, asked } = record(() => fail(code));
      await expect(createWalk(steps).run(open)).rejects.toThrow(code);
      expect(asked).toEqual([null]);
    },
  );

  test('an export restarts at most five times if its cursor has expired, and keeps the newest state of each row', async () => {
    const changed = rows.map((row) => lineOf({ ...row, status: 'CANCELED' }));
    const once = record((after, count) => {
      if (count === 3) fail('CURSOR_EXPIRED');
      return sliceAfter(count < 3 ? rows : changed, after);
    });
    const { lines } = await createWalk(once.steps).run(open);
    expect(lines).toEqual(changed);
    expect(once.asked).toEqual([null, 'r99', 'r199', null, 'r99', 'r199']);
    const always = record(() => fail('CURSOR_EXPIRED'));
    await expect(createWalk(always.steps).run(open)).rejects.toThrow('CURSOR_EXPIRED');
    expect(always.asked).toHaveLength(6);
  });

  test('an export rethrows an unexpected error', async () => {
    const { steps } = record(() => {
      throw new TypeError('defect');
    });
    await expect(createWalk(steps).run(open)).rejects.toThrow(TypeError);
  });
});

test('an export fails as soon as the total exceeds the number of rows that a file may have', async () => {
  const { steps, asked } = record((after) => ({
    ...sliceAfter(rowsOf(150), after),
    totalCount: maxRows + 1,
  }));
  await expect(createWalk(steps).run(open)).rejects.toThrow('TOO_MANY');
  expect(asked).toEqual([null]);
});

test('an export fails instead of looping if a slice with a next page has no endCursor', async () => {
  const { steps, asked } = record((after) => ({
    ...sliceAfter(rowsOf(150), after),
    endCursor: null,
  }));
  await expect(createWalk(steps).run(open)).rejects.toThrow('UNKNOWN');
  expect(asked).toHaveLength(1);
});

test('an export stops at once if it is canceled during a pause', async () => {
  const cancel = new AbortController();
  const { steps, asked } = record(() => fail('OFFLINE'));
  const wait = () => {
    cancel.abort();
    return Promise.reject(new DOMException('canceled', 'AbortError'));
  };
  await expect(createWalk({ ...steps, wait }).run(cancel.signal)).rejects.toThrow('canceled');
  expect(asked).toHaveLength(1);
});

test('an export returns every row that existed at its start exactly once, even if requests fail and rows arrive', async () => {
  const happening = fc.constantFrom(
    'ok',
    'arrival',
    'OFFLINE',
    'UPSTREAM_TIMEOUT',
    'CURSOR_EXPIRED',
  );
  const cases = fc.record({
    count: fc.nat(60),
    size: fc.integer({ min: 1, max: 20 }),
    happenings: fc.array(happening, { maxLength: 12 }),
  });
  await holds(cases, async ({ count, size, happenings }) => {
    const existing = rowsOf(count);
    let rows = existing;
    const left = [...happenings];
    const { steps } = record((after) => {
      const next = left.shift() ?? 'ok';
      if (next === 'arrival') rows = [arrivalBefore(rows), ...rows];
      else if (next !== 'ok') fail(next);
      return sliceAfter(rows, after, size);
    });
    const walk = createWalk(steps);
    const ids = idsOf(await runToEnd(() => walk.run(open)));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id.startsWith('r'))).toEqual(existing.map(({ id }) => id));
  });
});

function arrivalBefore(rows: readonly LineFragment[]): LineFragment {
  const newestMs = Date.parse(rows[0]?.createdAt ?? '2026-06-30T12:00:00.000Z');
  return lineOf({ id: `a${rows.length}`, createdAt: new Date(newestMs + 1).toISOString() });
}

/** Runs the walk again after each failure, as a user would. Returns the first result. */
async function runToEnd<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof SliceError)) throw error;
    }
  }
}
