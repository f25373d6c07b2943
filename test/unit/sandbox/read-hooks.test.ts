// What a read of a statement does to it.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startBank, type Bank } from '../../../src/sandbox/bank.ts';
import { askIds, askPage, idsOf, newAccount } from './ask-bank.ts';

let bank: Bank;
let id: string;
beforeAll(async () => (bank = await startBank()));
afterAll(() => bank.close());
beforeEach(() => {
  bank.clearReadHooks();
  id = newAccount(bank, 30);
});

const total = async () => (await askPage(bank, id)).pagination['totalItems'];

it('shows arrivals in the answer that they come before', async () => {
  bank.onStatementRead({ accountId: id, arrivals: 2 });
  expect([await total(), await total()]).toEqual([32, 34]);
});

it('shows arrivals that come after an answer only in the next', async () => {
  bank.onStatementRead({ accountId: id, arrivals: 2, timing: 'after' });
  expect([await total(), await total()]).toEqual([30, 32]);
});

it('balances arrivals with removals, so that the total stays', async () => {
  const before = idsOf(bank, id);
  bank.onStatementRead({ accountId: id, arrivals: 3, removals: 3 });
  expect(await total()).toBe(30);
  expect(idsOf(bank, id).filter((one) => before.includes(one))).toHaveLength(27);
});

it('removes from an index where one is given', async () => {
  const before = idsOf(bank, id);
  bank.onStatementRead({ accountId: id, removals: 2, removeAt: 1 });
  const [first = '', ...rest] = before;
  expect(await askIds(bank, id)).toEqual([first, ...rest.slice(2)].slice(0, 20));
});

it('posts late', async () => {
  const head = idsOf(bank, id)[0];
  bank.onStatementRead({ accountId: id, latePostings: 4 });
  expect(await total()).toBe(34);
  expect(idsOf(bank, id)[0]).toBe(head);
});

it('passes reads over, and then lasts for some', async () => {
  bank.onStatementRead({ accountId: id.toUpperCase(), arrivals: 1, skip: 1, times: 2 });
  const totals = [await total(), await total(), await total(), await total()];
  expect(totals).toEqual([30, 31, 32, 32]);
});

it('leaves other accounts alone, unless it is for all', async () => {
  const other = newAccount(bank, 5);
  bank.onStatementRead({ accountId: other, arrivals: 1 });
  expect(await total()).toBe(30);
  bank.onStatementRead({ arrivals: 1 });
  expect(await total()).toBe(31);
  expect(bank.statement(other)).toHaveLength(5);
});

it('runs what a test gives it, with the account and the page', async () => {
  const reads: unknown[] = [];
  bank.onStatementRead({
    accountId: id,
    run: (read) => {
      reads.push(read);
      bank.configure({ pageSize: 7 }, id);
    },
  });
  expect(await askIds(bank, id.toUpperCase(), '?page=1')).toHaveLength(7);
  await askIds(bank, id);
  expect(reads).toEqual([
    { accountId: id, page: 1 },
    { accountId: id, page: null },
  ]);
});

it('ends when disposed of', async () => {
  const hook = bank.onStatementRead({ accountId: id, arrivals: 1 });
  expect(await total()).toBe(31);
  hook[Symbol.dispose]();
  expect(await total()).toBe(31);
});

it('knows no hook for an account that is not there', () => {
  expect(() => bank.onStatementRead({ accountId: crypto.randomUUID() })).toThrow('no account');
});

it('answers 599 when a hook throws, which no fault looks like', async () => {
  bank.onStatementRead({
    accountId: id,
    run: () => {
      throw new Error('a mistake in the test');
    },
  });
  await expect(askPage(bank, id)).rejects.toThrow(/^599 .*a mistake in the test/);
});
