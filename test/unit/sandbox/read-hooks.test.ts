// Hooks that change a statement when it is read.
import { beforeEach, expect, it } from 'vitest';
import { askIds, askPage, idsOf, newAccount, startSharedBank } from './ask-bank.ts';

const bank = await startSharedBank();
let id: string;
beforeEach(() => {
  bank.clearReadHooks();
  id = newAccount(bank, 30);
});

const total = async () => (await askPage(bank, id)).pagination['totalItems'];

it('arrivals of a read hook appear in the answer to the same read by default', async () => {
  bank.onStatementRead({ accountId: id, arrivals: 2 });
  expect([await total(), await total()]).toEqual([32, 34]);
});

it('arrivals of a read hook that runs after the answer appear in the next answer', async () => {
  bank.onStatementRead({ accountId: id, arrivals: 2, timing: 'after' });
  expect([await total(), await total()]).toEqual([30, 32]);
});

it('a read hook with as many removals as arrivals leaves the total unchanged', async () => {
  const before = idsOf(bank, id);
  bank.onStatementRead({ accountId: id, arrivals: 3, removals: 3 });
  expect(await total()).toBe(30);
  expect(idsOf(bank, id).filter((one) => before.includes(one))).toHaveLength(27);
});

it('a read hook removes rows from a given index on', async () => {
  const before = idsOf(bank, id);
  bank.onStatementRead({ accountId: id, removals: 2, removeAt: 1 });
  const [first = '', ...rest] = before;
  expect(await askIds(bank, id)).toEqual([first, ...rest.slice(2)].slice(0, 20));
});

it('a read hook adds late postings below the head', async () => {
  const head = idsOf(bank, id)[0];
  bank.onStatementRead({ accountId: id, latePostings: 4 });
  expect(await total()).toBe(34);
  expect(idsOf(bank, id)[0]).toBe(head);
});

it('a read hook skips some reads and then runs a given number of times', async () => {
  bank.onStatementRead({ accountId: id.toUpperCase(), arrivals: 1, skip: 1, times: 2 });
  const totals = [await total(), await total(), await total(), await total()];
  expect(totals).toEqual([30, 31, 32, 32]);
});

it('a read hook for one account does not run for other accounts, and a hook without an account runs for any', async () => {
  const other = newAccount(bank, 5);
  bank.onStatementRead({ accountId: other, arrivals: 1 });
  expect(await total()).toBe(30);
  bank.onStatementRead({ arrivals: 1 });
  expect(await total()).toBe(31);
  expect(bank.statement(other)).toHaveLength(5);
});

it('a read hook calls a function with the account and the page of each read', async () => {
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

it('a read hook stops running when it is disposed of', async () => {
  const hook = bank.onStatementRead({ accountId: id, arrivals: 1 });
  expect(await total()).toBe(31);
  hook[Symbol.dispose]();
  expect(await total()).toBe(31);
});

it('a read hook for an unknown account is rejected', () => {
  expect(() => bank.onStatementRead({ accountId: crypto.randomUUID() })).toThrow('no account');
});

it('a read hook that throws causes status 599, with the message of the error', async () => {
  bank.onStatementRead({
    accountId: id,
    run: () => {
      throw new Error('a mistake in the test');
    },
  });
  await expect(askPage(bank, id)).rejects.toThrow(/^599 .*a mistake in the test/);
});
