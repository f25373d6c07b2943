// Pages of a statement: initial data, page sizes and numbers, the query, and the order of ties.
import { describe, expect, it } from 'vitest';
import type { Behaviour } from '../../../src/sandbox/behaviour.ts';
import {
  ask,
  askIds,
  askPage,
  firstHolder,
  idsOf,
  newAccount,
  type Page,
  startSharedBank,
} from './ask-bank.ts';

const bank = await startSharedBank();

const statusOf = async (accountId: string, query: string) =>
  (await ask(bank, `/accounts/${accountId}/transactions${query}`)).status;

describe('the initial statements', () => {
  it('have 0, 1, 19, 20, 21, 95 and 5,000 transactions', () => {
    const ids = bank.holders.flatMap(({ accounts }) => accounts);
    const sizes = new Set(ids.map((id) => bank.statement(id).length));
    expect([...sizes].sort((a, b) => a - b)).toEqual([0, 1, 19, 20, 21, 95, 5000]);
    const [first] = bank.holders;
    const ofFirst = first?.accounts.map((id) => bank.statement(id).length);
    expect(ofFirst).toEqual([95, 5000, 20, 0]);
  });

  it('include one of 5,000 transactions, newest first, with unique ids and unique times in 2026', () => {
    const rows = bank.statement(firstHolder(bank).accounts[1] ?? '');
    const instants = rows.map(({ createdAt }) => createdAt);
    expect(instants).toEqual([...new Set(instants)].sort().reverse());
    expect(instants.every((at) => /^2026-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/.test(at))).toBe(true);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(5000);
  });

  it('include one with every documented type, status and externalStatus, six categories, and amounts with two decimals', async () => {
    const rows = bank.statement(firstHolder(bank).accounts[1] ?? '');
    const seen = (name: 'type' | 'category' | 'status' | 'externalStatus') =>
      [...new Set(rows.map((row) => row[name]))].sort();
    expect(seen('type')).toEqual(['FEE', 'PIX', 'PIX_QRCODE', 'TED', 'TEF']);
    expect(seen('status')).toEqual(['CANCELED', 'DONE', 'ERROR', 'PROCESSING']);
    expect(seen('externalStatus')).toEqual(['PROCESSING', 'SUCCESS']);
    expect(seen('category')).toHaveLength(6);
    expect(rows.every(({ amount }) => /^\d+\.\d\d$/.test(amount))).toBe(true);
    const path = `/accounts/${firstHolder(bank).accounts[1] ?? ''}/transactions`;
    const text = await (await ask(bank, path)).text();
    expect(text).toContain(`"amount":${rows[0]?.amount ?? ''},`);
  });
});

describe('a walk over the pages', () => {
  const cases = [0, 1, 19, 20, 21, 95].flatMap((size) =>
    [7, 20, 50].flatMap((pageSize) => [0, 1].map((pageBase) => ({ size, pageSize, pageBase }))),
  );
  it.each(cases)(
    'returns all $size rows if pages have $pageSize rows and their numbers start at $pageBase',
    async (one) => {
      const { size, pageSize, pageBase } = one;
      const id = newAccount(bank, size);
      bank.configure({ pageSize, pageBase }, id);
      const totalPages = Math.ceil(size / pageSize);
      const walked: string[] = [];
      for (let index = 0; index < Math.max(1, totalPages); index += 1) {
        const page = await askPage(bank, id, `?page=${index + pageBase}`);
        walked.push(...page.data.map((row) => row.id));
        const counted = {
          totalItems: size,
          currentPage: index,
          itemsPerPage: pageSize,
          totalPages,
        };
        expect(page.pagination).toEqual(counted);
      }
      expect(walked).toEqual(idsOf(bank, id));
      expect(await askIds(bank, id)).toEqual(walked.slice(0, pageSize));
    },
  );
});

