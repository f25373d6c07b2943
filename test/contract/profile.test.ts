// The holder and its accounts (docs/schema.md): their fields, the calls that they need, and how the gateway determines
// the kind of a token's holder.
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { HolderSummary } from '../../src/sandbox/data/directory.ts';
import { errorsOf } from '../support/answers.ts';
import { answerWith, holderOf, targetsOf } from '../support/bank.ts';
import { accountFields, meFields } from '../support/documents.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway } from '../support/gateway.ts';
import {
  companyTextWith,
  personText,
  shownAccounts,
  shownAddress,
  shownHolder,
  shownIndividual,
} from '../support/profiles.ts';
import { callerHeaders, codesOf, query } from '../support/query.ts';

const gateway = await gatewayOfFile();

const profileDocument = `query Profile($id: ID!) {
  me { ${meFields} }
  accounts { ${accountFields} }
  account(id: $id) { ${accountFields} }
}`;

const violationsAt = (...paths: string[]) =>
  paths.map((path) => `UPSTREAM_CONTRACT_VIOLATION at ${path}`);

/** The claims of a new token, which does not state the kind of its holder. */
const kindless = () => ({ entityType: undefined, jti: randomUUID() });

describe('a person', () => {
  test('has every field as the service sent it, in one call', async () => {
    answerWith(gateway.bank, { route: 'persons' }, personText);
    const variables = { id: shownAccounts[1]?.id };
    const answer = await query(gateway, profileDocument, { variables });
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual({
      me: {
        __typename: 'Person',
        ...shownHolder,
        accounts: shownAccounts,
        individual: shownIndividual,
        address: shownAddress,
      },
      accounts: shownAccounts,
      account: shownAccounts[1],
    });
    expect(targetsOf(gateway.bank)).toEqual(['/persons']);
  });

  test('has null, without an error, for a missing individual and a null address', async () => {
    answerWith(gateway.bank, { route: 'persons' }, '{"person": {"id": "p"}, "address": null}');
    const document =
      '{ me { ... on Person { id individual { id } address { id } } } accounts { id } }';
    const answer = await query(gateway, document);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual({
      me: { id: 'p', individual: null, address: null },
      accounts: null,
    });
  });
});

describe('a company', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjIn0.company-token';
  const ask = async () => {
    const headers = await callerHeaders(gateway.bank, holderOf(gateway.bank, 'COMPANY'));
    return query(gateway, profileDocument, { headers, variables: { id: shownAccounts[0]?.id } });
  };

  test('has every field as the service sent it, in one call', async () => {
    answerWith(gateway.bank, { route: 'companies' }, companyTextWith(token));
    const answer = await ask();
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual({
      me: { __typename: 'Company', ...shownHolder, accounts: shownAccounts },
      accounts: shownAccounts,
      account: shownAccounts[0],
    });
    expect(targetsOf(gateway.bank)).toEqual(['/companies']);
  });

  test.each([
    ['a valid answer', companyTextWith(token)],
    ['an entity that is a string', `{"token": "${token}", "entity": "${token}", "accounts": []}`],
    ['the token inside the entity', `{"token": "${token}", "entity": {"token": "${token}"}}`],
    ['a truncated answer', companyTextWith(token).slice(0, -1)],
    ['an answer that is a string', `"${token}"`],
  ])('never exposes the token that the service sends in its answer: %s', async (_name, text) => {
    answerWith(gateway.bank, { route: 'companies' }, text);
    const { headers, text: shown } = await ask();
    expect(shown + JSON.stringify([...headers, gateway.log])).not.toContain('company-token');
  });
});

