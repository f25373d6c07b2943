// The limits of one answer: the fields of references, the values in slices, and the errors.
import { describe, expect, test, vi } from 'vitest';
import { expectRefusal } from '../support/attack.ts';
import { answerWith } from '../support/bank.ts';
import { transactionFields } from '../support/documents.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { callerHeaders, codesOf, firstHolder, post, query } from '../support/query.ts';
import { statementText } from '../support/statements.ts';

const gateway = await gatewayOfFile();
const accountId = firstHolder(gateway.bank).accounts[0] ?? '';

const aliased = (count: number, field: string) =>
  Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ');

describe('an operation with references', () => {
  const refused = { status: 400, code: 'OPERATION_TOO_COMPLEX' };
  const rows = (first: number) => `transactions(first: ${first}) { nodes { id } }`;
  const send = async (selection: string, references: number) => {
    const reference = { __typename: 'Account', id: accountId };
    const text = `query ($r: [_Any!]!) { _entities(representations: $r) { ${selection} } }`;
    const variables = { r: Array.from({ length: references }, () => reference) };
    const headers = await callerHeaders(gateway.bank);
    return post(gateway, JSON.stringify({ query: text, variables }), { headers });
  };

  test.each([
    ['11 aliases of a field', `... on Account { ${aliased(11, 'bank')} }`, 1000],
    ['30 invalid statements', `... on Account { ${aliased(30, rows(101))} }`, 1000],
    ['3 statements of 100 rows', `... on Account { ${aliased(3, rows(100))} }`, 1000],
    ['a statement', `... on Account { ${rows(1)} }`, 99],
    ['an investmentAccount', '... on Account { investmentAccount }', 101],
    ['10 investmentAccounts', `... on Account { ${aliased(10, 'investmentAccount')} }`, 11],
  ])(
    'is rejected before execution if it selects more than 10 × MAX_REPRESENTATIONS fields of the references: %s of each account',
    async (_name, selection, references) => {
      await expectRefusal(gateway, refused, () => send(selection, references));
    },
  );

  test('is rejected before execution if repeated spreads of a fragment select more than 10 × MAX_REPRESENTATIONS fields', async () => {
    const text = `query ($r: [_Any!]!) { _entities(representations: $r) { ...F ...F } }
      fragment F on Account { ...G ...G } fragment G on Account { bank agency number }`;
    const r = Array.from({ length: 1000 }, () => ({ __typename: 'Account', id: accountId }));
    await expectRefusal(gateway, refused, () => query(gateway, text, { variables: { r } }));
  });

  test('is answered if it selects at most 10 × MAX_REPRESENTATIONS fields of the references', async () => {
    const all = '__typename ... on Account { id bank agency number balance status isEscrow }';
    const answer = await send(all, 1000);
    expect(answer.errors).toBeUndefined();
    expect(answer.data?.['_entities']).toHaveLength(1000);
    expect((await send('... on Account { investmentAccount }', 100)).errors).toBeUndefined();
  });
});

const slice = `transactions(first: 100) { nodes { ${transactionFields} } }`;

describe('the limit of 50,000 values in the slices of an operation', () => {
  test('allows 30 aliases of a slice of up to 100 transactions of one account', async () => {
    const answer = await query(
      gateway,
      `{ account(id: "${accountId}") { ${aliased(30, slice)} } }`,
    );
    expect(answer.errors).toBeUndefined();
  });

  test('fails each slice beyond the limit, and the other slices are answered', async () => {
    const answer = await query(gateway, `{ accounts { ${aliased(29, slice)} } }`);
    expect(new Set(codesOf(answer))).toEqual(new Set(['OPERATION_TOO_COMPLEX']));
    const [first, , , last] = answer.data?.['accounts'] as Record<string, unknown>[];
    expect(first?.['a28']).toHaveProperty('nodes');
    expect(last?.['a28']).toBeNull();
  });

  test('also counts aliases within a slice', async () => {
    const inner = `transactions(first: 100) { edges { ${aliased(29, `node { ${transactionFields} }`)} } }`;
    const answer = await query(gateway, `{ accounts { ${inner} } }`);
    expect(codesOf(answer)).toEqual([
      'OPERATION_TOO_COMPLEX',
      'OPERATION_TOO_COMPLEX',
      'OPERATION_TOO_COMPLEX',
    ]);
  });

  test('causes 500 errors, and one that states that there are more, for 204 accounts with 30 aliases each', async () => {
    const { id, tenant } = firstHolder(gateway.bank);
    for (let left = 200; left > 0; left--) gateway.bank.addAccount(id, { tenant });
    const answer = await query(
      gateway,
      `{ accounts { ${aliased(30, 'transactions { totalCount }')} } }`,
    );
    expect(answer.data?.['accounts']).toHaveLength(204);
    expect(codesOf(answer)).toEqual(Array(501).fill('OPERATION_TOO_COMPLEX'));
    const messages = answer.errors?.map(({ message }) => message) ?? [];
    expect(messages.indexOf('The operation has more errors than this answer lists.')).toBe(500);
  });

  test('counts a slice once even if graphql-js reads it again after the fast path', async () => {
    const document = `query ($n: Int) { account(id: "${accountId}") {
      ${aliased(25, slice)} last: transactions(first: $n) { totalCount } } }`;
    const ask = (n: number) => query(gateway, document, { variables: { n } });
    for (let times = 0; times < 3; times++) expect((await ask(1)).errors).toBeUndefined();
    expect(codesOf(await ask(101))).toEqual(['BAD_USER_INPUT']);
  });
});

