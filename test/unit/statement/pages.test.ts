// Pages of a statement: when a page is read or read again, how it is checked, and what is read beyond the last page.
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { ParallelReads } from '../../../src/statement/parallel-reads.ts';
import { Pages } from '../../../src/statement/pages.ts';
import type { PageView } from '../../../src/statement/page-view.ts';
import { UpstreamStatusError } from '../../../src/upstream/exchange/failure.ts';
import type { StatementPage } from '../../../src/upstream/shape/shapes.ts';
import { sourceOf, StatementModel } from '../../support/statement-model.ts';
import { rowsOf } from './parts.ts';

const scope = { accountId: 'x', from: '2026-06-01', to: null };

const pagesOf = (model: StatementModel, base: 0 | 1 = model.base): Pages =>
  new Pages(sourceOf(model, base), scope, new ParallelReads(8));

/** Reads one page; with `again`, even if the page was read before. */
async function readOf(pages: Pages, page: number, again = false): Promise<PageView> {
  const view = await pages.read([page], again ? [page] : [], 'first')[0];
  if (view === undefined) throw new Error('no page was read');
  return view;
}

/** Pages over a service that returns these answers in order. `asked` records the requested page numbers. */
function scripted(...answers: (Partial<StatementPage> | Error)[]) {
  const asked: number[] = [];
  const read = (_call: unknown, _route: string, { page }: { page?: unknown }) => {
    asked.push(Number(page));
    const answer = answers.shift() ?? new Error('asked once more than expected');
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve<StatementPage>({
      ...{ totalItems: 5, currentPage: Number(page), itemsPerPage: 2, rows: rowsOf('c3 d2') },
      ...answer,
    });
  };
  return { asked, pages: new Pages(sourceOf({ read }), scope, new ParallelReads(8)) };
}

describe('a page', () => {
  it('is requested by account, dates and number', async () => {
    const asks: unknown[] = [];
    const read = (_call: unknown, _route: string, ask: unknown) => {
      asks.push(ask);
      return Promise.resolve({ totalItems: 0, currentPage: 0, itemsPerPage: 20, rows: [] });
    };
    await readOf(new Pages(sourceOf({ read }, 1), scope, new ParallelReads(8)), 0);
    expect(asks).toEqual([{ accountId: 'x', startDate: '2026-06-01', endDate: null, page: 1 }]);
  });

  it('is read once, even if it is requested several times', async () => {
    const model = new StatementModel(50);
    const pages = pagesOf(model);
    const [one, other] = await Promise.all([readOf(pages, 1), readOf(pages, 1)]);
    expect(await readOf(pages, 1)).toBe(one);
    expect(other).toBe(one);
    expect(model.asked).toEqual([1]);
  });

  it('is read again on demand, and the later answer is used from then on', async () => {
    const model = new StatementModel(50);
    const pages = pagesOf(model);
    const one = await readOf(pages, 1);
    model.arrive();
    const again = await readOf(pages, 1, true);
    expect(again).toMatchObject({ total: 51 });
    expect(again.order).toBeGreaterThan(one.order);
    expect(await readOf(pages, 1)).toBe(again);
    expect(model.asked).toEqual([1, 1]);
  });

  it('that cannot be read fails for every reader', async () => {
    const failure = new GatewayError('UPSTREAM_TIMEOUT');
    const { pages, asked } = scripted(failure);
    const both = [readOf(pages, 1), readOf(pages, 1)];
    expect(await Promise.allSettled(both)).toMatchObject([
      { reason: failure },
      { reason: failure },
    ]);
    expect(asked).toEqual([1]);
  });
});

