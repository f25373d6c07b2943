// The cost of slices: which pages are read, which of them concurrently, and how many calls a slice makes after a
// change.
import { describe, expect, it } from 'vitest';
import type { SliceArguments } from '../../../src/statement/statement.ts';
import { readerOf, StatementModel, walk, rowId } from '../../support/statement-model.ts';

/** The cursors of a statement's rows, as a walk in one direction with `count` rows per slice gets them. */
async function cursorsOf(model: StatementModel, count = 20, backward = false): Promise<string[]> {
  const cursors: string[] = [];
  const read = readerOf(model);
  await walk(
    async (args) => {
      const slice = await read(args);
      const found = slice.edges.map(({ cursor }) => cursor);
      cursors.splice(backward ? 0 : cursors.length, 0, ...found);
      return slice;
    },
    count,
    { backward },
  );
  return cursors;
}

async function roundsOf(model: StatementModel, args: SliceArguments): Promise<number[][]> {
  await readerOf(model)(args);
  return model.rounds;
}

describe('in an unchanged statement of 95 rows in pages of 20', () => {
  it.each<[string, SliceArguments, number[][]]>([
    ['first: 20', { first: 20 }, [[0]]],
    ['no arguments, which means first: 20', {}, [[0]]],
    ['first: 0', { first: 0 }, [[0]]],
    ['first: 21', { first: 21 }, [[0], [1]]],
    ['first: 100, with four concurrent reads', { first: 100 }, [[0], [1, 2, 3, 4]]],
    ['last: 0', { last: 0 }, [[0]]],
    ['last: 15, which are exactly the last page', { last: 15 }, [[0], [4]]],
    ['last: 20', { last: 20 }, [[0], [3, 4]]],
    ['last: 100', { last: 100 }, [[0], [1, 2, 3, 4]]],
  ])('only the needed pages are read for %s', async (_what, args, rounds) => {
    expect(await roundsOf(new StatementModel(95), args)).toEqual(rounds);
  });

  it.each<[string, number, SliceArguments, number[][]]>([
    ['the next 20, which are exactly a page', 19, { first: 20 }, [[1]]],
    ['the next 100', 19, { first: 100 }, [[1], [2, 3, 4]]],
    ['the next 20 on two pages', 30, { first: 20 }, [[1], [2]]],
    ['one row after the first of a page', 20, { first: 1 }, [[1]]],
    ['no rows after the end', 94, { first: 20 }, [[4]]],
    ['the previous 20, which are exactly a page', 40, { last: 20 }, [[1]]],
    ['the previous 20 on two pages', 45, { last: 20 }, [[1], [2]]],
    ['no rows before the start', 0, { last: 20 }, [[0]]],
    ['first: 0', 30, { first: 0 }, [[1]]],
  ])(
    'only the needed pages are read for %s, from the cursor at index %i',
    async (_what, index, { first, last }, rounds) => {
      const model = new StatementModel(95);
      const cursor = (await cursorsOf(model))[index];
      const args = first === undefined ? { last, before: cursor } : { first, after: cursor };
      expect(await roundsOf(model, args)).toEqual(rounds);
    },
  );

  it.each<[string, SliceArguments]>([
    ['without arguments', {}],
    ['with last: 20', { last: 20 }],
    ['with first: 100', { first: 100 }],
  ])('totalCount alone costs one call if it is requested %s', async (_what, args) => {
    const model = new StatementModel(95);
    await readerOf(model)(args, true);
    expect(model.rounds).toEqual([[0]]);
  });

  it('totalCount alone costs one call at any cursor', async () => {
    const model = new StatementModel(95);
    for (const cursor of await cursorsOf(model)) {
      await readerOf(model)({ last: 100, before: cursor }, true);
      expect(model.asked).toHaveLength(1);
    }
  });
});

it.each([1, 20, 45, 200])(
  'first: 0 and last: 0 cost one call at any cursor after %i arrivals, and state whether rows follow',
  async (arrivals) => {
    const model = new StatementModel(95);
    const cursors = await cursorsOf(model);
    model.arrive(arrivals);
    for (const [index, cursor] of cursors.entries()) {
      const next = await readerOf(model)({ first: 0, after: cursor });
      expect(model.asked).toHaveLength(1);
      expect(next.pageInfo).toMatchObject({ hasNextPage: index < 94, hasPreviousPage: true });
      const previous = await readerOf(model)({ last: 0, before: cursor });
      expect(model.asked).toHaveLength(1);
      expect(previous.pageInfo.hasPreviousPage).toBe(true);
    }
  },
);

