// Services with unusual pages (docs/paging.md): other page bases, pages beyond the last one, wrong pages, and unusable
// pagination.
import { describe, expect, test } from 'vitest';
import type { Behaviour } from '../../src/sandbox/behaviour.ts';
import { errorsOf } from '../support/answers.ts';
import { answerWith } from '../support/bank.ts';
import { gatewayOfTest } from '../support/fixtures.ts';
import { type TestGateway } from '../support/gateway.ts';
import { query } from '../support/query.ts';
import { askSlice, cursorsOf, idsOf, openAccount } from '../support/slices.ts';

/**
 * Starts a bank with this behaviour, and a gateway with `base` as UPSTREAM_PAGE_BASE; both are closed after the test.
 */
async function startOver(behaviour: Partial<Behaviour>, base = 0): Promise<TestGateway> {
  return gatewayOfTest({ UPSTREAM_PAGE_BASE: `${base}` }, { bank: behaviour });
}

const violation = 'UPSTREAM_CONTRACT_VIOLATION at transactions';

const sizes = [0, 1, 19, 20, 21, 95];

describe.each([
  { pageBase: 0, currentPage: 'index' },
  { pageBase: 0, currentPage: 'echo' },
  { pageBase: 1, currentPage: 'index' },
  { pageBase: 1, currentPage: 'echo' },
] as const)(
  'a service with the page base $pageBase and the currentPage behaviour "$currentPage"',
  (numbering) => {
    test.each(['empty', 'clamp', '404'] as const)(
      'can be read completely in both directions if its behaviour beyond the last page is "%s"',
      async (outOfRange) => {
        const gateway = await startOver({ ...numbering, outOfRange }, numbering.pageBase);
        for (const size of sizes) {
          const account = openAccount(gateway.bank, size);
          const all = await askSlice(gateway, account, { first: 100 });
          expect(all.ids).toEqual(idsOf(gateway.bank, account));
          const last = await askSlice(gateway, account, { last: 100 });
          expect(last.ids).toEqual(idsOf(gateway.bank, account));
          if (size === 0) continue;
          const next = await askSlice(gateway, account, { after: all.cursor(size >> 1) });
          expect(next.ids).toEqual(all.ids.slice((size >> 1) + 1, (size >> 1) + 21));
          const end = await askSlice(gateway, account, { after: all.cursor(-1) });
          expect(end.ids).toEqual([]);
        }
      },
    );

    test('receives one call for each page of a slice', async () => {
      const gateway = await startOver(numbering, numbering.pageBase);
      const account = openAccount(gateway.bank, 300);
      await cursorsOf(gateway, account);
      const { pages } = await askSlice(gateway, account, { first: 100 });
      const first = numbering.pageBase;
      const expected = [first, first + 1, first + 2, first + 3, first + 4];
      expect(pages.toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual(expected);
    });
  },
);

describe('a statement that shrinks', () => {
  test.each(['empty', 'clamp', '404'] as const)(
    'is continued after the removed rows even if the page of the cursor no longer exists (behaviour beyond the last page: "%s")',
    async (outOfRange) => {
      const gateway = await startOver({ outOfRange });
      const account = openAccount(gateway.bank);
      const cursors = await cursorsOf(gateway, account);
      const ids = idsOf(gateway.bank, account);
      gateway.bank.remove(account, { index: 5, count: 80 });
      const after = await askSlice(gateway, account, { first: 20, after: cursors[70] ?? '' });
      expect(after.ids).toEqual(ids.slice(85));
      const beside = await query(
        gateway,
        'query Q($id: ID!, $after: String) { head: transactions(accountId: $id) { nodes { id } } on: transactions(accountId: $id, after: $after) { nodes { id } } }',
        { variables: { id: account, after: cursors[70] } },
      );
      expect(beside.errors).toBeUndefined();
      expect(beside.data?.['on']).toEqual({ nodes: ids.slice(85).map((id) => ({ id })) });
    },
  );

  test.each(['empty', 'clamp', '404'] as const)(
    'is read to its end if it shrinks between two reads (behaviour beyond the last page: "%s")',
    async (outOfRange) => {
      const gateway = await startOver({ outOfRange });
      const account = openAccount(gateway.bank);
      const run = () => void gateway.bank.remove(account, { index: 5, count: 80 });
      gateway.bank.onStatementRead({ accountId: account, run, skip: 1, times: 1 });
      const { ids, connection } = await askSlice(gateway, account, { first: 100 });
      expect(ids).toEqual(idsOf(gateway.bank, account));
      expect(connection.totalCount).toBe(15);
    },
  );
});

describe('a wrong UPSTREAM_PAGE_BASE', () => {
  const services = (['index', 'echo'] as const).flatMap((currentPage) =>
    (['empty', 'clamp', '404'] as const).flatMap((outOfRange) =>
      (['400', 'clamp'] as const).map((belowBase) => ({ currentPage, outOfRange, belowBase })),
    ),
  );

  test.each(services)(
    'of 0 is named in each error, and a slice without an error has the right rows: %j',
    async (service) => {
      const gateway = await startOver({ ...service, pageBase: 1 }, 0);
      await expectNamed(gateway);
    },
  );

  test.each(services)(
    'of 1 is named in each error, and a slice without an error has the right rows: %j',
    async (service) => {
      const gateway = await startOver({ ...service, pageBase: 0 }, 1);
      await expectNamed(gateway);
    },
  );

  /** Expects an error that names UPSTREAM_PAGE_BASE. A slice of at most 20 rows may have the right rows instead. */
  async function expectNamed(gateway: TestGateway): Promise<void> {
    for (const size of sizes) {
      const account = openAccount(gateway.bank, size);
      const ids = idsOf(gateway.bank, account);
      for (const args of [{ first: 100 }, { last: 100 }, { last: 5 }, { first: 20 }]) {
        const asked = await askSlice(gateway, account, args);
        const expected = 'first' in args ? ids.slice(0, args.first) : ids.slice(-args.last);
        const [error] = asked.answer.errors ?? [];
        if (error === undefined) expect(asked.ids).toEqual(expected);
        else expect(error.message).toContain('UPSTREAM_PAGE_BASE');
        if (expected.length > 20) expect(errorsOf(asked.answer)).toEqual([violation]);
      }
    }
  }
});

describe('a service that returns a wrong page', () => {
  test.each([0, 1, 3])('is detected if it always returns page %d', async (wrongPage) => {
    const gateway = await startOver({ wrongPage });
    const account = openAccount(gateway.bank);
    const { answer } = await askSlice(gateway, account, { first: 100 });
    expect(answer).toMatchObject({ status: 200, data: { transactions: null } });
    expect(errorsOf(answer)).toEqual([violation]);
  });

  test('is detected even if currentPage has the requested number', async () => {
    const gateway = await startOver({ wrongPage: 0 });
    for (const page of [1, 2, 3, 4]) {
      const pointer = '/pagination/currentPage';
      gateway.bank.addFault({ kind: 'wrongShape', pointer, value: page, match: { page } });
    }
    const { answer } = await askSlice(gateway, openAccount(gateway.bank), { first: 100 });
    expect(errorsOf(answer)).toEqual([violation]);
    // Both values of the setting would fail.
    expect(answer.errors?.[0]?.message).not.toContain('UPSTREAM_PAGE_BASE');
  });

  test.each([
    ['no rows', { pointer: '/data', value: [] }],
    ['a total that contradicts its rows', { pointer: '/pagination/totalItems', value: 7 }],
  ] as const)('is detected if the page has %s', async (_name, change) => {
    const gateway = await startOver({});
    gateway.bank.addFault({ kind: 'wrongShape', ...change });
    const { answer } = await askSlice(gateway, openAccount(gateway.bank), {});
    expect(errorsOf(answer)).toEqual([violation]);
  });

  test('is asked for the page once more, because totals and rows may come from different states', async () => {
    const gateway = await startOver({});
    gateway.bank.addFault({
      kind: 'wrongShape',
      pointer: '/pagination/totalItems',
      value: 7,
      times: 1,
    });
    const account = openAccount(gateway.bank);
    const { ids, pages } = await askSlice(gateway, account, {});
    expect(ids).toEqual(idsOf(gateway.bank, account).slice(0, 20));
    expect(pages).toEqual([0, 0]);
  });
});

describe('the pagination of a page', () => {
  const unusable: [string, { remove: true } | { value: unknown } | { raw: string }][] = [
    ['missing', { remove: true }],
    ...[null, -1, 1.5, '9x', true, {}, [95]].map((value): [string, { value: unknown }] => [
      JSON.stringify(value),
      { value },
    ]),
    ...['1e999', '9007199254740993', '2147483648'].map((raw): [string, { raw: string }] => [
      raw,
      { raw },
    ]),
  ];

  describe.each(['totalItems', 'itemsPerPage'])('with an invalid %s', (name) => {
    test.each(unusable)('(%s) makes the connection null', async (_name, change) => {
      const gateway = await startOver({});
      const pointer = `/pagination/${name}`;
      gateway.bank.addFault({ kind: 'wrongShape', pointer, ...change });
      const account = openAccount(gateway.bank);
      const document = `query Q($id: ID!) {
        transactions(accountId: $id) { totalCount edges { cursor } }
        total: transactions(accountId: $id) { totalCount }
        me { __typename }
      }`;
      const answer = await query(gateway, document, { variables: { id: account } });
      expect(answer).toMatchObject({
        status: 200,
        data: { transactions: null, total: null, me: { __typename: 'Person' } },
      });
      expect(errorsOf(answer)).toEqual([
        'UPSTREAM_CONTRACT_VIOLATION at total',
        'UPSTREAM_CONTRACT_VIOLATION at transactions',
      ]);
    });
  });

  test('may have any itemsPerPage if the statement is empty', async () => {
    const gateway = await startOver({});
    gateway.bank.addFault({ kind: 'wrongShape', pointer: '/pagination/itemsPerPage', value: 0 });
    const { answer, ids } = await askSlice(gateway, openAccount(gateway.bank, 0), {});
    expect(answer.errors).toBeUndefined();
    expect(ids).toEqual([]);
  });

  test.each(unusable)('may have no usable currentPage: %s', async (_name, change) => {
    const gateway = await startOver({});
    const pointer = '/pagination/currentPage';
    gateway.bank.addFault({ kind: 'wrongShape', pointer, ...change });
    const account = openAccount(gateway.bank);
    const { ids, answer } = await askSlice(gateway, account, { first: 100 });
    expect(answer.errors).toBeUndefined();
    expect(ids).toEqual(idsOf(gateway.bank, account));
  });

  test('is usable if only totalPages is wrong', async () => {
    const gateway = await startOver({});
    gateway.bank.addFault({ kind: 'wrongShape', pointer: '/pagination/totalPages', value: 'x' });
    const account = openAccount(gateway.bank);
    const { ids, answer } = await askSlice(gateway, account, { first: 100 });
    expect(answer.errors).toBeUndefined();
    expect(ids).toEqual(idsOf(gateway.bank, account));
  });

  test('must exist, and `data` must be a list; otherwise, the connection is null', async () => {
    const gateway = await startOver({});
    for (const body of [
      '{}',
      '{"data": []}',
      '{"pagination": {}}',
      '[]',
      '{"data": {}, "pagination": {"totalItems": 0, "currentPage": 0, "itemsPerPage": 20}}',
    ]) {
      gateway.bank.clearFaults();
      answerWith(gateway.bank, { route: 'transactions' }, body);
      const { answer } = await askSlice(gateway, openAccount(gateway.bank), {});
      expect(errorsOf(answer), body).toEqual([violation]);
    }
  });
});