describe('the requested page', () => {
  const pages = (pageBase: number, change: Partial<Behaviour>) => {
    const id = newAccount(bank, 45);
    bank.configure({ pageBase, ...change }, id);
    return id;
  };
  const cases: [string, Partial<Behaviour>, number, string, unknown][] = [
    ['has no data beyond the end', {}, 0, '?page=3', [0, 3]],
    [
      'is the last page beyond the end if outOfRange is clamp',
      { outOfRange: 'clamp' },
      0,
      '?page=9',
      [5, 2],
    ],
    [
      'has status 404 beyond the end if outOfRange is 404',
      { outOfRange: '404' },
      0,
      '?page=3',
      404,
    ],
    ['has status 400 below the base', {}, 1, '?page=0', 400],
    ['has status 400 below zero', {}, 0, '?page=-1', 400],
    [
      'is the first page below the base if belowBase is clamp',
      { belowBase: 'clamp' },
      1,
      '?page=0',
      [20, 0],
    ],
    ['is the first page for number 1 if the base is 1', {}, 1, '?page=1', [20, 0]],
    ['has no data beyond the end if the base is 1', {}, 1, '?page=4', [0, 3]],
    [
      'contains the requested number if currentPage is echo',
      { currentPage: 'echo' },
      1,
      '?page=2',
      [20, 2],
    ],
    [
      'contains the base if currentPage is echo and no number is requested',
      { currentPage: 'echo' },
      1,
      '',
      [20, 1],
    ],
    ['is page 2 at every number if wrongPage is 2', { wrongPage: 2 }, 0, '?page=0', [5, 2]],
    [
      'is the page with the number 2 if the base is 1 and wrongPage is 2',
      { wrongPage: 2 },
      1,
      '?page=3',
      [20, 1],
    ],
  ];
  it.each(cases)('%s', async (_name, change, pageBase, query, expected) => {
    const id = pages(pageBase, change);
    const response = await ask(bank, `/accounts/${id}/transactions${query}`);
    const { data, pagination } = (await response.json()) as Partial<Page>;
    const found = data ? [data.length, pagination?.['currentPage']] : response.status;
    expect(found).toEqual(expected);
  });

  it('is empty for an empty statement with every setting of outOfRange', async () => {
    for (const outOfRange of ['empty', 'clamp', '404'] as const) {
      const id = newAccount(bank, 0);
      bank.configure({ outOfRange }, id);
      const { data, pagination } = await askPage(bank, id, '?page=0');
      expect([data, pagination['totalPages']]).toEqual([[], 0]);
    }
  });
});

describe('the query', () => {
  const instants = ['03-02T23:59:59.999Z', '03-02T00:00:00.000Z', '03-01T23:59:59.999Z'];
  const dated = () => {
    const id = newAccount(bank, 0);
    bank.setStatement(
      id,
      instants.map((instant) => ({ createdAt: `2026-${instant}` })),
    );
    return id;
  };
  const cases: [string, Behaviour['endDate'], number][] = [
    ['?startDate=2026-03-02', 'inclusive', 2],
    ['?endDate=2026-03-01', 'inclusive', 1],
    ['?endDate=2026-03-02', 'inclusive', 3],
    ['?endDate=2026-03-02', 'exclusive', 1],
    ['?startDate=2026-03-01&endDate=2026-03-01', 'inclusive', 1],
    ['?startDate=2026-03-03', 'inclusive', 0],
  ];
  it.each(cases)('%s with an %s endDate selects %i rows', async (query, endDate, left) => {
    const id = dated();
    bank.configure({ endDate }, id);
    const { data, pagination } = await askPage(bank, id, query);
    expect([data.length, pagination['totalItems']]).toEqual([left, left]);
  });

  it.each([
    '?page=x',
    '?page=1.5',
    '?page=',
    '?startDate=2026-3-1',
    '?startDate=2026-02-30',
    '?endDate=01-01-2026',
    '?startDate=2026-02-02&endDate=2026-02-01',
  ])('%s is rejected', async (query) => {
    expect(await statusOf(newAccount(bank, 1), query)).toBe(400);
  });
});

describe('rows that share a createdAt', () => {
  it('keep their order by default', async () => {
    const id = newAccount(bank, 0);
    bank.setStatement(id, 20, { tieSizes: [20] });
    expect(await askIds(bank, id)).toEqual(await askIds(bank, id));
  });

  it('change their order between two reads, but only among themselves, if tieOrder is shuffled', async () => {
    const id = newAccount(bank, 0);
    const ids = bank.setStatement(id, 60, { tieSizes: [3, 30, 1] });
    bank.configure({ tieOrder: 'shuffled' }, id);
    const [first, again] = [await askIds(bank, id), await askIds(bank, id)];
    expect(first).not.toEqual(again);
    expect([...first.slice(0, 3)].sort()).toEqual(ids.slice(0, 3).sort());
    const second = await askIds(bank, id, '?page=1');
    expect(ids.slice(3, 33)).toEqual(expect.arrayContaining(second.slice(0, 13)));
    expect(second[13]).toBe(ids[33]);
    expect(idsOf(bank, id)).toEqual(ids);
  });

  it('are all returned if they fit on one page', async () => {
    const id = newAccount(bank, 0);
    const ids = bank.setStatement(id, 50, { tieSizes: [50] });
    bank.configure({ tieOrder: 'shuffled', pageSize: 50 }, id);
    expect([...(await askIds(bank, id))].sort()).toEqual([...ids].sort());
  });
});
