// The number of calls to the service that a slice needs, as docs/paging.md promises, and MAX_UPSTREAM_CALLS. The bank
// counts the calls.
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { pagesOf, targetsOf } from '../support/bank.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway } from '../support/gateway.ts';
import { codesOf, firstHolder, query } from '../support/query.ts';
import { startRestService } from '../support/rest-service.ts';
import { type AskedSlice, askSlice, cursorsOf, idsOf, openAccount } from '../support/slices.ts';
import { createWalker } from '../support/walker.ts';
import { sentPage, serialOf, statementOf, textOf } from '../walk/statement.ts';

const gateway = await gatewayOfFile();

/** Pages `from` to `to`, both included. */
const pages = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, k) => from + k);

const inOrder = (numbers: readonly (number | null)[]) =>
  numbers.toSorted((a, b) => (a ?? 0) - (b ?? 0));

describe('the number of calls to the service', () => {
  test('is one for the first 20 rows, and one for each of the next two slices of 20 rows', async () => {
    const account = openAccount(gateway.bank);
    const first = await askSlice(gateway, account, { first: 20 });
    expect(first.pages).toEqual([0]);
    const next = await askSlice(gateway, account, { first: 20, after: first.cursor(-1) });
    expect(next.pages).toEqual([1]);
    const third = await askSlice(gateway, account, { first: 20, after: next.cursor(-1) });
    expect(third.pages).toEqual([2]);
  });

  test('is five for 100 rows, and four of the calls run in parallel', async () => {
    const account = openAccount(gateway.bank, 300);
    gateway.bank.configure({ latencyMs: 200 });
    const first = await askSlice(gateway, account, { first: 100 });
    expect(first.ids).toEqual(idsOf(gateway.bank, account).slice(0, 100));
    expect(first.pages[0]).toBe(0);
    expect(inOrder(first.pages)).toEqual(pages(0, 4));
    expect(gateway.bank.load().maxRequests).toBe(4);
    const next = await askSlice(gateway, account, { first: 100, after: first.cursor(-1) });
    expect(next.pages[0]).toBe(5);
    expect(inOrder(next.pages)).toEqual(pages(5, 9));
    expect(gateway.bank.load().maxRequests).toBe(4);
  });

  test('equals the number of pages that hold the rows, or is one if there are no rows, wherever a slice of 20 begins', async () => {
    const account = openAccount(gateway.bank);
    const cursors = await cursorsOf(gateway, account);
    for (const [index, cursor] of cursors.entries()) {
      const last = Math.min(index + 20, 94);
      const { ids, pages: asked } = await askSlice(gateway, account, { after: cursor });
      expect(ids, `after row ${index}`).toEqual(
        idsOf(gateway.bank, account).slice(index + 1, last + 1),
      );
      const needed = pages(Math.floor(Math.min(index + 1, 94) / 20), Math.floor(last / 20));
      expect(inOrder(asked), `after row ${index}`).toEqual(needed);
    }
    for (const [index, cursor] of cursors.entries()) {
      const asked = await askSlice(gateway, account, { last: 20, before: cursor });
      const first = Math.max(index - 20, 0);
      expect(asked.ids, `before row ${index}`).toEqual(
        idsOf(gateway.bank, account).slice(first, index),
      );
      const needed = pages(Math.floor(first / 20), Math.floor(Math.max(index - 1, 0) / 20));
      expect(inOrder(asked.pages), `before row ${index}`).toEqual(needed);
    }
  });

  test.each([
    [0, [0]],
    [1, [0]],
    [20, [0]],
    [21, [0, 1]],
    [40, [0, 1]],
    [95, [0, 3, 4]],
    [100, [0, 4]],
    [5000, [0, 249]],
    [4999, [0, 248, 249]],
  ])('is at most three for the last 20 of %d rows: pages %j', async (rows, expected) => {
    const account = openAccount(gateway.bank, rows);
    const asked = await askSlice(gateway, account, { last: 20 });
    expect(asked.ids).toEqual(idsOf(gateway.bank, account).slice(-20));
    expect(inOrder(asked.pages)).toEqual(expected);
  });

  test('is one for an empty slice at any place', async () => {
    const account = openAccount(gateway.bank);
    const cursors = await cursorsOf(gateway, account);
    for (const index of [0, 18, 19, 20, 50, 93, 94]) {
      const after = cursors[index] ?? '';
      const none = await askSlice(gateway, account, { first: 0, after });
      expect(none.pages, `after row ${index}`).toHaveLength(1);
      expect(none.connection.pageInfo.hasNextPage, `after row ${index}`).toBe(index < 94);
      const noneBefore = await askSlice(gateway, account, { last: 0, before: after });
      expect(noneBefore.pages, `before row ${index}`).toHaveLength(1);
    }
    expect((await askSlice(gateway, account, { first: 0 })).pages).toHaveLength(1);
    expect((await askSlice(gateway, account, { last: 0 })).pages).toHaveLength(1);
  });

  // Each case is a selection set, followed by the fragment that it needs, if any.
  test.each([
    '{ totalCount }',
    '{ __typename n: totalCount ...T } fragment T on TransactionConnection { totalCount }',
    '{ totalCount edges @skip(if: true) { cursor } nodes @include(if: $no) { id } }',
    '{ ... on TransactionConnection { totalCount } ... @include(if: $no) { nodes { id } } }',
  ])('is one for totalCount alone: %s', async (selection) => {
    const account = openAccount(gateway.bank);
    const [, , after] = await cursorsOf(gateway, account);
    const [fields = '', fragment] = selection.split(' fragment ');
    for (const args of ['first: 100', 'last: 100', `first: 100, after: "${after}"`]) {
      const field = `transactions(accountId: "${account}", ${args}) ${fields}`;
      const operation = `query Q($no: Boolean = false) { ${field} a: __typename @skip(if: $no) }`;
      gateway.bank.resetCalls();
      const answer = await query(
        gateway,
        fragment ? `${operation} fragment ${fragment}` : operation,
      );
      expect(answer.errors).toBeUndefined();
      expect(answer.text).toContain('95');
      expect(targetsOf(gateway.bank)).toHaveLength(1);
    }
  });

  test('is the same for pageInfo and totalCount alone as for the whole slice', async () => {
    const account = openAccount(gateway.bank);
    const whole = await askSlice(gateway, account, { first: 40 });
    gateway.bank.resetCalls();
    const document = `{ transactions(accountId: "${account}", first: 40) {
      totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    } }`;
    const { pageInfo, totalCount } = whole.connection;
    expect((await query(gateway, document)).data).toEqual({
      transactions: { pageInfo, totalCount },
    });
    expect(pagesOf(gateway.bank)).toEqual([0, 1]);
  });

  test('is 250 for a walk over 5,000 rows in 50 slices of 100', async () => {
    const account = openAccount(gateway.bank, 5000);
    const seen: (string | undefined)[] = [];
    let [calls, slices] = [0, 0];
    for (let after: string | null = null, more = true; more; slices++) {
      const slice: AskedSlice = await askSlice(gateway, account, { first: 100, after });
      seen.push(...slice.ids);
      calls += slice.pages.length;
      ({ endCursor: after, hasNextPage: more } = slice.connection.pageInfo);
    }
    expect(seen).toEqual(idsOf(gateway.bank, account));
    expect([calls, slices]).toEqual([250, 50]);
  });

  test('is at most 300 for a backward walk over 5,000 rows in 50 slices of 100, because the page of each cursor is read too', async () => {
    const account = openAccount(gateway.bank, 5000);
    const seen: (string | undefined)[] = [];
    let [calls, slices] = [0, 0];
    for (let before: string | null = null, more = true; more; slices++) {
      const slice: AskedSlice = await askSlice(gateway, account, { last: 100, before });
      seen.unshift(...slice.ids);
      calls += slice.pages.length;
      ({ startCursor: before, hasPreviousPage: more } = slice.connection.pageInfo);
    }
    expect(seen).toEqual(idsOf(gateway.bank, account));
    expect(slices).toBe(50);
    expect(calls).toBeLessThanOrEqual(300);
  });

  test('is one for the profile, and one per account for a slice of 20 rows', async () => {
    const document = '{ accounts { transactions(first: 20) { nodes { id } totalCount } } }';
    const answer = await query(gateway, document);
    const { accounts } = firstHolder(gateway.bank);
    expect(answer.data).toEqual({
      accounts: accounts.map((id) => ({
        transactions: {
          nodes: gateway.bank
            .statement(id)
            .slice(0, 20)
            .map((row) => ({ id: row.id })),
          totalCount: gateway.bank.statement(id).length,
        },
      })),
    });
    const [profile, ...statements] = targetsOf(gateway.bank);
    expect(profile).toBe('/persons');
    expect(statements.toSorted()).toEqual(
      accounts.map((id) => `/accounts/${id}/transactions?page=0`).sort(),
    );
  });

  test('is one for the profile and one for each page if 100 rows of each account are selected', async () => {
    await query(gateway, '{ accounts { transactions(first: 100) { nodes { id } } } }');
    expect(inOrder(pagesOf(gateway.bank))).toEqual([0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
    expect(targetsOf(gateway.bank)).toHaveLength(13);
  });

  test('is one per page for all fields that need that page', async () => {
    const [account = ''] = firstHolder(gateway.bank).accounts;
    const at = `accountId: "${account}"`;
    const answer = await query(
      gateway,
      `{
        a: transactions(${at}) { nodes { id } } b: transactions(${at}, first: 5) { totalCount nodes { id } }
        c: transactions(${at}, first: 100) { nodes { id } } d: transactions(${at}, last: 20) { nodes { id } }
        e: transactions(${at}, first: 0) { totalCount } f: transactions(accountId: "${account.toUpperCase()}") { nodes { id } }
        accounts { id transactions(first: 30) { nodes { id } } }
      }`,
    );
    expect(answer.errors).toBeUndefined();
    const ids = idsOf(gateway.bank, account).map((id) => ({ id }));
    expect(answer.data).toMatchObject({
      a: { nodes: ids.slice(0, 20) },
      b: { nodes: ids.slice(0, 5), totalCount: 95 },
      c: { nodes: ids },
      d: { nodes: ids.slice(-20) },
      e: { totalCount: 95 },
      f: { nodes: ids.slice(0, 20) },
    });
    const own = targetsOf(gateway.bank).filter((target) => target.toLowerCase().includes(account));
    expect(own).toHaveLength(5);
  });

  test('is two for two fields with different values of `from`, and two again for the next operation', async () => {
    const account = openAccount(gateway.bank);
    const at = `accountId: "${account}"`;
    const document = `{ a: transactions(${at}) { totalCount } b: transactions(${at}, from: "2026-01-01") { totalCount } }`;
    for (const calls of [2, 4]) {
      await query(gateway, document);
      expect(targetsOf(gateway.bank)).toHaveLength(calls);
    }
  });

  test.each([1, 7, 20, 45, 100, 333])(
    'is at most two more than the slice needs after %d arrivals',
    async (arrivals) => {
      const account = openAccount(gateway.bank, 400);
      const ids = idsOf(gateway.bank, account);
      const cursors = await cursorsOf(gateway, account);
      gateway.bank.arrive(account, arrivals);
      for (const index of [0, 19, 30, 99]) {
        for (const first of [20, 100]) {
          const asked = await askSlice(gateway, account, { first, after: cursors[index] ?? '' });
          const rows = [index + 1 + arrivals, index + first + arrivals] as const;
          const needed = Math.floor(rows[1] / 20) - Math.floor(rows[0] / 20) + 1;
          expect(asked.ids).toEqual(ids.slice(index + 1, index + 1 + first));
          expect(asked.pages.length, `${first} after ${index}`).toBeLessThanOrEqual(needed + 2);
        }
      }
    },
  );

  test.each([1, 20, 500, 2000, 3500])(
    'is at most 2 + log2(pages) more than the slice needs after %d removals anywhere',
    async (removals) => {
      const account = openAccount(gateway.bank, 5000);
      let after = '';
      for (let slices = 0; slices < 25; slices++) {
        const slice = await askSlice(gateway, account, { first: 100, ...(after && { after }) });
        after = slice.cursor(-1);
      }
      const ids = idsOf(gateway.bank, account);
      gateway.bank.remove(account, { random: removals });
      const left = new Set(idsOf(gateway.bank, account));
      const asked = await askSlice(gateway, account, { first: 20, after });
      const expected = ids.slice(2500).filter((id) => left.has(id));
      expect(asked.ids).toEqual(expected.slice(0, 20));
      const most = 2 + 2 + Math.ceil(Math.log2(left.size / 20));
      expect(asked.pages.length).toBeLessThanOrEqual(most);
    },
  );
});

test('MAX_PARALLEL_READS limits the reads of one operation at the same time', async () => {
  await using rest = await startRestService(async (page) => {
    underWay++;
    const isRefused = underWay > 3;
    // The answers come in one turn of the event loop, after all requests that are sent side by side.
    await setTimeout(20);
    underWay--;
    const sent = sentPage(manyRows, page);
    return isRefused ? { status: 429 } : { status: 200, text: textOf(sent) };
  });
  let underWay = 0;
  const manyRows = statementOf(
    'posted',
    Array.from({ length: 200 }, (_, nth) => nth * 1000),
    10,
  );
  await using three = await startTestGateway({ UPSTREAM_URL: rest.url, MAX_PARALLEL_READS: '3' });
  await using walker = await createWalker(three);
  const accountId = '5f6c1a52-7f57-4d39-9f2c-6a1f9d0c7e11';
  for (const [args, newest] of [
    [{ first: 100 }, 200],
    [{ last: 100 }, 100],
  ] as const) {
    const { ids } = await walker.slice(accountId, args);
    expect(ids.map(serialOf)).toEqual(Array.from({ length: 100 }, (_, nth) => newest - nth));
  }
});

describe('MAX_UPSTREAM_CALLS', () => {
  test('fails only the field whose calls would exceed it', async () => {
    await using small = await startTestGateway({ MAX_UPSTREAM_CALLS: '4' }, { bank: gateway.bank });
    const account = openAccount(gateway.bank);
    const document = `query Q($id: ID!) {
      me { __typename }
      small: transactions(accountId: $id) { totalCount }
    }`;
    const fits = await query(small, document, { variables: { id: account } });
    expect(fits.errors).toBeUndefined();
    gateway.bank.resetCalls();
    const large = document.replace(
      'small:',
      'large: transactions(accountId: $id, first: 100) { nodes { id } } small:',
    );
    const answer = await query(small, large, { variables: { id: account } });
    expect(answer).toMatchObject({
      status: 200,
      data: { me: { __typename: 'Person' }, large: null, small: { totalCount: 95 } },
    });
    expect(errorsOf(answer)).toEqual(['OPERATION_TOO_COMPLEX at large']);
    // The first page shows that four more pages are needed. Four more calls would exceed MAX_UPSTREAM_CALLS, so none of
    // them is sent.
    expect(targetsOf(gateway.bank).sort()).toEqual([
      `/accounts/${account}/transactions?page=0`,
      '/persons',
    ]);
  });

  test('allows as many calls as it states', async () => {
    await using small = await startTestGateway({ MAX_UPSTREAM_CALLS: '5' }, { bank: gateway.bank });
    const account = openAccount(gateway.bank);
    expect((await askSlice(small, account, { first: 100 })).ids).toHaveLength(95);
    expect((await askSlice(small, openAccount(gateway.bank), { first: 100 })).ids).toHaveLength(95);
  });

  test('counts a retried call once', async () => {
    await using small = await startTestGateway({ MAX_UPSTREAM_CALLS: '1' }, { bank: gateway.bank });
    gateway.bank.addFault({ kind: 'status', status: 503, times: 1 });
    const { ids, pages: asked } = await askSlice(small, openAccount(gateway.bank));
    expect(ids).toHaveLength(20);
    expect(asked).toEqual([0, 0]);
  });

  test('applies to the whole operation', async () => {
    await using small = await startTestGateway({ MAX_UPSTREAM_CALLS: '9' }, { bank: gateway.bank });
    const slice = (name: string) =>
      `${name}: transactions(accountId: "${openAccount(gateway.bank)}", first: 100) { nodes { id } }`;
    const answer = await query(small, `{ ${slice('one')} ${slice('other')} }`);
    expect(codesOf(answer)).toEqual(['OPERATION_TOO_COMPLEX']);
    expect(targetsOf(gateway.bank)).toHaveLength(6);
  });

  test('counts pages, not fields: ten slices of the same six pages count as six calls', async () => {
    await using small = await startTestGateway({ MAX_UPSTREAM_CALLS: '6' }, { bank: gateway.bank });
    const account = openAccount(gateway.bank, 1000);
    const cursors = await cursorsOf(gateway, account);
    const fields = cursors.slice(0, 10).map((cursor, index) => {
      const args = `accountId: "${account}", first: 100, after: "${cursor}"`;
      return `s${index}: transactions(${args}) { nodes { id } }`;
    });
    gateway.bank.resetCalls();
    expect((await query(small, `{ ${fields.join(' ')} }`)).errors).toBeUndefined();
    expect(inOrder(pagesOf(gateway.bank))).toEqual(pages(0, 5));
  });
});