describe('a page whose number of rows is not itemsPerPage', () => {
  it.each([
    ['fewer rows', 1, rowsOf('c3')],
    ['no rows', 1, []],
    ['the rows that are left, as the last page', 2, rowsOf('e1')],
    ['no rows, as a page beyond the end', 3, []],
  ])('is accepted with %s, because services hide rows', async (_what, page, rows) => {
    const { pages, asked } = scripted({ rows });
    expect(await readOf(pages, page)).toMatchObject({ rows, size: 2 });
    expect(asked).toEqual([page]);
  });

  it('is read again if it has more rows than its total counts, because they may be from different moments', async () => {
    const { pages, asked } = scripted({ totalItems: 3 }, { totalItems: 3 }, { totalItems: 4 });
    expect(await readOf(pages, 1)).toMatchObject({ total: 4 });
    expect(asked).toEqual([1, 1, 1]);
  });

  it.each([
    ['no rows, as the first page', 0, { rows: [] }],
    ['more rows than its total counts', 1, { totalItems: 3 }],
  ])('is a violation if it has %s, three times', async (_what, page, answer) => {
    const { pages, asked } = scripted(...Array.from({ length: 5 }, () => answer));
    await expect(readOf(pages, page)).rejects.toMatchObject({
      code: 'UPSTREAM_CONTRACT_VIOLATION',
      message: expect.stringMatching(/differs from its pagination/) as string,
    });
    expect(asked.slice(0, 3)).toEqual([page, page, page]);
  });

  it('is unsettled if its rows do not fit its total, which changes', async () => {
    const { pages } = scripted(...[4, 5, 5].map((totalItems) => ({ totalItems, rows: [] })));
    await expect(readOf(pages, 0)).rejects.toMatchObject({ code: 'STATEMENT_UNSETTLED' });
  });

  it('has the size that totalPages shows if itemsPerPage is the number of its rows', async () => {
    const answer = { itemsPerPage: 1, totalPages: 3, rows: rowsOf('e1') };
    const { pages } = scripted(answer);
    expect(await readOf(pages, 2)).toMatchObject({ size: 2, newest: 0 });
  });

  it('is a violation if itemsPerPage is not usable, unless the statement is empty', async () => {
    const { pages } = scripted({ itemsPerPage: null });
    await expect(readOf(pages, 0)).rejects.toThrow('itemsPerPage is not a whole number');
    const empty = scripted({ totalItems: 0, itemsPerPage: null, rows: [] });
    expect(await readOf(empty.pages, 0)).toMatchObject({ total: 0, rows: [] });
  });
});

describe('a page beyond the end', () => {
  it.each(['empty', 'clamp'] as const)(
    'has no rows, whether the service answers with no rows or the last page: %s',
    async (beyond) => {
      const model = new StatementModel(45, { beyond });
      const sight = await readOf(pagesOf(model), 7);
      expect(sight).toMatchObject({ page: 7, total: 45, rows: [] });
    },
  );

  it('is replaced by the head if the service rejects it, because the head has the current total', async () => {
    const model = new StatementModel(45, { beyond: 'refuse' });
    const pages = pagesOf(model);
    expect(await readOf(pages, 7)).toMatchObject({ page: 0, total: 45 });
    expect(model.asked).toEqual([7, 0]);
  });

  it('is read again once the statement is long enough', async () => {
    const model = new StatementModel(45, { beyond: 'refuse' });
    const pages = pagesOf(model);
    await readOf(pages, 3);
    model.arrive(30);
    expect(await readOf(pages, 3)).toMatchObject({ page: 3, total: 75 });
  });
});

describe('a rejection by the service', () => {
  const refusal = new UpstreamStatusError(404, undefined, 'NOT_FOUND', 0);
  const head = { currentPage: 0, rows: rowsOf('a5 b4') };

  it('of the head is passed on, unless the next page exists: then UPSTREAM_PAGE_BASE is wrong', async () => {
    const missing = scripted(refusal, refusal);
    await expect(readOf(missing.pages, 0)).rejects.toBe(refusal);
    expect(missing.asked).toEqual([0, 1]);
    const counting = scripted(refusal, { currentPage: 1 });
    await expect(readOf(counting.pages, 0)).rejects.toMatchObject({
      code: 'UPSTREAM_CONTRACT_VIOLATION',
      message: expect.stringContaining('UPSTREAM_PAGE_BASE') as string,
    });
  });

  it('of the head causes no further read if UPSTREAM_PAGE_BASE is confirmed', async () => {
    const { pages, asked } = scripted({}, refusal);
    await readOf(pages, 1);
    await expect(readOf(pages, 0)).rejects.toBe(refusal);
    expect(asked).toEqual([1, 0]);
  });

  it('of both a page and the head is reported as the rejection of the head', async () => {
    const { pages } = scripted(
      new UpstreamStatusError(400, undefined, 'NOT_FOUND', 0),
      refusal,
      refusal,
    );
    await expect(readOf(pages, 1)).rejects.toBe(refusal);
  });

  it('of a page within the total of the head is checked by a second read, because the page may be new', async () => {
    const growing = scripted(refusal, head, {});
    expect(await readOf(growing.pages, 1)).toMatchObject({ page: 1 });
    const refusing = scripted(refusal, head, refusal);
    await expect(readOf(refusing.pages, 1)).rejects.toBe(refusal);
    expect(refusing.asked).toEqual([1, 0, 1]);
  });

  it.each([302, 405, 409])(
    'with status %i is not about the page: nothing else is read',
    async (status) => {
      const failure = new UpstreamStatusError(status, undefined, 'NOT_FOUND', 0);
      const { pages, asked } = scripted(failure);
      await expect(readOf(pages, 1)).rejects.toBe(failure);
      expect(asked).toEqual([1]);
    },
  );

  it.each(['UPSTREAM_UNAVAILABLE', 'FORBIDDEN', 'RATE_LIMITED'] as const)(
    'is not assumed for other failures, such as %s',
    async (code) => {
      const failure = new GatewayError(code);
      const { pages, asked } = scripted(failure);
      await expect(readOf(pages, 1)).rejects.toBe(failure);
      expect(asked).toEqual([1]);
    },
  );
});

