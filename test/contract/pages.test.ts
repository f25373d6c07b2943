// Slices of a statement (docs/paging.md): which rows each argument returns, and which arguments are rejected before any
// call.
import { beforeEach, describe, expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { answerWith, targetsOf } from '../support/bank.ts';
import { transactionFields } from '../support/documents.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { query } from '../support/query.ts';
import {
  type AskedSlice,
  askSlice,
  cursorsOf,
  idsOf,
  openAccount,
  type SliceArguments,
} from '../support/slices.ts';
import { shownTransactions, statementText } from '../support/statements.ts';

const gateway = await gatewayOfFile();

describe('a slice', () => {
  const rows = 95;
  // The arguments, with the index of a row in place of each cursor; the index of the first expected row; and the index
  // after the last expected row.
  test.each<
    [Omit<SliceArguments, 'after' | 'before'> & { after?: number; before?: number }, number, number]
  >([
    [{}, 0, 20],
    [{ first: null, last: null }, 0, 20],
    [{ first: 0 }, 0, 0],
    [{ first: 1 }, 0, 1],
    [{ first: 20 }, 0, 20],
    [{ first: 21 }, 0, 21],
    [{ first: 100 }, 0, 95],
    [{ after: 19 }, 20, 40],
    [{ first: null, after: 19, last: null }, 20, 40],
    [{ first: 1, after: 0 }, 1, 2],
    [{ first: 33, after: 40 }, 41, 74],
    [{ first: 100, after: 50 }, 51, 95],
    [{ first: 0, after: 40 }, 41, 41],
    [{ first: 20, after: 94 }, 95, 95],
    [{ first: 0, after: 94 }, 95, 95],
    [{ last: 0 }, 95, 95],
    [{ last: 1 }, 94, 95],
    [{ last: 20 }, 75, 95],
    [{ last: 100 }, 0, 95],
    [{ last: 20, before: 20 }, 0, 20],
    [{ first: null, last: 33, before: 74 }, 41, 74],
    [{ last: 1, before: 94 }, 93, 94],
    [{ last: 100, before: 94 }, 0, 94],
    [{ last: 20, before: 5 }, 0, 5],
    [{ last: 0, before: 40 }, 40, 40],
    [{ last: 20, before: 0 }, 0, 0],
  ])(
    'with the arguments %j starts at row %d, ends before row %d, and has correct pageInfo',
    async (wanted, from, to) => {
      const account = openAccount(gateway.bank, rows);
      const { after, before, ...counts } = wanted;
      const cursors = await cursorsOf(gateway, account);
      const { connection, answer, ids } = await askSlice(gateway, account, {
        ...counts,
        ...(after !== undefined && { after: cursors[after] ?? '' }),
        ...(before !== undefined && { before: cursors[before] ?? '' }),
      });
      expect(answer.errors).toBeUndefined();
      expect(ids).toEqual(idsOf(gateway.bank, account).slice(from, to));
      expect(connection.nodes.map((node) => node?.id)).toEqual(ids);
      expect(connection.totalCount).toBe(rows);
      expect(connection.pageInfo).toEqual({
        hasNextPage: to < rows,
        hasPreviousPage: from > 0,
        startCursor: connection.edges[0]?.cursor ?? null,
        endCursor: connection.edges.at(-1)?.cursor ?? null,
      });
    },
  );

  test.each([{}, { first: 0 }, { first: 100 }, { last: 20 }, { last: 0 }])(
    'with the arguments %j is empty in an empty statement, without rows before or after it',
    async (args) => {
      const asked = await askSlice(gateway, openAccount(gateway.bank, 0), args);
      const pageInfo = { hasNextPage: false, hasPreviousPage: false };
      expect(asked.connection).toEqual({
        ...{ edges: [], nodes: [], totalCount: 0 },
        pageInfo: { ...pageInfo, startCursor: null, endCursor: null },
      });
      expect(asked.pages).toEqual([0]);
    },
  );

  test('has every field of its transactions as the service sent it, also from the fast path', async () => {
    const id = openAccount(gateway.bank, 3);
    answerWith(gateway.bank, { route: 'transactions' }, statementText);
    const document = `query ($id: ID!) {
      transactions(accountId: $id) { nodes { ${transactionFields} } edges { node { ${transactionFields} } } } }`;
    const edges = shownTransactions.map((node) => ({ node }));
    for (let times = 0; times < 3; times++) {
      const answer = await query(gateway, document, { variables: { id } });
      expect(answer.errors).toBeUndefined();
      expect(answer.data).toEqual({ transactions: { nodes: shownTransactions, edges } });
    }
    expect(gateway.log.findLast(({ msg }) => msg === 'operation')).toMatchObject({
      executor: 'compiled',
    });
  });

  test('has the exact digits and characters that the service sent', async () => {
    const sent = {
      id: '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f5001',
      status: 'PROCESSING',
      externalStatus: 'WAITING',
      category: 'Pix enviado',
      beneficiaryName: 'João "Jão" d’Ávila',
      type: 'PIX',
      createdAt: '2026-06-01T12:00:00.123Z',
    };
    const account = openAccount(gateway.bank, [
      { ...sent, amount: '12345678901234567.890', credit: false },
      { id: 'another', amount: '0.10', credit: true },
    ]);
    const { connection, answer } = await askSlice(gateway, account);
    expect(answer.errors).toBeUndefined();
    const [one, other] = connection.edges;
    const amounts = { amount: '12345678901234567.890', signedAmount: '-12345678901234567.890' };
    expect(one?.node).toMatchObject({ ...sent, ...amounts, credit: false });
    expect(other?.node).toMatchObject({ amount: '0.10', signedAmount: '0.10', credit: true });
  });
});

describe('BAD_USER_INPUT', () => {
  let account: string;
  let cursor: string;
  beforeEach(async () => {
    account = openAccount(gateway.bank);
    cursor = (await cursorsOf(gateway, account))[40] ?? '';
  });

  /**
   * Expects an error from the root field without any call, and from an account's field without a call for its
   * statement.
   */
  async function expectRefused(args: SliceArguments, id = account): Promise<void> {
    const { answer } = await askSlice(gateway, id, args);
    expect(answer).toMatchObject({ status: 200, data: { transactions: null } });
    expect(errorsOf(answer)).toEqual(['BAD_USER_INPUT at transactions']);
    expect(targetsOf(gateway.bank)).toEqual([]);
    if (id === account) await expectRefusedBelow(args);
  }

  async function expectRefusedBelow(args: SliceArguments): Promise<void> {
    const document = `query Below($id: ID!, $from: Date, $to: Date, $first: Int, $after: String, $last: Int, $before: String) {
      account(id: $id) { id transactions(from: $from, to: $to, first: $first, after: $after, last: $last, before: $before) { totalCount } }
    }`;
    const answer = await query(gateway, document, { variables: { id: account, ...args } });
    expect(answer).toMatchObject({
      status: 200,
      data: { account: { id: account, transactions: null } },
    });
    expect(errorsOf(answer)).toEqual(['BAD_USER_INPUT at account.transactions']);
    expect(targetsOf(gateway.bank)).toEqual(['/persons']);
  }

  test.each([
    'before',
    'first last',
    'first before',
    'after last',
    'after before',
    'first after last',
    'first after before',
    'first last before',
    'after last before',
    'first after last before',
  ])('is the error for the arguments "%s"', async (names) => {
    const all = { first: 5, after: cursor, last: 5, before: cursor };
    const given = Object.entries(all).filter(([name]) => names.split(' ').includes(name));
    await expectRefused(Object.fromEntries(given));
  });

  test.each([-1, 101, 2_147_483_647, -2_147_483_648])(
    'is the error for a slice of %d transactions',
    async (count) => {
      await expectRefused({ first: count });
      await expectRefused({ first: count, after: cursor });
      await expectRefused({ last: count });
      await expectRefused({ last: count, before: cursor });
    },
  );

  test.each([
    ['2026-01-02', '2026-01-01'],
    ['2026-02-01', '2026-01-31'],
    ['9999-12-31', '0001-01-01'],
  ])('is the error for a period from %s to %s', async (from, to) => {
    await expectRefused({ from, to });
    await expectRefused({ from, to, last: 0 });
  });

  test.each([
    '',
    'x',
    '0b6c1b4e6f0d4a539a0c6a1d2f7f2001',
    '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f200',
    '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2001 ',
    '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2001\n',
    'gb6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2001',
    '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2001/transactions',
    '../../persons',
    '%2e%2e/persons',
  ])('is the error for the id %j', async (id) => {
    await expectRefused({}, id);
  });

  test('is the error for a cursor of another account', async () => {
    const [other = ''] = await cursorsOf(gateway, openAccount(gateway.bank));
    await expectRefused({ after: other });
    await expectRefused({ last: 5, before: other });
  });

  test.each<[SliceArguments, SliceArguments]>([
    [{}, { from: '2026-01-01' }],
    [{}, { to: '2026-06-30' }],
    [{ from: '2026-01-01' }, {}],
    [{ from: '2026-01-01' }, { from: '2026-01-02' }],
    [{ from: '2026-01-01' }, { to: '2026-01-01' }],
    [{ to: '2026-06-30' }, { to: '2026-06-29' }],
    [{ from: '2026-01-01', to: '2026-06-30' }, { from: '2026-01-01' }],
  ])('is the error for a cursor issued for %j and used for %j', async (issued, used) => {
    const { connection } = await askSlice(gateway, account, issued);
    const { endCursor } = connection.pageInfo;
    expect(endCursor).not.toBeNull();
    await expectRefused({ ...used, after: endCursor });
    await expectRefused({ ...used, last: 5, before: endCursor });
  });

  test('is the error for a string that is not an issued cursor', async () => {
    const malformed = [
      ...['', ' ', 'x', '0', 'null', '.', '..........', 'Y3Vyc29yOjA=', 'x'.repeat(10_000)],
      ...[`${cursor} `, ` ${cursor}`, `${cursor}\n`, `${cursor}.`, `.${cursor}`, cursor + cursor],
      ...[cursor.slice(0, -1), cursor.slice(1), cursor.toUpperCase(), `3${cursor.slice(1)}`],
      encodeURIComponent(`${cursor}=`),
    ];
    for (const text of malformed) {
      await expectRefused({ after: text });
      await expectRefused({ last: 5, before: text });
    }
  });

  test('does not affect other fields', async () => {
    const answer = await query(
      gateway,
      'query Q($id: ID!) { bad: transactions(accountId: $id, first: -1) { totalCount } good: transactions(accountId: $id) { totalCount } }',
      { variables: { id: account } },
    );
    expect(answer.data).toEqual({ bad: null, good: { totalCount: 95 } });
    expect(errorsOf(answer)).toEqual(['BAD_USER_INPUT at bad']);
  });

  test.each([
    ['first', 'Int', 1.5],
    ['first', 'Int', '5'],
    ['last', 'Int', 2_147_483_648],
    ['after', 'String', 5],
    ['from', 'Date', '2026-02-30'],
    ['from', 'Date', '2026-1-1'],
    ['from', 'Date', '2026-01-01T00:00:00Z'],
    ['to', 'Date', ''],
    ['to', 'Date', 20_260_101],
    ['accountId', 'ID!', null],
  ])(
    'is the error for the variable %s of type %s with the value %j, before any field is executed',
    async (name, type, value) => {
      const id = name === 'accountId' ? '' : `accountId: "${account}", `;
      const document = `query Q($v: ${type}) { transactions(${id}${name}: $v) { totalCount } me { __typename } }`;
      gateway.bank.resetCalls();
      for (const [accept, status] of [
        ['application/json', 200],
        ['application/graphql-response+json', 400],
      ] as const) {
        const headers = { accept };
        const answer = await query(gateway, document, { variables: { v: value }, headers });
        expect(answer.status).toBe(status);
        expect(answer.data).toBeUndefined();
        expect(new Set(errorsOf(answer))).toEqual(new Set(['BAD_USER_INPUT at ']));
      }
      expect(targetsOf(gateway.bank)).toEqual([]);
    },
  );
});

describe('ids', () => {
  test('are compared without regard to case, even in cursors', async () => {
    const account = openAccount(gateway.bank);
    const upper = account.toUpperCase();
    for (const [one, other] of [
      [account, upper],
      [upper, account],
    ] as const) {
      const { cursor } = await askSlice(gateway, one);
      const { ids } = await askSlice(gateway, other, { after: cursor(-1) });
      expect(ids).toEqual(idsOf(gateway.bank, account).slice(20, 40));
    }
  });

  test('of unknown accounts and of other holders’ accounts fail with NOT_FOUND', async () => {
    const others = gateway.bank.holders.flatMap(({ accounts, kind }) =>
      kind === 'COMPANY' ? accounts : [],
    );
    for (const id of ['00000000-0000-0000-0000-000000000000', ...others]) {
      const { answer } = await askSlice(gateway, id);
      expect(answer).toMatchObject({ status: 200, data: { transactions: null } });
      expect(errorsOf(answer)).toEqual(['NOT_FOUND at transactions']);
    }
  });
});

describe('from and to', () => {
  test.each<[SliceArguments, string]>([
    [{}, ''],
    [{ from: null, to: null }, ''],
    [{ from: '2026-03-01' }, '&startDate=2026-03-01'],
    [{ to: '2026-03-31' }, '&endDate=2026-03-31'],
    [{ from: '2026-03-01', to: '2026-03-31' }, '&startDate=2026-03-01&endDate=2026-03-31'],
    [{ from: '2026-03-01', to: '2026-03-01' }, '&startDate=2026-03-01&endDate=2026-03-01'],
    [{ from: '2024-02-29' }, '&startDate=2024-02-29'],
  ])('of %j are sent upstream as %j', async (args, dates) => {
    const account = openAccount(gateway.bank);
    await askSlice(gateway, account, args);
    expect(targetsOf(gateway.bank)).toEqual([`/accounts/${account}/transactions?page=0${dates}`]);
  });

  test('apply to every page of a walk, and to totalCount', async () => {
    const account = openAccount(gateway.bank);
    const within = gateway.bank
      .statement(account)
      .filter(({ createdAt }) => createdAt >= '2026-03-01' && createdAt < '2026-05-01');
    const dates = { from: '2026-03-01', to: '2026-04-30' };
    const seen: (string | undefined)[] = [];
    for (let after: string | null = null, more = true; more;) {
      const slice: AskedSlice = await askSlice(gateway, account, { ...dates, first: 9, after });
      expect(slice.connection.totalCount).toBe(within.length);
      for (const call of gateway.bank.calls())
        expect(call.query).toMatchObject({ startDate: dates.from, endDate: dates.to });
      seen.push(...slice.ids);
      ({ endCursor: after, hasNextPage: more } = slice.connection.pageInfo);
    }
    expect(within.length).toBeGreaterThan(20);
    expect(seen).toEqual(within.map(({ id }) => id));
  });
});
