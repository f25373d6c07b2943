// The subgraph as a router sees it (docs/federation.md): its SDL, and how it resolves references.
import { parse, print, visit } from 'graphql';
import { describe, expect, test } from 'vitest';
import { errorsOf } from '../support/answers.ts';
import { answerWith, holderOf, targetsOf } from '../support/bank.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { personText, shownAccounts, shownHolder } from '../support/profiles.ts';
import { type Answer, ask, callerHeaders, codesOf, post, query } from '../support/query.ts';

const gateway = await gatewayOfFile();

interface Described {
  readonly name: { readonly value: string };
  readonly description?: unknown;
}

describe('_service', () => {
  const document = '{ _service { sdl } }';
  const sdlOf = async () => {
    const answer = await post(gateway, JSON.stringify({ query: document }));
    expect(answer.status).toBe(200);
    const { sdl } = answer.data?.['_service'] as { readonly sdl: string };
    return sdl;
  };

  test('returns the SDL without a caller, and without a call to the service', async () => {
    expect(await sdlOf()).toContain('type Query');
    expect(targetsOf(gateway.bank)).toEqual([]);
  });

  test('returns an SDL that links Federation 2.5 and has the documented keys', async () => {
    const sdl = await sdlOf();
    expect(sdl).toMatch(/@link\(\s*url: "https:\/\/specs\.apollo\.dev\/federation\/v2\.5"/);
    const keys: Record<string, string> = {};
    visit(parse(sdl), {
      ObjectTypeDefinition({ name, directives = [] }) {
        if (directives.length > 0) keys[name.value] = directives.map(print).join(' ');
      },
    });
    expect(keys).toEqual({
      Person: '@key(fields: "id")',
      Company: '@key(fields: "id")',
      Account: '@key(fields: "id")',
      Transaction: '@key(fields: "id", resolvable: false)',
      PageInfo: '@shareable',
    });
  });

  test('returns an SDL with a description of every type, field, argument and enum value', async () => {
    const bare: string[] = [];
    // Leaves out the additions of Federation: directives, and names that start with `_` or contain `__`.
    const look = ({ name, description }: Described): false | undefined => {
      if (name.value.startsWith('_') || name.value.includes('__')) return false;
      if (description === undefined) bare.push(name.value);
      return undefined;
    };
    visit(parse(await sdlOf()), {
      DirectiveDefinition: () => false,
      ObjectTypeDefinition: look,
      InterfaceTypeDefinition: look,
      UnionTypeDefinition: look,
      EnumTypeDefinition: look,
      ScalarTypeDefinition: look,
      FieldDefinition: look,
      InputValueDefinition: look,
      EnumValueDefinition: look,
    });
    expect(bare).toEqual([]);
  });

  test('is hidden with INTROSPECTION=off, unlike _entities', async () => {
    const env = { INTROSPECTION: 'off' };
    await using hidden = await startTestGateway(env, { bank: gateway.bank });
    const answer = await query(hidden, document);
    expect(answer.data).toBeUndefined();
    expect(codesOf(answer)).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    const { id } = holderOf(gateway.bank, 'PERSON');
    const entities = await askEntities([{ __typename: 'Person', id }], {}, hidden);
    expect(entities.data).toEqual({ _entities: [{ __typename: 'Person', id }] });
  });
});

const entitiesDocument = `query Entities($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on Person { id } ... on Company { id } ... on Account { id } ... on Transaction { id }
  }
}`;

function askEntities(
  representations: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
  at: TestGateway = gateway,
): Promise<Answer> {
  return query(at, entitiesDocument, { variables: { representations }, headers });
}

describe('_entities', () => {
  const foreign = '00000000-0000-0000-0000-000000000000';

  test('requires a caller', async () => {
    const body = JSON.stringify({ query: entitiesDocument, variables: { representations: [] } });
    const answer = await post(gateway, body);
    expect(answer.status).toBe(401);
    expect(codesOf(answer)).toEqual(['UNAUTHENTICATED']);
  });

  test('resolves hundreds of references to a Person and its Accounts with one profile call', async () => {
    const { id, accounts } = holderOf(gateway.bank, 'PERSON');
    const person = { __typename: 'Person', id };
    const own = accounts.map((account) => ({ __typename: 'Account', id: account }));
    const representations = Array.from({ length: 100 }, () => [person, ...own]).flat();
    const answer = await askEntities(representations);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual({ _entities: representations });
    expect(targetsOf(gateway.bank)).toEqual(['/persons']);
  });

  test('resolves a Company, and does not expose the token that is in its profile', async () => {
    const { id, accounts } = holderOf(gateway.bank, 'COMPANY');
    const headers = await callerHeaders(gateway.bank, holderOf(gateway.bank, 'COMPANY'));
    const representations = [
      { __typename: 'Company', id },
      { __typename: 'Account', id: accounts[1] },
    ];
    const answer = await askEntities(representations, headers);
    expect(answer.data).toEqual({ _entities: representations });
    expect(answer.text).not.toContain(gateway.bank.secretMark);
    expect(targetsOf(gateway.bank)).toEqual(['/companies']);
  });

  test('returns the fields of a Person and of an Account, including the statement', async () => {
    answerWith(gateway.bank, { route: 'persons' }, personText);
    const [account] = holderOf(gateway.bank, 'PERSON').accounts;
    const document = `query Q($representations: [_Any!]!) {
      _entities(representations: $representations) {
        ... on Person { name individual { income } accounts { balance } }
        ... on Account { balance isEscrow }
      }
    }`;
    const representations = [
      { __typename: 'Person', id: shownHolder.id },
      { __typename: 'Account', id: shownAccounts[1]?.id, balance: '9.99' },
    ];
    const answer = await query(gateway, document, { variables: { representations } });
    expect(answer.data).toEqual({
      _entities: [
        {
          name: shownHolder.name,
          individual: { income: '5200.00' },
          accounts: shownAccounts.map(({ balance }) => ({ balance })),
        },
        { balance: shownAccounts[1]?.balance, isEscrow: true },
      ],
    });
    gateway.bank.reset();
    const statement = await query(
      gateway,
      'query Q($r: [_Any!]!) { _entities(representations: $r) { ... on Account { transactions { totalCount } } } }',
      { variables: { r: [{ __typename: 'Account', id: account }] } },
    );
    expect(statement.data).toEqual({ _entities: [{ transactions: { totalCount: 95 } }] });
    expect(targetsOf(gateway.bank)).toEqual([
      '/persons',
      `/accounts/${account}/transactions?page=0`,
    ]);
  });

  test('compares ids without regard to case, and returns the service’s spelling', async () => {
    const { id, accounts } = holderOf(gateway.bank, 'PERSON');
    const answer = await askEntities([
      { __typename: 'Person', id: id.toUpperCase() },
      { __typename: 'Account', id: accounts[0]?.toUpperCase() },
    ]);
    expect(answer.data).toMatchObject({ _entities: [{ id }, { id: accounts[0] }] });
  });

  test('returns null, without an error, for objects that are not the caller’s', async () => {
    const { id } = holderOf(gateway.bank, 'PERSON');
    const company = holderOf(gateway.bank, 'COMPANY');
    const answer = await askEntities([
      { __typename: 'Person', id: foreign },
      { __typename: 'Person', id: company.id },
      { __typename: 'Company', id },
      { __typename: 'Company', id: company.id },
      { __typename: 'Account', id: company.accounts[0] },
      { __typename: 'Account', id: foreign },
      { __typename: 'Account', id: 'not a uuid' },
      { __typename: 'Account', id: '' },
      { __typename: 'Person', id },
    ]);
    expect(answer.errors).toBeUndefined();
    const found = { __typename: 'Person', id };
    expect(answer.data).toEqual({ _entities: [...Array<null>(8).fill(null), found] });
    expect(targetsOf(gateway.bank)).toEqual(['/persons']);
  });

  test('returns null for any Transaction, without a call to the service', async () => {
    const [account = ''] = holderOf(gateway.bank, 'PERSON').accounts;
    const [own] = gateway.bank.statement(account);
    const answer = await askEntities([
      { __typename: 'Transaction', id: own?.id },
      { __typename: 'Transaction', id: foreign, accountId: account },
      { __typename: 'Transaction' },
    ]);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual({ _entities: [null, null, null] });
    expect(targetsOf(gateway.bank)).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['of a type without a key', { __typename: 'Address', id: foreign }],
    ['of a type that is not in the schema', { __typename: 'Invoice', id: foreign }],
    ['of an interface', { __typename: 'AccountHolder', id: foreign }],
    ['whose type is not a string', { __typename: 7, id: foreign }],
    ['without a type', { id: foreign }],
    ['without an id', { __typename: 'Account' }],
    ['whose id is null', { __typename: 'Account', id: null }],
    ['whose id is a list', { __typename: 'Person', id: [foreign] }],
    ['that is a string', 'Person'],
    ['that is a number', 7],
    ['that is a list', [{ __typename: 'Person', id: foreign }]],
  ])(
    'rejects a reference %s with one BAD_USER_INPUT error, and resolves the other references',
    async (_name, wrong) => {
      const { id } = holderOf(gateway.bank, 'PERSON');
      const good = { __typename: 'Person', id };
      const answer = await askEntities([wrong, good, wrong]);
      expect(answer).toMatchObject({ status: 200, data: { _entities: [null, good, null] } });
      expect(errorsOf(answer)).toEqual(['BAD_USER_INPUT at _entities.0']);
      expect(targetsOf(gateway.bank)).toEqual(['/persons']);
    },
  );

  test.each([[null], [undefined], [[null]]])(
    'rejects %j as representations before execution',
    async (representations) => {
      const answer = await query(gateway, entitiesDocument, { variables: { representations } });
      expect(answer.data).toBeUndefined();
      expect(codesOf(answer)).toEqual(['BAD_USER_INPUT']);
      expect(targetsOf(gateway.bank)).toEqual([]);
    },
  );

  test('accepts an empty list of references', async () => {
    expect((await askEntities([])).data).toEqual({ _entities: [] });
    expect(targetsOf(gateway.bank)).toEqual([]);
  });

  test('reports an error at the path of each reference to a holder or an account if the profile cannot be read', async () => {
    gateway.bank.addFault({ kind: 'status', status: 500 });
    const { id, accounts } = holderOf(gateway.bank, 'PERSON');
    const answer = await askEntities([
      { __typename: 'Person', id },
      { __typename: 'Transaction', id },
      { __typename: 'Account', id: accounts[0] },
    ]);
    expect(answer).toMatchObject({ status: 200, data: { _entities: [null, null, null] } });
    expect(errorsOf(answer)).toEqual([
      'UPSTREAM_UNAVAILABLE at _entities.0',
      'UPSTREAM_UNAVAILABLE at _entities.2',
    ]);
    expect(targetsOf(gateway.bank)).toEqual(['/persons']);
  });

  test('reports the same error at the path of each reference to an account if the profile cannot be read', async () => {
    gateway.bank.addFault({ kind: 'status', status: 500 });
    const reference = { __typename: 'Account', id: holderOf(gateway.bank, 'PERSON').accounts[0] };
    const transaction = { __typename: 'Transaction', id: foreign };
    const { errors } = await askEntities([transaction, reference, reference, 7, reference]);
    const indexes = errors?.map(({ path }) => path?.[1]);
    expect(indexes?.toSorted()).toEqual([1, 2, 3, 4]);
    const failed = errors?.filter(({ path }) => path?.[1] !== 3);
    expect(new Set(failed?.map((error) => JSON.stringify({ ...error, path: null }))).size).toBe(1);
  });

  test('reports a failed call as an error of each valid reference', async () => {
    gateway.bank.addFault({ kind: 'status', status: 500 });
    const document =
      'query Q($r: [_Any!]!) { a: _entities(representations: $r) { __typename } me { __typename } b: _entities(representations: $r) { __typename } }';
    const { id, accounts } = holderOf(gateway.bank, 'PERSON');
    const r = [{ __typename: 'Person', id }, { __typename: 'Account', id: accounts[0] }, 1];
    const answer = await query(gateway, document, { variables: { r } });
    const unavailable = (path: unknown, column: number) => ({
      message: 'The account service cannot be reached.',
      locations: [{ line: 1, column }],
      path,
      extensions: { code: 'UPSTREAM_UNAVAILABLE' },
    });
    const placeOf = ({ path }: { readonly path?: unknown }) => JSON.stringify(path);
    const inOrder = answer.errors?.toSorted((one, other) =>
      placeOf(one) < placeOf(other) ? -1 : 1,
    );
    expect(inOrder).toEqual([
      unavailable(['a', 0], 25),
      unavailable(['a', 1], 25),
      expect.objectContaining({ path: ['a', 2], extensions: { code: 'BAD_USER_INPUT' } }),
      unavailable(['b', 0], 92),
      unavailable(['b', 1], 92),
      expect.objectContaining({ path: ['b', 2], extensions: { code: 'BAD_USER_INPUT' } }),
      unavailable(['me'], 74),
    ]);
  });

  test('fails with UPSTREAM_CONTRACT_VIOLATION if the profile has no usable ids', async () => {
    answerWith(gateway.bank, {}, '{"person": {"name": "x"}, "accounts": 7}');
    const answer = await askEntities([
      { __typename: 'Person', id: foreign },
      { __typename: 'Account', id: foreign },
    ]);
    expect(errorsOf(answer)).toEqual([
      'UPSTREAM_CONTRACT_VIOLATION at _entities.0',
      'UPSTREAM_CONTRACT_VIOLATION at _entities.1',
    ]);
  });

  test('returns null, without an error, for a reference of the other kind if the caller’s own object is invalid', async () => {
    answerWith(gateway.bank, {}, '{"person": {"name": "x"}, "entity": 7}');
    const references = [
      { __typename: 'Person', id: foreign },
      { __typename: 'Company', id: foreign },
    ];
    const person = await askEntities(references);
    expect(person.data).toEqual({ _entities: [null, null] });
    expect(errorsOf(person)).toEqual(['UPSTREAM_CONTRACT_VIOLATION at _entities.0']);
    const headers = await callerHeaders(gateway.bank, holderOf(gateway.bank, 'COMPANY'));
    expect(errorsOf(await askEntities(references, headers))).toEqual([
      'UPSTREAM_CONTRACT_VIOLATION at _entities.1',
    ]);
  });

  test('shares the profile call with the other fields of the operation', async () => {
    const { id } = holderOf(gateway.bank, 'PERSON');
    const document = `query Q($r: [_Any!]!) { _entities(representations: $r) { __typename } me { __typename } accounts { id } }`;
    const variables = { r: [{ __typename: 'Person', id }] };
    expect((await query(gateway, document, { variables })).errors).toBeUndefined();
    expect(targetsOf(gateway.bank)).toEqual(['/persons']);
  });

  test('can be queried over GET too, because some routers use GET', async () => {
    const { id } = holderOf(gateway.bank, 'PERSON');
    const search = new URLSearchParams({
      query: entitiesDocument,
      variables: JSON.stringify({ representations: [{ __typename: 'Person', id }] }),
    });
    const headers = await callerHeaders(gateway.bank);
    const answer = await ask(`${gateway.url}/graphql?${search.toString()}`, { headers });
    expect(answer.data).toEqual({ _entities: [{ __typename: 'Person', id }] });
  });
});