describe('a page other than the requested one', () => {
  it.each([0, 2])('is a violation: page %i instead of page 2', async (currentPage) => {
    const { pages } = scripted({}, { currentPage: currentPage + 1 });
    await readOf(pages, 1);
    await expect(readOf(pages, 2)).rejects.toMatchObject({
      code: 'UPSTREAM_CONTRACT_VIOLATION',
      message: expect.stringMatching(/page 2 was requested and page \d was returned/) as string,
    });
  });

  it('is a violation that does not name UPSTREAM_PAGE_BASE if both of its values fail', async () => {
    const answers = Array.from({ length: 9 }, () => ({ currentPage: 0 }));
    for (const base of [0, 1] as const) {
      const { pages } = scripted(...answers);
      await expect(readOf(pages, 1), `${base}`).rejects.toMatchObject({
        code: 'UPSTREAM_CONTRACT_VIOLATION',
        message: expect.not.stringContaining('UPSTREAM_PAGE_BASE') as string,
      });
    }
  });
});

describe('a service that counts from 1', () => {
  it.each(['number', 'index'] as const)(
    'is confirmed by its answer to page 0, once for all requests, if its currentPage is the %s',
    async (reports) => {
      const model = new StatementModel(95, { base: 1, reports });
      const source = sourceOf(model);
      expect(await readOf(new Pages(source, scope, new ParallelReads(8)), 2)).toMatchObject({
        page: 2,
        newest: 54,
      });
      expect(model.asked).toEqual([3, 0, 1]);
      await readOf(new Pages(source, scope, new ParallelReads(8)), 0);
      expect(model.asked).toEqual([3, 0, 1, 1]);
    },
  );

  it('needs no confirmation while its statement has a single page', async () => {
    const model = new StatementModel(15, { base: 1, reports: 'number' });
    expect(await readOf(pagesOf(model), 0)).toMatchObject({ page: 0, total: 15 });
    expect(model.asked).toEqual([1]);
  });

  it.each(['number', 'index'] as const)(
    'is neither recognised nor rejected while the statement is empty and currentPage is its %s',
    async (reports) => {
      const model = new StatementModel(0, { base: 1, reports });
      const source = sourceOf(model);
      expect(await readOf(new Pages(source, scope, new ParallelReads(8)), 0)).toMatchObject({
        total: 0,
        rows: [],
      });
      expect(source.numbering.check(0, 1)).toBe('confirm');
    },
  );

  it('may have a currentPage of 0 for an empty statement', async () => {
    const [empty, other] = [
      new StatementModel(0, { base: 1 }),
      new StatementModel(95, { base: 1, reports: 'number' }),
    ];
    const { numbering } = sourceOf(other);
    for (const [model, total] of [
      [other, 95],
      [empty, 0],
      [other, 95],
    ] as const) {
      const pages = new Pages({ ...sourceOf(model), numbering }, scope, new ParallelReads(8));
      expect(await readOf(pages, 0)).toMatchObject({ total });
    }
  });

  it.each(['empty', 'clamp', 'refuse'] as const)(
    'is distinguished by its page 0 (beyond the end: %s) from a service that counts from 0 and echoes numbers',
    async (beyond) => {
      const model = new StatementModel(95, { beyond });
      await expect(readOf(pagesOf(model, 1), 0)).rejects.toMatchObject({
        code: 'UPSTREAM_CONTRACT_VIOLATION',
        message: expect.stringContaining('the first page is number 0') as string,
      });
    },
  );

  it.each(['empty', 'clamp', 'refuse'] as const)(
    'is distinguished even if a row arrives or is removed meanwhile (beyond the end: %s)',
    async (beyond) => {
      for (const change of [
        (model: StatementModel) => model.arrive(1),
        (model: StatementModel) => model.remove(0),
      ]) {
        for (const base of [0, 1] as const) {
          const model = new StatementModel(45, { base, reports: 'number', beyond });
          model.onRead = (earlier) => {
            if (earlier === 1) change(model);
          };
          const reading = readOf(pagesOf(model, 1), 0);
          if (base === 1) await expect(reading).resolves.toMatchObject({ total: 45 });
          else await expect(reading).rejects.toThrow('the first page is number 0');
        }
      }
    },
  );

  it('causes an error if page 0 cannot be read', async () => {
    const failure = new GatewayError('UPSTREAM_TIMEOUT');
    const rows = rowsOf('a5 b4');
    const answers = [{ totalItems: 5, currentPage: 1, itemsPerPage: 2, rows }, failure];
    const read = () => {
      const answer = answers.shift();
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as never);
    };
    const pages = new Pages(sourceOf({ read }, 1), scope, new ParallelReads(8));
    await expect(readOf(pages, 0)).rejects.toBe(failure);
  });
});