describe('a token whose claim does not name the kind of holder', () => {
  const me = '{ me { __typename } }';
  const ask = async (holder: HolderSummary, claims: Readonly<Record<string, unknown>>) => {
    const headers = await callerHeaders(gateway.bank, holder, claims);
    return () => query(gateway, me, { headers });
  };

  test.each([403, 404] as const)(
    'is recognised and remembered as a company’s if /persons answers %d',
    async (wrongKind) => {
      gateway.bank.configure({ wrongKind });
      const askAgain = await ask(holderOf(gateway.bank, 'COMPANY'), kindless());
      expect((await askAgain()).data).toEqual({ me: { __typename: 'Company' } });
      expect(targetsOf(gateway.bank)).toEqual(['/persons', '/companies']);
      expect((await askAgain()).data).toEqual({ me: { __typename: 'Company' } });
      expect(targetsOf(gateway.bank).slice(2)).toEqual(['/companies']);
    },
  );

  test('is recognised and remembered as a person’s with one call', async () => {
    const askAgain = await ask(holderOf(gateway.bank, 'PERSON'), kindless());
    for (const calls of [1, 2]) {
      expect((await askAgain()).data).toEqual({ me: { __typename: 'Person' } });
      expect(targetsOf(gateway.bank)).toEqual(Array(calls).fill('/persons'));
    }
  });

  test.each(['ROBOT', 'company', '', null, 7, true, ['COMPANY'], { kind: 'COMPANY' }])(
    'needs a look-up of the kind if the claim is %j',
    async (entityType) => {
      const askAgain = await ask(holderOf(gateway.bank, 'COMPANY'), {
        entityType,
        jti: randomUUID(),
      });
      expect((await askAgain()).data).toEqual({ me: { __typename: 'Company' } });
      expect(targetsOf(gateway.bank)).toEqual(['/persons', '/companies']);
    },
  );

  test('needs no look-up of the kind if JWT_ENTITY_TYPE_CLAIM is the name of another claim, which names the kind', async () => {
    const env = { JWT_ENTITY_TYPE_CLAIM: 'urn:kind' };
    await using other = await startTestGateway(env, { bank: gateway.bank });
    const claims = { entityType: 'PERSON', 'urn:kind': 'COMPANY' };
    const headers = await callerHeaders(gateway.bank, holderOf(gateway.bank, 'COMPANY'), claims);
    expect((await query(other, me, { headers })).data).toEqual({ me: { __typename: 'Company' } });
    expect(targetsOf(gateway.bank)).toEqual(['/companies']);
  });

  test('needs one look-up of the kind per operation, however many fields need the kind', async () => {
    const headers = await callerHeaders(
      gateway.bank,
      holderOf(gateway.bank, 'COMPANY'),
      kindless(),
    );
    const document = '{ a: me { __typename } b: me { __typename } accounts { id } }';
    expect((await query(gateway, document, { headers })).errors).toBeUndefined();
    expect(targetsOf(gateway.bank)).toEqual(['/persons', '/companies']);
  });

  test('may belong to a person in one tenant and to a company in another', async () => {
    const { id, tenant } = holderOf(gateway.bank, 'PERSON');
    const another = gateway.bank.addHolder({ id, kind: 'COMPANY', tenant: 'another' });
    const { authorization } = await callerHeaders(
      gateway.bank,
      holderOf(gateway.bank, 'PERSON'),
      kindless(),
    );
    for (const [name, kind] of [
      [tenant, 'Person'],
      [another.tenant, 'Company'],
      [tenant, 'Person'],
    ] as const) {
      const headers = { authorization, 'x-tenant-id': name };
      const { data } = await query(gateway, me, { headers });
      expect(data).toEqual({ me: { __typename: kind } });
    }
  });

  test.each([
    ['401', { kind: 'status', status: 401 }, 'UNAUTHENTICATED'],
    ['429', { kind: 'status', status: 429 }, 'RATE_LIMITED'],
    ['500', { kind: 'status', status: 500 }, 'UPSTREAM_UNAVAILABLE'],
    ['504', { kind: 'status', status: 504 }, 'UPSTREAM_UNAVAILABLE'],
    ['400', { kind: 'status', status: 400 }, 'UPSTREAM_REJECTED'],
    ['an HTML page', { kind: 'html' }, 'UPSTREAM_CONTRACT_VIOLATION'],
  ] as const)(
    'needs another look-up of the kind after an endpoint has answered with %s',
    async (_name, fault, code) => {
      const askAgain = await ask(holderOf(gateway.bank, 'COMPANY'), kindless());
      gateway.bank.addFault({ ...fault, times: 1, match: { route: 'persons' } });
      gateway.bank.addFault({ ...fault, times: 1, match: { route: 'companies' } });
      expect(codesOf(await askAgain()), 'at /persons').toEqual([code]);
      expect(targetsOf(gateway.bank)).toEqual(['/persons']);
      expect(codesOf(await askAgain()), 'at /companies').toEqual([code]);
      expect((await askAgain()).data).toEqual({ me: { __typename: 'Company' } });
      const secondAndThird = ['/persons', '/companies', '/persons', '/companies'];
      expect(targetsOf(gateway.bank).slice(1)).toEqual(secondAndThird);
    },
  );

  test.each([
    [403, 403],
    [404, 404],
    [403, 404],
    [404, 403],
  ])(
    'fails with FORBIDDEN at every request if the endpoints answer %d and %d',
    async (one, other) => {
      const askAgain = await ask(holderOf(gateway.bank, 'PERSON'), kindless());
      gateway.bank.addFault({ kind: 'status', status: one, match: { route: 'persons' } });
      gateway.bank.addFault({ kind: 'status', status: other, match: { route: 'companies' } });
      for (const calls of [2, 4]) {
        const answer = await askAgain();
        expect(answer).toMatchObject({ status: 200, data: { me: null } });
        expect(errorsOf(answer)).toEqual(['FORBIDDEN at me']);
        expect(targetsOf(gateway.bank)).toHaveLength(calls);
      }
    },
  );

  test('needs another look-up of the kind after the remembered endpoint has rejected the token', async () => {
    const holder = gateway.bank.addHolder({ kind: 'COMPANY', tenant: 'another' });
    const askAgain = await ask(holder, kindless());
    await askAgain();
    gateway.bank.addFault({ kind: 'status', status: 404, times: 1, match: { route: 'companies' } });
    expect(codesOf(await askAgain())).toEqual(['UPSTREAM_REJECTED']);
    gateway.bank.resetCalls();
    expect((await askAgain()).data).toEqual({ me: { __typename: 'Company' } });
    expect(targetsOf(gateway.bank)).toEqual(['/persons', '/companies']);
  });

  test('needs another look-up of the kind once its exp has passed', async () => {
    let nowMs = Date.now();
    await using other = await startTestGateway({}, { bank: gateway.bank, now: () => nowMs });
    const exp = Math.floor(nowMs / 1000) + 600;
    const claims = { ...kindless(), exp };
    const headers = await callerHeaders(gateway.bank, holderOf(gateway.bank, 'COMPANY'), claims);
    await query(other, me, { headers });
    nowMs = exp * 1000 - 1;
    await query(other, me, { headers });
    expect(targetsOf(gateway.bank)).toEqual(['/persons', '/companies', '/companies']);
    // The token is still accepted within the clock skew, but the cached kind of its holder has expired.
    nowMs = exp * 1000;
    await query(other, me, { headers });
    expect(targetsOf(gateway.bank).slice(3)).toEqual(['/persons', '/companies']);
  });
});