it.each([1, 20])(
  'first: 0 costs one call at any cursor after %i removals, unless they may have changed whether rows follow',
  async (removals) => {
    const model = new StatementModel(95);
    const cursors = await cursorsOf(model);
    for (let left = removals; left > 0; left--) model.remove(10);
    for (const [index, cursor] of cursors.entries()) {
      if (index >= 10 && index < 10 + removals) continue;
      const { pageInfo } = await readerOf(model)({ first: 0, after: cursor });
      expect(pageInfo).toMatchObject({ hasNextPage: index < 94, hasPreviousPage: true });
      const isDoubtful = index < removals || (index >= 94 - removals && index < 94);
      if (!isDoubtful) expect(model.asked).toHaveLength(1);
    }
  },
);

describe('in an unchanged statement', () => {
  it.each([
    ['forward', { backward: false }],
    ['backward', { backward: true }],
  ])(
    'a slice of 20 costs at most two calls at any cursor of a %s walk',
    async (_way, { backward }) => {
      const model = new StatementModel(95);
      for (const cursor of await cursorsOf(model, 20, backward)) {
        const args = backward ? { last: 20, before: cursor } : { first: 20, after: cursor };
        expect((await roundsOf(model, args)).flat().length).toBeLessThanOrEqual(2);
      }
    },
  );

  it('5,000 rows cost 250 calls: 50 slices of 100 with five calls each', async () => {
    const model = new StatementModel(5000);
    const read = readerOf(model);
    const costs: number[] = [];
    const ids = await walk(async (args) => {
      const slice = await read(args);
      costs.push(model.asked.length);
      return slice;
    }, 100);
    expect(ids).toEqual(model.ids);
    expect(costs).toEqual(Array.from({ length: 50 }, () => 5));
  });

  it('larger pages cost fewer calls, and smaller pages cost more', async () => {
    expect(await roundsOf(new StatementModel(95, { size: 100 }), { first: 100 })).toEqual([[0]]);
    const rounds = await roundsOf(new StatementModel(30, { size: 7 }), { first: 20 });
    expect(rounds).toEqual([[0], [1, 2]]);
  });
});

/**
 * The number of calls that a slice makes in addition to one call for each page with its rows, or to one call if it is
 * empty.
 */
async function callsBeyondNeed(model: StatementModel, args: SliceArguments): Promise<number> {
  const { edges } = await readerOf(model)(args);
  const pages = edges.map((edge) => Math.floor(model.ids.indexOf(rowId(edge)) / model.size));
  return model.asked.length - Math.max(new Set(pages).size, 1);
}

describe('after a change', () => {
  const length = 120;

  /**
   * The highest number of additional calls of a slice of 20, in either direction, from any cursor issued before the
   * change.
   */
  async function worstOf(change: (model: StatementModel, index: number) => void): Promise<number> {
    const cursors = await cursorsOf(new StatementModel(length));
    let worst = 0;
    for (const [index, cursor] of cursors.entries()) {
      for (const args of [
        { first: 20, after: cursor },
        { last: 20, before: cursor },
      ]) {
        const model = new StatementModel(length);
        change(model, index);
        worst = Math.max(worst, await callsBeyondNeed(model, args));
      }
    }
    return worst;
  }

  it.each([1, 7, 19, 20, 21, 55, 400])(
    'a slice at any cursor costs at most two calls in addition to its pages after %i arrivals',
    async (arrivals) => {
      const worst = await worstOf((model) => {
        model.arrive(arrivals);
      });
      expect(worst).toBeLessThanOrEqual(2);
    },
  );

  it.each<[string, (model: StatementModel, index: number) => void]>([
    ['the row of the cursor was removed', (model, index) => model.remove(index)],
    [
      'the row and its neighbours were removed',
      (model, index) => model.remove(Math.max(index - 1, 0), 3),
    ],
    [
      '50 rows around the cursor were removed',
      (model, index) => model.remove(Math.max(index - 25, 0), 50),
    ],
    ['the 40 oldest rows were removed', (model) => model.remove(80, 40)],
    [
      'the 30 oldest rows were removed and 30 arrived',
      (model) => {
        model.remove(90, 30);
        model.arrive(30);
      },
    ],
  ])(
    'a slice costs at most 2 + log2(pages) calls in addition to its pages if %s',
    async (_what, change) => {
      expect(await worstOf(change)).toBeLessThanOrEqual(2 + Math.ceil(Math.log2(length / 20)));
    },
  );

  it('new rows before the first slice cost one call if they fit on a page', async () => {
    const model = new StatementModel(95);
    const [start] = await cursorsOf(model);
    model.arrive(7);
    const news = await readerOf(model)({ last: 100, before: start });
    expect(news.edges.map(rowId)).toEqual(model.ids.slice(0, 7));
    expect(news.pageInfo).toMatchObject({ hasPreviousPage: false, hasNextPage: true });
    expect(model.rounds).toEqual([[0]]);
  });
});
