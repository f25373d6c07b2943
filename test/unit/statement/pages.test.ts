// Pages as they are loaded: each once a request, checked against what was asked, whatever the service does at its end.
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { createPages, type Pages } from '../../../src/statement/pages.ts';
import { statusFailure } from '../../../src/upstream/exchange/failure.ts';
import type { StatementPage } from '../../../src/upstream/shape/shapes.ts';
import { sourceOf, StatementModel } from '../../support/statement-model.ts';
import { rowsOf } from './parts.ts';

const scope = { accountId: 'x', from: '2026-06-01', to: null };

const pagesOf = (model: StatementModel, base: 0 | 1 = model.base): Pages =>
  createPages(sourceOf(model, base), scope);

/** A service that gives these answers one after the other. */
function scripted(...answers: (Partial<StatementPage> | Error)[]) {
  const asked: number[] = [];
  const statementPage = (_call: unknown, { page }: { page: number }): Promise<StatementPage> => {
    asked.push(page);
    const answer = answers.shift() ?? new Error('asked once more than expected');
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve({
      ...{ totalItems: 5, currentPage: page, itemsPerPage: 2, rows: rowsOf('c3 d2') },
      ...answer,
    });
  };
  return { asked, pages: createPages(sourceOf({ statementPage }), scope) };
}

describe('a page', () => {
  it('is asked for by account, dates and number', async () => {
    const asks: unknown[] = [];
    const statementPage = (_call: unknown, ask: unknown) => {
      asks.push(ask);
      return Promise.resolve({ totalItems: 0, currentPage: 0, itemsPerPage: 20, rows: [] });
    };
    await createPages(sourceOf({ statementPage }, 1), scope).read(0, false);
    expect(asks).toEqual([{ ...scope, page: 1 }]);
  });

  it('is read once, however often it is asked for', async () => {
    const model = new StatementModel(50);
    const pages = pagesOf(model);
    const [one, other] = await Promise.all([pages.read(1, false), pages.read(1, false)]);
    expect(await pages.read(1, false)).toBe(one);
    expect(other).toBe(one);
    expect(model.asked).toEqual([1]);
  });

  it('is read again where that is asked for, and known by its later answer from then on', async () => {
    const model = new StatementModel(50);
    const pages = pagesOf(model);
    const one = await pages.read(1, false);
    model.arrive();
    const again = await pages.read(1, true);
    expect(again).toMatchObject({ total: 51 });
    expect(again.order).toBeGreaterThan(one.order);
    expect(await pages.read(1, false)).toBe(again);
    expect(model.asked).toEqual([1, 1]);
  });

  it('that cannot be read fails for all that asked for it', async () => {
    const failure = new GatewayError('UPSTREAM_TIMEOUT');
    const { pages, asked } = scripted(failure);
    const both = [pages.read(1, false), pages.read(1, false)];
    expect(await Promise.allSettled(both)).toMatchObject([
      { reason: failure },
      { reason: failure },
    ]);
    expect(asked).toEqual([1]);
  });
});

describe('a page that has not as many rows as its totals say', () => {
  it('is read once more, as rows and totals may have been counted apart', async () => {
    const { pages, asked } = scripted({ rows: rowsOf('c3') }, {});
    expect((await pages.read(1, false)).rows).toHaveLength(2);
    expect(asked).toEqual([1, 1]);
  });

  it.each([
    ['fewer', rowsOf('c3')],
    ['more', rowsOf('c3 d2 e1')],
    ['none', []],
  ])('is a violation with %s for the second time', async (_what, rows) => {
    const { pages, asked } = scripted({ rows }, { rows });
    await expect(pages.read(1, false)).rejects.toMatchObject({
      code: 'UPSTREAM_CONTRACT_VIOLATION',
      message: expect.stringContaining('UPSTREAM_PAGE_BASE') as string,
    });
    expect(asked).toEqual([1, 1]);
  });

  it.each([
    ['the last one', 2, rowsOf('e1')],
    ['one beyond the end', 3, []],
  ])('is whole where it is %s', async (_what, page, rows) => {
    const { pages, asked } = scripted({ rows });
    expect((await pages.read(page, false)).rows).toEqual(rows);
    expect(asked).toEqual([page]);
  });
});

describe('a page beyond the end', () => {
  it.each(['empty', 'clamp'] as const)('has no rows where the answer is %s', async (beyond) => {
    const model = new StatementModel(45, { beyond });
    const sight = await pagesOf(model).read(7, false);
    expect(sight).toMatchObject({ page: 7, total: 45, rows: [] });
  });

  it('is the head where it is refused, which tells how long the statement is now', async () => {
    const model = new StatementModel(45, { beyond: 'refuse' });
    const pages = pagesOf(model);
    expect(await pages.read(7, false)).toMatchObject({ page: 0, total: 45 });
    expect(model.asked).toEqual([7, 0]);
  });

  it('is not taken for that page later', async () => {
    const model = new StatementModel(45, { beyond: 'refuse' });
    const pages = pagesOf(model);
    await pages.read(3, false);
    model.arrive(30);
    expect(await pages.read(3, false)).toMatchObject({ page: 3, total: 75 });
  });
});

