// Walks over services that number pages or answer beyond the last page in different ways, or answer wrongly.
import { describe, expect, it } from 'vitest';
import { Statements, type Slice } from '../../../src/statement/statement.ts';
import type { UpstreamCall } from '../../../src/upstream/exchange/call.ts';
import type { StatementPage } from '../../../src/upstream/shape/shapes.ts';
import {
  accountId,
  idsOf,
  readerOf,
  sourceOf,
  StatementModel,
  walk,
} from '../../support/statement-model.ts';

const ends = ['empty', 'clamp', 'refuse'] as const;
const reports = ['index', 'number', 'asked'] as const;

const services = ([0, 1] as const).flatMap((base) =>
  reports.flatMap((reported) => ends.map((beyond) => ({ base, reports: reported, beyond }))),
);

describe('a service with any numbering and any answer beyond its end', () => {
  it.each(services)('allows complete walks in both directions: %j', async (behaviour) => {
    for (const length of [0, 1, 19, 20, 21, 95]) {
      for (const count of [7, 20, 100]) {
        const model = new StatementModel(length, behaviour);
        expect(await walk(readerOf(model), count)).toEqual(model.ids);
        expect(await walk(readerOf(model), count, { backward: true })).toEqual(model.ids);
      }
    }
  });

  it.each(services)('allows walks while its statement shrinks: %j', async (behaviour) => {
    for (const [from, count] of [
      [30, 65],
      [0, 94],
      [10, 60],
    ] as const) {
      const model = new StatementModel(95, behaviour);
      const read = readerOf(model);
      const { pageInfo } = await read({ first: 60 });
      const expected = model.ids.slice(60);
      model.remove(from, count);
      const next = await read({ first: 100, after: pageInfo.endCursor });
      expect(idsOf(next)).toEqual(expected.filter((id) => model.ids.includes(id)));
      expect(next.pageInfo.hasNextPage).toBe(false);
    }
  });

  it.each(ends)(
    'allows a complete slice while its statement shrinks, if its answer beyond the end is of the kind "%s"',
    async (beyond) => {
      const model = new StatementModel(95, { beyond });
      model.onRead = (nth) => {
        if (nth === 1) model.remove(30, 50);
      };
      const slice = await readerOf(model)({ first: 100 });
      expect(idsOf(slice)).toEqual(model.ids);
      expect(slice.totalCount).toBe(45);
    },
  );
});

/** Two rows arrive between the query of one page and the query that counts all rows. */
class CountingApart extends StatementModel {
  counted: 'before' | 'after' | undefined;
  /** The number of reads before the page. */
  after = 0;

  override async read(...args: Parameters<StatementModel['read']>): Promise<StatementPage> {
    const { counted } = this;
    const isNow = counted !== undefined && this.after-- === 0;
    if (isNow && counted === 'before') this.arrive(2);
    const page = await super.read(...args);
    if (!isNow) return page;
    if (counted === 'after') this.arrive(2);
    return { ...page, totalItems: page.totalItems + (counted === 'after' ? 2 : -2) };
  }
}

describe('a service that counts in a query of its own', () => {
  const slices = [
    ['first: 20', { first: 20 }],
    ['first: 100', { first: 100 }],
    ['last: 20', { last: 20 }],
    ['last: 30', { last: 30 }],
    ['last: 100', { last: 100 }],
  ] as const;

  it.each(slices)(
    'loses no row while rows arrive between the queries, with %s',
    async (_, args) => {
      for (const counted of ['before', 'after'] as const) {
        for (let index = 100; index < 140; index++) {
          for (let after = 0; after < 8; after++) {
            const model = new CountingApart(250);
            const { ids } = model;
            const backward = 'last' in args;
            const cursor = await cursorAt(model, index);
            [model.counted, model.after] = [counted, after];
            const read = readerOf(model);
            const slice = await read({ ...args, [backward ? 'before' : 'after']: cursor });
            const count = backward ? args.last : args.first;
            const expected = backward
              ? ids.slice(index - count, index)
              : ids.slice(index + 1, index + 1 + count);
            expect(idsOf(slice), `${counted} ${index} ${after}`).toEqual(expected);
          }
        }
      }
    },
  );

  it('loses no row at the end if a full last page was counted earlier', async () => {
    const model = new CountingApart(60);
    const read = readerOf(model);
    const { pageInfo } = await read({ first: 41 });
    const expected = model.ids.slice(41);
    model.counted = 'before';
    expect(idsOf(await read({ first: 20, after: pageInfo.endCursor }))).toEqual(expected);
  });
});

