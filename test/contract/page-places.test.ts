// Slices whose place in the statement cannot be found by createdAt alone, because many transactions share one createdAt
// or the rows are not in the order of createdAt. Also the error for a place that cannot be found at all.
import { describe, expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { askSlice, type AskedSlice, idsOf, openAccount } from '../support/slices.ts';

const gateway = await gatewayOfFile();

/** The shape of a statement: groups of rows with the same createdAt, of these sizes, and then single rows. */
const groups = (...sizes: number[]) => ({ tieSizes: [...sizes, ...Array<number>(200).fill(1)] });

/** Adds rows at the head with the createdAt of the newest row. */
function arriveTied(account: string, count: number): void {
  const [newest] = gateway.bank.statement(account);
  gateway.bank.arrive(account, count, { createdAt: newest?.createdAt ?? '' });
}

const next = (account: string, first: number, slice: AskedSlice) =>
  askSlice(gateway, account, { first, after: slice.cursor(-1) });

describe('rows that share one createdAt', () => {
  test('are returned as new if they arrive after the first slice', async () => {
    const account = openAccount(gateway.bank, 60, groups(3));
    const first = await askSlice(gateway, account, { first: 20 });
    arriveTied(account, 2);
    const news = await askSlice(gateway, account, { last: 20, before: first.cursor(0) });
    expect(news.ids).toEqual(idsOf(gateway.bank, account).slice(0, 2));
    expect(news.connection.pageInfo).toMatchObject({ hasPreviousPage: false, hasNextPage: true });
    const after = await next(account, 20, news);
    expect(after.ids).toEqual(first.ids);
    expect(after.connection.pageInfo.hasPreviousPage).toBe(true);
  });

  test('are returned by a slice before the cursor of one of them', async () => {
    const account = openAccount(gateway.bank, 90, groups(60));
    const ids = idsOf(gateway.bank, account);
    const slice = await askSlice(gateway, account, { first: 100 });
    const back = await askSlice(gateway, account, { last: 50, before: slice.cursor(55) });
    expect(back.ids).toEqual(ids.slice(5, 55));
  });
});

describe('rows whose createdAt contradicts their order', () => {
  test('are returned in the service’s order, even at the edge of a page', async () => {
    const at = (row: number) => new Date(Date.UTC(2026, 5, 1) - 60_000 * row).toISOString();
    const rows = Array.from({ length: 40 }, (_, row) => ({
      createdAt: at(row === 19 ? 20 : row === 20 ? 19 : row),
    }));
    const account = openAccount(gateway.bank, rows);
    const first = await askSlice(gateway, account, { first: 20 });
    const second = await next(account, 20, first);
    expect([...first.ids, ...second.ids]).toEqual(idsOf(gateway.bank, account));
  });
});

describe('an expired cursor', () => {
  test('causes CURSOR_EXPIRED with a reason, outside production', async () => {
    const account = openAccount(gateway.bank, 95, { tieSizes: [95] });
    const slice = await askSlice(gateway, account, { first: 50 });
    gateway.bank.remove(account, { index: 15, count: 60 });
    const { answer } = await next(account, 20, slice);
    expect(errorsOf(answer)).toEqual(['CURSOR_EXPIRED at transactions']);
    expect(answer.errors?.[0]?.extensions).toEqual({ code: 'CURSOR_EXPIRED', reason: 'ties' });
  });
});
