// Scripted changes to the bank's data: arrivals, late postings, removals, ties, new statements, holders and accounts.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startBank, type Bank } from '../../../src/sandbox/bank.ts';
import {
  ask,
  askIds,
  askPage,
  firstHolder,
  idsOf,
  newAccount,
  startSharedBank,
} from './ask-bank.ts';

const bank = await startSharedBank();
let id: string;
let before: string[];
beforeEach(() => {
  id = newAccount(bank, 10);
  before = idsOf(bank, id);
});

const instants = () => bank.statement(id).map(({ createdAt }) => createdAt);
const isNewestFirst = () => expect(instants()).toEqual([...instants()].sort().reverse());

describe('arrivals', () => {
  it('are added at the head, each with a later createdAt than all existing rows', async () => {
    const arrived = bank.arrive(id, 3);
    expect(idsOf(bank, id)).toEqual([...arrived.reverse(), ...before]);
    expect(new Set(instants()).size).toBe(13);
    isNewestFirst();
    expect(await askIds(bank, id)).toEqual(idsOf(bank, id));
  });

  it('have the given fields, with every digit', async () => {
    const given = { amount: '0.10', status: 'PROCESSING', category: 'Pix recebido', credit: true };
    bank.arrive(id, 1, given);
    expect(bank.statement(id)[0]).toMatchObject(given);
    const response = await ask(bank, `/accounts/${id}/transactions`);
    expect(await response.text()).toContain('"amount":0.10,');
  });

  it('are placed by a given createdAt', () => {
    const [arrived = ''] = bank.arrive(id, 1, { createdAt: instants()[4] ?? '' });
    expect(idsOf(bank, id).indexOf(arrived)).toBe(4);
    isNewestFirst();
  });

  it('are later than the previous newest row, even if that row has been removed', () => {
    const head = instants()[0] ?? '';
    bank.remove(id, { index: 0, count: 10 });
    bank.arrive(id);
    expect((instants()[0] ?? '') > head).toBe(true);
  });

  it('may break the documented shape', async () => {
    bank.arrive(id, 1, { json: 'null' });
    expect((await askPage(bank, id)).data[0]).toBe(null);
    expect(bank.statement(id)).toHaveLength(11);
  });

  it.each([{ createdAt: 'yesterday' }, { amount: '1,50' }, { amount: '' }])(
    'with the invalid fields %o are rejected',
    (given) => {
      expect(() => bank.arrive(id, 1, given)).toThrow();
      expect(idsOf(bank, id)).toEqual(before);
    },
  );

  describe('at intervals', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
    afterEach(() => void vi.useRealTimers());
    const lengthAfter = (ms: number) => {
      vi.advanceTimersByTime(ms);
      return bank.statement(id).length;
    };

    it('continue until they are disposed of', () => {
      const stream = bank.arriveEvery(id, { everyMs: 10, count: 2 });
      expect(lengthAfter(25)).toBe(14);
      stream[Symbol.dispose]();
      expect(lengthAfter(100)).toBe(14);
    });

    it.each([3, 0])('stop after a given number of times: %i', (times) => {
      bank.arriveEvery(id, { everyMs: 10, times });
      expect(lengthAfter(100)).toBe(10 + times);
    });

    it('can be stopped for one account or for all', () => {
      const other = newAccount(bank, 0);
      bank.arriveEvery(id, { everyMs: 10 });
      bank.arriveEvery(other, { everyMs: 10 });
      bank.stopArrivals(id.toUpperCase());
      expect([lengthAfter(10), bank.statement(other).length]).toEqual([10, 1]);
      bank.stopArrivals();
      expect([lengthAfter(10), bank.statement(other).length]).toEqual([10, 1]);
    });
  });
});

describe('late postings', () => {
  it('are placed in createdAt order, below the head', () => {
    const late = bank.postLate(id, 5);
    expect(idsOf(bank, id)[0]).toBe(before[0]);
    expect(idsOf(bank, id).filter((one) => !late.includes(one))).toEqual(before);
    isNewestFirst();
    expect(new Set(instants()).size).toBe(15);
  });

  it.each([
    ['before', [4]],
    ['after', [7]],
    ['random', [4, 5, 6, 7]],
  ] as const)('have the position among their ties that amongTies sets: %s', (amongTies, places) => {
    bank.tie(id, { from: 4, count: 3 });
    const [late = ''] = bank.postLate(id, 1, { createdAt: instants()[4] ?? '' }, amongTies);
    expect(places).toContain(idsOf(bank, id).indexOf(late));
  });

  it.each([0, 1])('can be added to a statement of length %i', (length) => {
    bank.setStatement(id, length);
    bank.postLate(id);
    isNewestFirst();
    expect(bank.statement(id)).toHaveLength(length + 1);
  });
});

