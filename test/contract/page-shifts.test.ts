// Walks, slices and cursors while a statement changes (docs/paging.md), with one kind of change per test. test/walk mixes
// the kinds of changes.
import { beforeEach, describe, expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway } from '../support/gateway.ts';
import {
  type AskedSlice,
  askSlice,
  cursorsOf,
  idsOf,
  openAccount,
  type SliceArguments,
} from '../support/slices.ts';

const gateway = await gatewayOfFile();

type Direction = 'forward' | 'backward';

/** Walks in slices of `count` rows; returns the ids in the service's order. */
async function walk(
  account: string,
  direction: Direction,
  count: number,
): Promise<(string | undefined)[]> {
  const slices: AskedSlice[] = [];
  let args: SliceArguments | null = direction === 'forward' ? { first: count } : { last: count };
  while (args !== null) {
    const slice = await askSlice(gateway, account, args);
    slices.push(slice);
    args = nextOf(slice, direction, count);
  }
  const ordered = direction === 'forward' ? slices : slices.toReversed();
  return ordered.flatMap(({ ids }) => ids);
}

function nextOf({ connection }: AskedSlice, direction: Direction, count: number) {
  const { hasNextPage, hasPreviousPage, endCursor, startCursor } = connection.pageInfo;
  if (direction === 'forward') return hasNextPage ? { first: count, after: endCursor } : null;
  return hasPreviousPage ? { last: count, before: startCursor } : null;
}

/**
 * Expects that `given` contains each transaction that existed during the whole walk, in order, and no transaction
 * twice.
 */
function expectEachOnce(given: readonly unknown[], initial: readonly string[], account: string) {
  expect(new Set(given).size, 'no transaction twice').toBe(given.length);
  const left = new Set(idsOf(gateway.bank, account));
  const lasting = initial.filter((id) => left.has(id));
  const lastingGiven = given.filter((id) => initial.includes(id as string));
  expect(lastingGiven.filter((id) => left.has(id as string))).toEqual(lasting);
}

describe.each<Direction>(['forward', 'backward'])(
  'walking %s returns each transaction once',
  (direction) => {
    let account: string;
    let initial: string[];
    beforeEach(() => {
      account = openAccount(gateway.bank, 95);
      initial = idsOf(gateway.bank, account);
    });

    test.each([1, 7, 20, 33, 100])('in slices of %d over an unchanged statement', async (count) => {
      expect(await walk(account, direction, count)).toEqual(initial);
    });

    test.each(['before', 'after'] as const)(
      'while a transaction arrives %s each of twelve reads',
      async (timing) => {
        gateway.bank.onStatementRead({ accountId: account, arrivals: 1, timing, times: 12 });
        expectEachOnce(await walk(account, direction, 33), initial, account);
      },
    );
  },
);

