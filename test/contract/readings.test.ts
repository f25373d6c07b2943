// Answers of services that state things in another form than the API description, and texts that would make the whole
// answer invalid for strict JSON parsers.
import { describe, expect, test } from 'vitest';
import { answerWith, holderOf, targetsOf } from '../support/bank.ts';
import { gatewayOfTest } from '../support/fixtures.ts';
import { query } from '../support/query.ts';

const route = (name: 'persons' | 'transactions') => ({ route: name });

const id = '0b1f7c1e-53a5-4f4e-8d9b-2f0d7a4b1c11';

async function start(env: Readonly<Record<string, string>> = {}) {
  const gateway = await gatewayOfTest(env);
  const [account = ''] = holderOf(gateway.bank, 'PERSON').accounts;
  return { gateway, account };
}

describe('half of a surrogate pair', () => {
  test('in a text makes this field null, and a whole pair is kept', async () => {
    const { gateway, account } = await start();
    const row = (name: string, n: number) =>
      `{"id":"${n}","beneficiaryName":"${name}","category":"c"}`;
    answerWith(
      gateway.bank,
      route('transactions'),
      `{"data":[${['Jo\\ud83d', 'Ana \\uD83D\\uDE00', '\\uDe00\\ud83D'].map(row).join(',')}],
        "pagination":{"totalItems":3,"currentPage":0,"itemsPerPage":20}}`,
    );
    const document = `{ transactions(accountId: "${account}") { nodes { beneficiaryName category } } }`;
    const { data, errors, text } = await query(gateway, document);
    expect(text).not.toMatch(/\\ud[89a-f]/i);
    expect(data).toEqual({
      transactions: {
        nodes: [null, 'Ana 😀', null].map((beneficiaryName) => ({
          beneficiaryName,
          category: 'c',
        })),
      },
    });
    expect(errors?.map(({ path }) => path)).toEqual(
      [0, 2].map((n) => ['transactions', 'nodes', n, 'beneficiaryName']),
    );
  });

  test.each([
    ['a value', '{"note":"cut \\ud83d"}'],
    ['a nested value', '{"a":[{"b":"\\udfff"}]}'],
    ['a key', '{"\\uD800":1}'],
  ])('in %s of investmentAccount makes it null', async (_what, investmentAccount) => {
    const { gateway } = await start();
    const account = `{"id":"${id}","bank":"001","investmentAccount":${investmentAccount}}`;
    answerWith(gateway.bank, route('persons'), `{"person":{"id":"p"},"accounts":[${account}]}`);
    const { data, errors } = await query(gateway, '{ accounts { bank investmentAccount } }');
    expect(data).toEqual({ accounts: [{ bank: '001', investmentAccount: null }] });
    expect(errors).toMatchObject([
      {
        path: ['accounts', 0, 'investmentAccount'],
        message: expect.stringContaining('has half of a surrogate pair') as string,
      },
    ]);
  });
});

test('an individual and an address without members are null, without an error', async () => {
  const { gateway } = await start();
  answerWith(
    gateway.bank,
    route('persons'),
    '{"person":{"id":"p"},"individual":{},"address":{ },"accounts":[]}',
  );
  const document = '{ me { ... on Person { id individual { id } address { city } } } }';
  const { data, errors } = await query(gateway, document);
  expect(errors).toBeUndefined();
  expect(data).toEqual({ me: { id: 'p', individual: null, address: null } });
});

test('numbers of pagination may be texts of digits', async () => {
  const { gateway, account } = await start();
  answerWith(
    gateway.bank,
    route('transactions'),
    `{"data":[{"id":"${id}"}],"pagination":{"totalItems":"1","currentPage":"0","itemsPerPage":"20"}}`,
  );
  const document = `{ transactions(accountId: "${account}") { totalCount nodes { id } } }`;
  const { data, errors } = await query(gateway, document);
  expect(errors).toBeUndefined();
  expect(data).toEqual({ transactions: { totalCount: 1, nodes: [{ id }] } });
});