describe('removals', () => {
  it('can be chosen by id', () => {
    const [first = '', , third = ''] = before;
    expect(bank.remove(id, { ids: [third, first, 'unknown'] })).toEqual([first, third]);
    expect(idsOf(bank, id)).toEqual(before.filter((one) => one !== first && one !== third));
  });

  it('can be chosen by index', () => {
    expect(bank.remove(id, { index: 8, count: 5 })).toEqual(before.slice(8));
    expect(bank.remove(id, { index: 0 })).toEqual(before.slice(0, 1));
    expect(idsOf(bank, id)).toEqual(before.slice(1, 8));
  });

  it('can be random, and are then determined by the seed', async () => {
    await using twin = await startBank();
    const removedFrom = (one: Bank) => {
      const [account = ''] = firstHolder(one).accounts;
      return one.remove(account, { random: 4 });
    };
    const removed = removedFrom(twin);
    expect(new Set(removed).size).toBe(4);
    expect(removed).toEqual(removedFrom(bank));
  });
});

describe('ties', () => {
  it('get the createdAt of their first row and keep their places', () => {
    expect(bank.tie(id, { from: 2, count: 4 })).toEqual(before.slice(2, 6));
    expect(new Set(instants().slice(2, 6)).size).toBe(1);
    expect(idsOf(bank, id)).toEqual(before);
    isNewestFirst();
  });

  it('can get a given createdAt, which then appears in answers', async () => {
    const createdAt = '2026-01-01T00:00:00.000Z';
    bank.tie(id, { from: 8, count: 2, createdAt });
    const { data } = await askPage(bank, id);
    expect(data.slice(8).map((row) => row.createdAt)).toEqual([createdAt, createdAt]);
  });

  it('can include 150,000 rows, also if each read reorders them', async () => {
    bank.setStatement(id, 150_000);
    expect(bank.tie(id, { from: 0, count: 150_000 })).toHaveLength(150_000);
    expect(new Set(instants()).size).toBe(1);
    bank.configure({ tieOrder: 'shuffled' }, id);
    expect(await askIds(bank, id)).toHaveLength(20);
  });
});

describe('a new statement', () => {
  it('has the given ties, newest row and gaps', () => {
    const newest = '2026-05-01T00:00:00.000Z';
    bank.setStatement(id, 6, { tieSizes: [2, 1], newest, gapMs: 1000 });
    const seconds = instants().map((at) => (Date.parse(newest) - Date.parse(at)) / 1000);
    expect(seconds).toEqual([0, 0, 1, 2, 2, 3]);
  });

  it('has the given transactions in their order', () => {
    const rows = ['2026-01-01', '2026-03-01'].map((day) => ({ createdAt: `${day}T00:00:00.000Z` }));
    const ids = bank.setStatement(id, rows);
    expect(instants()).toEqual(rows.map(({ createdAt }) => createdAt));
    expect(idsOf(bank, id)).toEqual(ids);
  });

  it('may be empty', async () => {
    bank.setStatement(id, 0);
    expect((await askPage(bank, id)).pagination['totalItems']).toBe(0);
  });
});

describe('holders and accounts', () => {
  it('can be added with given data', async () => {
    const accounts = [{ transactions: 3, balance: '7.70', investmentAccount: '{"a":1.10}' }];
    const holder = bank.addHolder({
      kind: 'COMPANY',
      name: 'Nova Ltda',
      tenant: 'serra',
      accounts,
    });
    const text = await (await ask(bank, '/companies', { holder })).text();
    expect(text).toContain('"name":"Nova Ltda"');
    expect(text).toContain('"balance":7.70,');
    expect(text).toContain('"investmentAccount":{"a":1.10}');
    expect(bank.tenants).toContain('serra');
    expect(bank.statement(holder.accounts[0] ?? '')).toHaveLength(3);
  });

  it('are unique within a tenant', () => {
    const { id: holderId, tenant } = firstHolder(bank);
    expect(() => bank.addHolder({ id: holderId, tenant })).toThrow('already');
    expect(() => bank.addAccount(holderId, { id })).toThrow('already');
    const holders = bank.holders;
    expect(() => bank.addHolder({ accounts: [{}, { id }] })).toThrow('already');
    expect(bank.holders).toEqual(holders);
  });

  it('no longer include an account that was removed', async () => {
    bank.removeAccount(id);
    expect((await ask(bank, `/accounts/${id}/transactions`)).status).toBe(404);
    expect(firstHolder(bank).accounts).not.toContain(id);
    expect(() => bank.statement(id)).toThrow('no account');
  });

  it('are back to their initial state after a reset', async () => {
    await using fresh = await startBank();
    const start = fresh.holders;
    const account = newAccount(fresh, 5);
    fresh.arrive(start[0]?.accounts[0] ?? '', 2);
    fresh.addFault({ kind: 'reset' });
    fresh.configure({ pageSize: 3 });
    fresh.reset();
    expect(fresh.holders).toEqual(start);
    expect(() => fresh.statement(account)).toThrow();
    expect(await askIds(fresh, start[0]?.accounts[0] ?? '')).toHaveLength(20);
    expect(fresh.statement(start[0]?.accounts[0] ?? '')).toHaveLength(95);
  });

  it('are followed by the same random numbers for faults after a reset', async () => {
    await using fresh = await startBank();
    const statuses = async () => {
      fresh.addFault({ kind: 'status', status: 500, probability: 0.5 });
      const found = [];
      for (let asked = 0; asked < 40; asked += 1) found.push((await ask(fresh, '/persons')).status);
      return found;
    };
    const first = await statuses();
    fresh.reset();
    expect(await statuses()).toEqual(first);
  });
});