describe('a token whose claim names the kind of holder', () => {
  test.each([
    [403, 'FORBIDDEN'],
    [404, 'UPSTREAM_REJECTED'],
  ])(
    'is not sent to the other endpoint if the service answers %d, and fails with %s',
    async (status, code) => {
      gateway.bank.addFault({ kind: 'status', status });
      const answer = await query(gateway, '{ me { __typename } accounts { id } }');
      expect(answer).toMatchObject({ status: 200, data: { me: null, accounts: null } });
      expect(errorsOf(answer)).toEqual([`${code} at accounts`, `${code} at me`]);
      expect(targetsOf(gateway.bank)).toEqual(['/persons']);
    },
  );

  test('is used at the endpoint of that kind, even if the claim is wrong', async () => {
    const headers = await callerHeaders(gateway.bank, holderOf(gateway.bank, 'COMPANY'), {
      entityType: 'PERSON',
    });
    const answer = await query(gateway, '{ me { __typename } }', { headers });
    expect(codesOf(answer)).toEqual(['FORBIDDEN']);
    expect(targetsOf(gateway.bank)).toEqual(['/persons']);
  });
});

describe('one profile call', () => {
  test('serves ten aliases of me, accounts and account', async () => {
    const { accounts } = holderOf(gateway.bank, 'PERSON');
    const [first, second] = accounts;
    const answer = await query(
      gateway,
      `query Aliases($a: ID!, $b: ID!) {
        m1: me { __typename } m2: me { ... on Person { name } } m3: me { ... on AccountHolder { accounts { id } } }
        l1: accounts { id } l2: accounts { balance } l3: accounts { id bank }
        a1: account(id: $a) { id } a2: account(id: $b) { id } a3: account(id: $a) { balance }
        a4: account(id: "00000000-0000-0000-0000-000000000000") { id }
      }`,
      { variables: { a: first, b: second } },
    );
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toMatchObject({
      m1: { __typename: 'Person' },
      m2: { name: 'Ana Beatriz Moreira da Silva' },
      l1: accounts.map((id) => ({ id })),
      a1: { id: first },
      a2: { id: second },
      a3: { balance: '1523.40' },
      a4: null,
    });
    expect(targetsOf(gateway.bank)).toEqual(['/persons']);
  });

  test('is not reused for the next operation', async () => {
    const before = await query(gateway, '{ accounts { id } }');
    const { id, tenant } = holderOf(gateway.bank, 'PERSON');
    const opened = gateway.bank.addAccount(id, { tenant });
    const after = await query(gateway, '{ accounts { id } }');
    expect(before.text).not.toContain(opened);
    expect(after.text).toContain(opened);
    expect(targetsOf(gateway.bank)).toEqual(['/persons', '/persons']);
  });

  test('that fails causes one error for each field that needs it', async () => {
    gateway.bank.addFault({ kind: 'status', status: 500 });
    const [id] = holderOf(gateway.bank, 'PERSON').accounts;
    const document = `{ __typename me { __typename } accounts { id } account(id: "${id}") { id } }`;
    const answer = await query(gateway, document);
    const nothing = { me: null, accounts: null, account: null };
    expect(answer).toMatchObject({ status: 200, data: { __typename: 'Query', ...nothing } });
    expect(errorsOf(answer)).toEqual(
      ['account', 'accounts', 'me'].map((field) => `UPSTREAM_UNAVAILABLE at ${field}`),
    );
    expect(targetsOf(gateway.bank)).toEqual(['/persons']);
  });
});