describe('timestamps', () => {
  const times = async (env: Readonly<Record<string, string>>, ...sent: readonly string[]) => {
    const { gateway, account } = await start(env);
    const rows = sent.map((at, n) => `{"id":"${n}","createdAt":"${at}"}`);
    answerWith(
      gateway.bank,
      route('transactions'),
      `{"data":[${rows.join(',')}],"pagination":{"totalItems":${sent.length},"currentPage":0,"itemsPerPage":20}}`,
    );
    const document = `{ transactions(accountId: "${account}") { nodes { createdAt } } }`;
    const { data, errors = [] } = await query(gateway, document);
    const { nodes } = (data as { transactions: { nodes: { createdAt: string | null }[] } })
      .transactions;
    return { shown: nodes.map(({ createdAt }) => createdAt), errors };
  };

  test('are put right', async () => {
    const { shown, errors } = await times(
      {},
      '2026-06-30t12:00:00.120z',
      '2026-06-30 12:00:00Z',
      '2026-06-30T12:00:00+0000',
      '2026-06-30 12:00:00.5-03',
      '2026-06-30T12:00:00.000\\u005a',
    );
    expect(errors).toEqual([]);
    expect(shown).toEqual([
      '2026-06-30T12:00:00.120Z',
      '2026-06-30T12:00:00Z',
      '2026-06-30T12:00:00+00:00',
      '2026-06-30T12:00:00.5-03:00',
      '2026-06-30T12:00:00.000Z',
    ]);
  });

  test('without a zone are invalid, unless UPSTREAM_TIME_ZONE is set', async () => {
    const sent = ['2026-06-30T12:00:00.000', '2018-11-03 12:00:00', '2018-11-04T12:00:00'];
    const { shown, errors } = await times({}, ...sent);
    expect(shown).toEqual([null, null, null]);
    expect(errors).toHaveLength(3);
    const inZone = await times({ UPSTREAM_TIME_ZONE: 'America/Sao_Paulo' }, ...sent);
    expect(inZone.errors).toEqual([]);
    expect(inZone.shown).toEqual([
      '2026-06-30T12:00:00.000-03:00',
      '2018-11-03T12:00:00-03:00',
      '2018-11-04T12:00:00-02:00',
    ]);
    const { shown: withOffset } = await times({ UPSTREAM_TIME_ZONE: '+05:30' }, ...sent);
    expect(withOffset[0]).toBe('2026-06-30T12:00:00.000+05:30');
  });

  test('a birthDate without a zone is its own day', async () => {
    const { gateway } = await start({ UPSTREAM_TIME_ZONE: 'Asia/Tokyo' });
    answerWith(
      gateway.bank,
      route('persons'),
      '{"person":{"id":"p"},"individual":{"id":"i","birthDate":"1990-05-17T00:00:00"},"accounts":[]}',
    );
    const { data } = await query(gateway, '{ me { ... on Person { individual { birthDate } } } }');
    expect(data).toEqual({ me: { individual: { birthDate: '1990-05-17' } } });
  });
});

test.each([
  ['inclusive', '2026-02-28', 'endDate=2026-02-28'],
  ['exclusive', '2026-02-28', 'endDate=2026-03-01'],
  ['exclusive', '2026-12-31', 'endDate=2027-01-01'],
])('with UPSTREAM_END_DATE=%s, to: %s is sent as %s', async (endDate, to, sent) => {
  const { gateway, account } = await start({ UPSTREAM_END_DATE: endDate });
  const document = `{ transactions(accountId: "${account}", to: "${to}") { totalCount } }`;
  expect((await query(gateway, document)).errors).toBeUndefined();
  expect(targetsOf(gateway.bank).at(-1)).toContain(sent);
});

test('a 404 for a period of an account of the profile speaks of the period', async () => {
  const { gateway, account } = await start();
  gateway.bank.addFault({ kind: 'status', status: 404, body: '{}', match: route('transactions') });
  const nested = await query(gateway, '{ accounts { transactions { totalCount } } }');
  expect(nested.errors?.[0]).toMatchObject({
    message: 'The account service knows the account, but has no statement for this period.',
    extensions: { code: 'NOT_FOUND' },
  });
  const root = `{ transactions(accountId: "${account}") { totalCount } }`;
  expect((await query(gateway, root)).errors?.[0]?.message).toBe(
    'There is no account with this id.',
  );
});