describe('the limit of 50,000 values in the accounts and slices of an operation', () => {
  const profile = (accounts: number) =>
    JSON.stringify({
      person: { id: 'p' },
      accounts: Array.from({ length: accounts }, () => ({ id: accountId })),
    });
  const ask = (accounts: number, document: string, variables = {}) => {
    gateway.bank.clearFaults();
    answerWith(gateway.bank, { route: 'persons' }, profile(accounts));
    return query(gateway, document, { variables });
  };

  test('counts each selected field of each account once for each alias of the list', async () => {
    const document = `{ me { ... on Person { accounts { ...F } } } ${aliased(9, 'accounts { ...F }')} }
      fragment F on Account { id ... { investmentAccount } }`;
    for (let times = 0; times < 3; times++) {
      expect((await ask(2500, document)).errors).toBeUndefined();
      expect(codesOf(await ask(2501, document))).toEqual(['OPERATION_TOO_COMPLEX']);
    }
  });

  test('counts a statement of an account as one of its fields, and its values separately', async () => {
    const document = `{ accounts { bank ${slice} } }`;
    // `nodes` counts as a field too, and so do the two fields of each account.
    const valuesOfSlice = 100 * (transactionFields.split(' ').length + 1);
    const most = Math.floor(50_000 / (valuesOfSlice + 2));
    expect((await ask(most, document)).errors).toBeUndefined();
    const answer = await ask(most + 1, document);
    expect(codesOf(answer)).toEqual(['OPERATION_TOO_COMPLEX']);
    expect(answer.errors?.[0]?.path).toEqual(['accounts', most, 'transactions']);
  });

  test('fails only the list beyond the limit', async () => {
    const answer = await ask(
      5000,
      `{ first: accounts { ${aliased(8, 'id')} } second: accounts { id bank agency } me { __typename } }`,
    );
    expect(answer.errors).toMatchObject([
      {
        path: ['second'],
        message: 'The operation selects more than 50000 field values in lists.',
        extensions: { code: 'OPERATION_TOO_COMPLEX' },
      },
    ]);
    expect(answer.data).toMatchObject({ second: null, me: { __typename: 'Person' } });
    expect(answer.data?.['first']).toHaveLength(5000);
  });

  test('causes 500 errors for lists, and one that states that there are more; the further lists are null', async () => {
    const [lists, within] = [1000, 495];
    const r = Array.from({ length: lists }, () => ({ __typename: 'Person', id: 'p' }));
    const document = `query ($r: [_Any!]!) {
      _entities(representations: $r) { ... on Person { accounts { id } } } }`;
    const answer = await ask(101, document, { r });
    expect(answer.errors).toHaveLength(501);
    const { path, extensions } = answer.errors?.[500] ?? {};
    expect(path).toEqual(['_entities', within + 500, 'accounts']);
    expect(extensions).toEqual({ code: 'OPERATION_TOO_COMPLEX' });
    const found = answer.data?.['_entities'] as { accounts: unknown }[];
    expect(found.filter(({ accounts }) => accounts !== null)).toHaveLength(within);
    expect(found).toHaveLength(lists);
  });
});

test('an answer lists at most 1,000 errors, and the last one states that there are more', async () => {
  const { data } = JSON.parse(statementText) as { data: object[] };
  const rows = Array.from({ length: 100 }, (_, i) => ({
    ...data[0],
    id: `0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f${5000 + i}`,
    category: 7,
  }));
  const pagination = { totalItems: 100, currentPage: 0, itemsPerPage: 100, totalPages: 1 };
  answerWith(gateway.bank, { route: 'transactions' }, JSON.stringify({ data: rows, pagination }));
  const nodes = 'transactions(first: 100) { nodes { category } }';
  const answer = await query(gateway, `{ account(id: "${accountId}") { ${aliased(30, nodes)} } }`);
  expect(answer.errors).toHaveLength(1000);
  expect(new Set(codesOf(answer).slice(0, 999))).toEqual(new Set(['UPSTREAM_CONTRACT_VIOLATION']));
  expect(answer.errors?.at(-1)).toEqual({
    message: 'The operation has more errors than this answer lists.',
    extensions: { code: 'OPERATION_TOO_COMPLEX' },
  });
});

test('an answer that would be too long is no defect in the log, although fields that cannot be null are dropped', async () => {
  const person = { id: 'p', name: 'x'.repeat(300_000) };
  answerWith(gateway.bank, { route: 'persons' }, JSON.stringify({ person }));
  const from = gateway.log.length;
  const answer = await query(gateway, `{ me { ... on Person { ${aliased(29, 'name')} id } } }`);
  expect(codesOf(answer)).toEqual(['OPERATION_TOO_COMPLEX']);
  expect(answer.data).toBeNull();
  const messages = () => gateway.log.slice(from).map(({ msg }) => msg);
  await vi.waitFor(() => expect(messages()).toContain('operation'));
  expect(messages()).toEqual(['operation']);
});