describe('account(id)', () => {
  const account = 'query Account($id: ID!) { account(id: $id) { id balance } me { __typename } }';

  test('finds an account by its id in any case', async () => {
    const [id = ''] = holderOf(gateway.bank, 'PERSON').accounts;
    const answer = await query(gateway, account, { variables: { id: id.toUpperCase() } });
    expect(answer.errors).toBeUndefined();
    expect(answer.data?.['account']).toEqual({ id, balance: '1523.40' });
  });

  test('finds an account whose id is in upper case at the service, and returns that spelling', async () => {
    const id = '0B6C1B4E-6F0D-4A53-9A0C-6A1D2F7F2001';
    answerWith(gateway.bank, {}, `{"person": {"id": "p"}, "accounts": [{"id": "${id}"}]}`);
    const answer = await query(gateway, account, { variables: { id: id.toLowerCase() } });
    expect(answer.data?.['account']).toEqual({ id, balance: null });
  });

  test('is null, without an error, for an unknown account and for an account of another holder', async () => {
    const [others = ''] = holderOf(gateway.bank, 'COMPANY').accounts;
    for (const id of ['00000000-0000-0000-0000-000000000000', others]) {
      const answer = await query(gateway, account, { variables: { id } });
      expect(answer.errors).toBeUndefined();
      expect(answer.data).toEqual({ account: null, me: { __typename: 'Person' } });
    }
    expect(targetsOf(gateway.bank)).toEqual(['/persons', '/persons']);
  });

  test('is null for the same holder’s account in another tenant', async () => {
    const { id: holder } = holderOf(gateway.bank, 'PERSON');
    const elsewhere = gateway.bank.holders.filter(({ id }) => id === holder)[1];
    const variables = { id: elsewhere?.accounts[0] };
    expect((await query(gateway, account, { variables })).data?.['account']).toBeNull();
  });

  test.each([
    '',
    'x',
    '7',
    '0b6c1b4e6f0d4a539a0c6a1d2f7f2001',
    '{0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2001}',
    'urn:uuid:0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2001',
    '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2001 ',
    '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2001\n',
    '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f200g',
    '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f20010',
    '../persons',
  ])('fails with BAD_USER_INPUT for the id %j, before any call', async (id) => {
    const alone = 'query Account($id: ID!) { account(id: $id) { id } }';
    const answer = await query(gateway, alone, { variables: { id } });
    expect(answer).toMatchObject({ status: 200, data: { account: null } });
    expect(errorsOf(answer)).toEqual(['BAD_USER_INPUT at account']);
    expect(targetsOf(gateway.bank)).toEqual([]);
  });

  test('does not affect other fields if its id is malformed', async () => {
    const answer = await query(gateway, account, { variables: { id: 'x' } });
    expect(answer.data).toEqual({ account: null, me: { __typename: 'Person' } });
    expect(errorsOf(answer)).toEqual(['BAD_USER_INPUT at account']);
  });
});