/** The cursor of the row at an index, from a slice of 20. */
async function cursorAt(model: StatementModel, index: number): Promise<string> {
  const read = readerOf(model);
  let slice = await read({ first: 100 });
  for (let left = index - 100; left >= 0; left -= 20)
    slice = await read({ first: 20, after: slice.pageInfo.endCursor });
  const cursor = slice.edges[(index - 100) % 20]?.cursor;
  if (cursor === undefined) throw new Error(`no row at ${index}`);
  return cursor;
}

describe('a wrong UPSTREAM_PAGE_BASE', () => {
  const wrong = services.map((behaviour) => ({
    setting: behaviour.base === 0 ? (1 as const) : (0 as const),
    behaviour,
  }));

  it.each(wrong)(
    'causes an error that names the setting instead of repeated rows: %j',
    async ({ setting, behaviour }) => {
      for (const length of [21, 95]) {
        for (const backward of [false, true]) {
          const read = readerOf(new StatementModel(length, behaviour), setting);
          await expect(walk(read, 20, { backward })).rejects.toMatchObject({
            code: 'UPSTREAM_CONTRACT_VIOLATION',
            message: expect.stringContaining('UPSTREAM_PAGE_BASE') as string,
          });
        }
      }
    },
  );

  it.each(wrong)(
    'causes an error that names the setting, or has no effect, in a statement of one page: %j',
    async ({ setting, behaviour }) => {
      const model = new StatementModel(15, behaviour);
      const outcome = await readerOf(
        model,
        setting,
      )({ first: 20 }).catch((error: unknown) => error);
      if (outcome instanceof Error) {
        expect(outcome).toMatchObject({
          code: 'UPSTREAM_CONTRACT_VIOLATION',
          message: expect.stringContaining('UPSTREAM_PAGE_BASE') as string,
        });
      } else {
        expect(idsOf(outcome as Slice)).toEqual(model.ids);
      }
    },
  );
});

/** A slice of a model whose answers are changed by `change`. */
function sliceThrough(
  model: StatementModel,
  change: (page: number, ask: (page: number) => Promise<StatementPage>) => Promise<StatementPage>,
): Promise<Slice> {
  const upstream = {
    read: (call: UpstreamCall, route: string, { page }: { page?: unknown }) =>
      change(Number(page), (asked) => model.read(call, route, { page: asked })),
  };
  return new Statements(sourceOf(upstream)).slice(accountId, { first: 100 }, false);
}

describe('a service', () => {
  it('that answers with a page other than the requested one violates its contract', async () => {
    const slice = sliceThrough(new StatementModel(95), (page, ask) => ask(page === 2 ? 3 : page));
    await expect(slice).rejects.toMatchObject({
      code: 'UPSTREAM_CONTRACT_VIOLATION',
      message: expect.stringContaining('page 2 was requested and page 3 was returned') as string,
    });
  });

  it('that answers with the same page for every number violates its contract, even if currentPage is the requested number', async () => {
    const slice = sliceThrough(new StatementModel(100), async (page, ask) => ({
      ...(await ask(0)),
      currentPage: page,
    }));
    await expect(slice).rejects.toMatchObject({
      code: 'UPSTREAM_CONTRACT_VIOLATION',
      message: expect.stringContaining('two page numbers return the same page') as string,
    });
  });

  it('that hides some rows of each page is read completely, as far as it shows its rows', async () => {
    const model = new StatementModel(95);
    const slice = await sliceThrough(model, async (page, ask) => {
      const answer = await ask(page);
      return { ...answer, rows: answer.rows.slice(1) };
    });
    expect(idsOf(slice)).toEqual(model.ids.filter((_, index) => index % 20 > 0));
    expect(slice.totalCount).toBe(95);
  });

  it('that answers with another page size from page 1 on is read correctly', async () => {
    const model = new StatementModel(95);
    const slice = await sliceThrough(model, (page, ask) => {
      model.size = page === 0 ? 20 : 10;
      return ask(page);
    });
    expect(idsOf(slice)).toEqual(model.ids);
  });
});