describe('a cursor whose transaction was removed', () => {
  const gone = (account: string, from: number, to: number) =>
    gateway.bank.remove(account, { index: from, count: to - from + 1 });

  test.each([
    ['alone', 30, 30],
    ['with the one before it', 29, 30],
    ['with the one after it', 30, 31],
    ['with both neighbours', 29, 31],
    ['with ten on either side', 20, 40],
    ['with all before it', 0, 30],
    ['with the rest of its page', 20, 39],
  ])('keeps its place if the transaction was removed %s', async (_name, from, to) => {
    const account = openAccount(gateway.bank);
    const initial = idsOf(gateway.bank, account);
    const cursors = await cursorsOf(gateway, account);
    gone(account, from, to);
    const at = cursors[30] ?? '';
    const after = await askSlice(gateway, account, { first: 20, after: at });
    expect(after.ids).toEqual(initial.slice(to + 1, to + 21));
    const before = await askSlice(gateway, account, { last: 10, before: at });
    expect(before.ids).toEqual(initial.slice(Math.max(from - 10, 0), from));
    expect(before.connection.pageInfo.hasNextPage).toBe(true);
  });

  test('keeps its place below rows that have arrived since', async () => {
    const account = openAccount(gateway.bank);
    const initial = idsOf(gateway.bank, account);
    const cursors = await cursorsOf(gateway, account);
    gone(account, 30, 30);
    gateway.bank.arrive(account, 51);
    const { ids } = await askSlice(gateway, account, { first: 20, after: cursors[30] ?? '' });
    expect(ids).toEqual(initial.slice(31, 51));
  });

  test('is at the end if all later rows are gone, and has nothing on either side if all rows are gone', async () => {
    const account = openAccount(gateway.bank);
    const cursors = await cursorsOf(gateway, account);
    gone(account, 50, 94);
    const end = await askSlice(gateway, account, { first: 20, after: cursors[60] ?? '' });
    expect(end.ids).toEqual([]);
    expect(end.connection.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    gone(account, 0, 49);
    const nothing = await askSlice(gateway, account, { first: 20, after: cursors[60] ?? '' });
    expect(nothing.connection).toMatchObject({
      edges: [],
      totalCount: 0,
      pageInfo: { hasNextPage: false, hasPreviousPage: false },
    });
  });

  // All rows share one createdAt, so createdAt does not show the place of the cursor.
  test.each(['stable', 'shuffled'] as const)(
    'fails with CURSOR_EXPIRED among ties in %s order if all rows that the cursor names are gone',
    async (tieOrder) => {
      const account = openAccount(gateway.bank, 95, { tieSizes: [95] });
      const cursors = await cursorsOf(gateway, account);
      gateway.bank.configure({ tieOrder }, account);
      gone(account, 20, 75);
      for (const args of [
        { first: 20, after: cursors[60] },
        { last: 20, before: cursors[60] },
      ]) {
        const { answer } = await askSlice(gateway, account, args as SliceArguments);
        expect(answer).toMatchObject({ status: 200, data: { transactions: null } });
        expect(errorsOf(answer)).toEqual(['CURSOR_EXPIRED at transactions']);
      }
    },
  );
});

describe('a slice before the startCursor of the first slice', () => {
  const first = async (account: string) => {
    const { connection } = await askSlice(gateway, account);
    return connection.pageInfo.startCursor;
  };

  test('is empty if there are no new rows', async () => {
    const account = openAccount(gateway.bank);
    const slice = await askSlice(gateway, account, { last: 100, before: await first(account) });
    expect(slice.ids).toEqual([]);
    expect(slice.connection.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
  });

  // All rows share one createdAt, so the rows at the head may be new rows or the rows that followed the slice.
  test('fails with CURSOR_EXPIRED among ties if all rows that the cursor names are gone', async () => {
    const account = openAccount(gateway.bank, 60, { tieSizes: [60] });
    const before = await first(account);
    const { createdAt = '' } = gateway.bank.statement(account)[0] ?? {};
    gateway.bank.remove(account, { index: 0, count: 20 });
    gateway.bank.arrive(account, 25, { createdAt });
    const { answer } = await askSlice(gateway, account, { last: 100, before });
    expect(errorsOf(answer)).toEqual(['CURSOR_EXPIRED at transactions']);
  });

  test.each([1, 19, 20, 21, 100])('returns the %d new transactions', async (arrivals) => {
    const account = openAccount(gateway.bank);
    const before = await first(account);
    gateway.bank.arrive(account, arrivals);
    const slice = await askSlice(gateway, account, { last: 100, before });
    expect(slice.ids).toEqual(idsOf(gateway.bank, account).slice(0, arrivals));
    expect(slice.connection.totalCount).toBe(95 + arrivals);
    expect(slice.connection.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
  });

  test('returns the new transactions nearest to the cursor if there are more than requested', async () => {
    const account = openAccount(gateway.bank);
    const before = await first(account);
    gateway.bank.arrive(account, 50);
    const slice = await askSlice(gateway, account, { last: 20, before });
    expect(slice.ids).toEqual(idsOf(gateway.bank, account).slice(30, 50));
    expect(slice.connection.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  });
});

describe('an answer shows one state of the statement', () => {
  const remove = (index: number, count: number) => (account: string) =>
    void gateway.bank.remove(account, { index, count });
  /** Posts a late transaction, whose createdAt is just before that of the row at `index`. */
  const postLate = (index: number) => (account: string) => {
    const { createdAt = '' } = gateway.bank.statement(account)[index] ?? {};
    const justBefore = new Date(Date.parse(createdAt) - 1).toISOString();
    gateway.bank.postLate(account, 1, { createdAt: justBefore });
  };

  test.each<[string, (account: string) => void]>([
    ['an arrival', (account) => void gateway.bank.arrive(account)],
    ['21 arrivals', (account) => void gateway.bank.arrive(account, 21)],
    ['a removal at the head', remove(0, 1)],
    ['30 removals at the head', remove(0, 30)],
    ['a removal in the middle', remove(45, 1)],
    ['a removal towards the end', remove(270, 1)],
    ['60 removals at the end', remove(240, 60)],
    ['a late posting at the head', postLate(0)],
    ['a late posting within the first hundred', postLate(50)],
    ['a late posting in the middle', postLate(150)],
    ['a late posting within the last hundred', postLate(270)],
    ['a late posting at the end', postLate(299)],
  ])('even with %s between the reads of its pages', async (_name, change) => {
    for (const skip of [1, 2, 3, 4]) {
      for (const args of [{ first: 100 }, { last: 100 }]) {
        const account = openAccount(gateway.bank, 300);
        const states = [idsOf(gateway.bank, account)];
        const run = () => change(account);
        gateway.bank.onStatementRead({ accountId: account, run, skip, times: 1 });
        const { ids, connection } = await askSlice(gateway, account, args);
        states.push(idsOf(gateway.bank, account));
        const state = states.find(({ length }) => length === connection.totalCount);
        const expected = 'first' in args ? state?.slice(0, 100) : state?.slice(-100);
        expect(ids, `${JSON.stringify(args)}, after ${skip} reads`).toEqual(expected);
      }
    }
  });
});

describe('cursors', () => {
  test.each([[[1]], [[95]], [[40, 1]]])(
    'have at most 256 characters (sizes of ties: %j)',
    async (tieSizes) => {
      const cursors = await cursorsOf(gateway, openAccount(gateway.bank, 5000, { tieSizes }));
      for (const cursor of cursors) expect(cursor).toMatch(/^[\w.~-]{1,256}$/);
      expect(new Set(cursors).size).toBe(100);
    },
  );

  test('are accepted by another gateway of the same service', async () => {
    const account = openAccount(gateway.bank);
    const { cursor } = await askSlice(gateway, account, { first: 37 });
    await using another = await startTestGateway({}, { bank: gateway.bank });
    const next = await askSlice(another, account, { first: 20, after: cursor(-1) });
    expect(next.ids).toEqual(idsOf(gateway.bank, account).slice(37, 57));
  });

  test('do not contain the ids of the account and the transaction in clear text', async () => {
    const account = openAccount(gateway.bank);
    const { cursor, connection } = await askSlice(gateway, account);
    const [edge] = connection.edges;
    for (const text of [account, edge?.node?.id, account.slice(0, 8)])
      expect(cursor(0)).not.toContain(text);
  });

  const spoiled = [
    { json: 'null' },
    { json: '"x"' },
    { json: '{"amount": 1.00}' },
    { json: '{"id": 7}' },
  ];
  test.each(spoiled)(
    'are valid even if the node of their edge is null (row: $json)',
    async (row) => {
      const rows = (count: number) => Array.from({ length: count }, () => ({}));
      const account = openAccount(gateway.bank, [...rows(19), row, ...rows(30)]);
      const ids = idsOf(gateway.bank, account);
      const slice = await askSlice(gateway, account, { first: 20 });
      expect(slice.connection.edges[19]?.node).toBeNull();
      expect(slice.connection.nodes[19]).toBeNull();
      expect(errorsOf(slice.answer)).toEqual([
        'UPSTREAM_CONTRACT_VIOLATION at transactions.edges.19.node',
        'UPSTREAM_CONTRACT_VIOLATION at transactions.nodes.19',
      ]);
      const next = await askSlice(gateway, account, { first: 20, after: slice.cursor(-1) });
      expect(next.ids).toEqual(ids.slice(20, 40));
      const previous = await askSlice(gateway, account, { last: 5, before: slice.cursor(-1) });
      expect(previous.ids).toEqual(ids.slice(14, 19));
      gateway.bank.arrive(account, 3);
      const later = await askSlice(gateway, account, { first: 20, after: slice.cursor(-1) });
      expect(later.ids).toEqual(ids.slice(20, 40));
      gateway.bank.remove(account, { index: 22 });
      const gone = await askSlice(gateway, account, { first: 20, after: slice.cursor(-1) });
      expect(gone.ids).toEqual(ids.slice(20, 40));
    },
  );
});