describe('accounts', () => {
  const ids = `{ accounts { id bank } me { ... on AccountHolder { id accounts { id } } }
    account(id: "${shownAccounts[0]?.id}") { bank } }`;
  const person = '"person": {"id": "p"}';
  const good = JSON.stringify({ id: shownAccounts[0]?.id, bank: '301' });
  const ask = (text: string) => {
    answerWith(gateway.bank, { route: 'persons' }, text);
    return query(gateway, ids);
  };

  test.each([
    ['null', `{${person}, "accounts": null}`],
    ['missing', `{${person}}`],
  ])('are null without an error if they are %s', async (_name, text) => {
    const answer = await ask(text);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual({ accounts: null, me: { id: 'p', accounts: null }, account: null });
  });

  test('may be empty', async () => {
    const answer = await ask(`{${person}, "accounts": []}`);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual({ accounts: [], me: { id: 'p', accounts: [] }, account: null });
  });

  test.each([
    ['null', 'null'],
    ['a string', '"x"'],
    ['a list', '[]'],
    ['without an id', '{"bank": "1"}'],
    ['with an id that is null', '{"id": null}'],
    ['with an id that is a number', '{"id": 7}'],
    ['with an id that is empty', '{"id": ""}'],
  ])('are answered even if an adjacent element of the list is %s', async (_name, element) => {
    const answer = await ask(`{${person}, "accounts": [${element}, ${good}, ${element}]}`);
    expect(answer.data).toEqual({
      accounts: [null, { id: shownAccounts[0]?.id, bank: '301' }, null],
      me: { id: 'p', accounts: [null, { id: shownAccounts[0]?.id }, null] },
      account: { bank: '301' },
    });
    expect(errorsOf(answer)).toEqual(
      violationsAt('accounts.0', 'accounts.2', 'me.accounts.0', 'me.accounts.2'),
    );
  });

  test('that are not a list cause a violation, for account(id) too', async () => {
    const answer = await ask(`{${person}, "accounts": {"0": ${good}}}`);
    expect(answer.data).toEqual({ accounts: null, me: { id: 'p', accounts: null }, account: null });
    expect(errorsOf(answer)).toEqual(violationsAt('account', 'accounts', 'me.accounts'));
  });
});

describe('the holder', () => {
  const document = '{ me { __typename ... on AccountHolder { id name } } accounts { id } }';

  test.each([
    ['null', '{"person": null, "accounts": [{"id": "9c2f7b1e-6d34-4a58-8e07-1b5a3c9d2f60"}]}'],
    ['missing', '{"accounts": [{"id": "9c2f7b1e-6d34-4a58-8e07-1b5a3c9d2f60"}]}'],
  ])('is null without an error if it is %s, and the accounts are answered', async (_name, text) => {
    answerWith(gateway.bank, { route: 'persons' }, text);
    const answer = await query(gateway, document);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual({
      me: null,
      accounts: [{ id: '9c2f7b1e-6d34-4a58-8e07-1b5a3c9d2f60' }],
    });
  });

  test.each(['{"name": "x"}', '{"id": null}', '{"id": 7}', '{"id": ""}', '[]', '7', '"x"', 'true'])(
    'fails with a violation if it is %s, and the accounts are answered',
    async (holder) => {
      answerWith(
        gateway.bank,
        {},
        `{"person": ${holder}, "accounts": [{"id": "9c2f7b1e-6d34-4a58-8e07-1b5a3c9d2f60"}]}`,
      );
      const answer = await query(gateway, document);
      expect(answer.data).toEqual({
        me: null,
        accounts: [{ id: '9c2f7b1e-6d34-4a58-8e07-1b5a3c9d2f60' }],
      });
      expect(errorsOf(answer)).toEqual(violationsAt('me'));
    },
  );
});