describe('a refusal', () => {
  const refusal = statusFailure(404, undefined, 'NOT_FOUND', 0);
  const head = { currentPage: 0, rows: rowsOf('a5 b4') };

  it('of the head is what it says, there is no such account, unless another page is there', async () => {
    const missing = scripted(refusal, refusal);
    await expect(missing.pages.read(0, false)).rejects.toBe(refusal);
    expect(missing.asked).toEqual([0, 1]);
    const counting = scripted(refusal, { currentPage: 1 });
    await expect(counting.pages.read(0, false)).rejects.toMatchObject({
      code: 'UPSTREAM_CONTRACT_VIOLATION',
      message: expect.stringContaining('UPSTREAM_PAGE_BASE') as string,
    });
  });

  it('of the head is believed at once where UPSTREAM_PAGE_BASE has proved right', async () => {
    const { pages, asked } = scripted({}, refusal);
    await pages.read(1, false);
    await expect(pages.read(0, false)).rejects.toBe(refusal);
    expect(asked).toEqual([1, 0]);
  });

  it('of a page and of the head is that of the head', async () => {
    const { pages } = scripted(statusFailure(400, undefined, 'NOT_FOUND', 0), refusal, refusal);
    await expect(pages.read(1, false)).rejects.toBe(refusal);
  });

  it('of a page that the head has is heard once more, as it may have come just now', async () => {
    const growing = scripted(refusal, head, {});
    expect(await growing.pages.read(1, false)).toMatchObject({ page: 1 });
    const refusing = scripted(refusal, head, refusal);
    await expect(refusing.pages.read(1, false)).rejects.toBe(refusal);
    expect(refusing.asked).toEqual([1, 0, 1]);
  });

  it.each(['UPSTREAM_UNAVAILABLE', 'FORBIDDEN', 'RATE_LIMITED'] as const)(
    'is no other failure, such as %s',
    async (code) => {
      const failure = new GatewayError(code);
      const { pages, asked } = scripted(failure);
      await expect(pages.read(1, false)).rejects.toBe(failure);
      expect(asked).toEqual([1]);
    },
  );
});

describe('a page other than the one asked for', () => {
  it.each([0, 2])('is a violation: page %i for 1', async (currentPage) => {
    const { pages } = scripted({ currentPage });
    await expect(pages.read(1, false)).rejects.toMatchObject({
      code: 'UPSTREAM_CONTRACT_VIOLATION',
      message: expect.stringMatching(/page 1 was asked for and page \d came/) as string,
    });
  });
});

describe('a service that counts from 1', () => {
  it('and reports by index is read as it is', async () => {
    const model = new StatementModel(95, { base: 1 });
    expect(await pagesOf(model).read(2, false)).toMatchObject({ page: 2, newest: 54 });
    expect(model.asked).toEqual([3]);
  });

  it('and reports its own numbers is believed once its last page was found, by all requests', async () => {
    const model = new StatementModel(95, { base: 1, reports: 'number' });
    const source = sourceOf(model);
    expect(await createPages(source, scope).read(0, false)).toMatchObject({ page: 0, newest: 94 });
    expect(model.asked).toEqual([1, 5]);
    await createPages(source, scope).read(0, false);
    expect(model.asked).toEqual([1, 5, 1]);
  });

  it('is believed at once where its last page is the one that was read', async () => {
    const model = new StatementModel(15, { base: 1, reports: 'number' });
    expect(await pagesOf(model).read(0, false)).toMatchObject({ page: 0, total: 15 });
    expect(model.asked).toEqual([1]);
  });

  it('is neither believed nor refused while there is nothing to see', async () => {
    const model = new StatementModel(0, { base: 1, reports: 'number' });
    const source = sourceOf(model);
    expect(await createPages(source, scope).read(0, false)).toMatchObject({ total: 0, rows: [] });
    expect(source.numbering.check(0, 1)).toBe('confirm');
  });

  it.each(['empty', 'clamp', 'refuse'] as const)(
    'is told from one that counts from 0 and echoes, by its end (%s)',
    async (beyond) => {
      const model = new StatementModel(95, { beyond });
      await expect(pagesOf(model, 1).read(0, false)).rejects.toMatchObject({
        code: 'UPSTREAM_CONTRACT_VIOLATION',
        message: expect.stringContaining('set UPSTREAM_PAGE_BASE to 0') as string,
      });
    },
  );

  it('fails as its last page does where that cannot be read', async () => {
    const failure = new GatewayError('UPSTREAM_TIMEOUT');
    const answers = [{ totalItems: 5, currentPage: 1, itemsPerPage: 2, rows: [] }, failure];
    const statementPage = () => {
      const answer = answers.shift();
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as never);
    };
    const pages = createPages(sourceOf({ statementPage }, 1), scope);
    await expect(pages.read(0, false)).rejects.toBe(failure);
  });
});
