// Operations requested by id: those of the manifest, with and without OPERATIONS_ONLY, and those that clients register.
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync, renameSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseManifest } from '../../src/settings/operations-manifest.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { byId, listed, manifestOf, newFolder, put, sha256 } from '../support/manifest.ts';
import {
  type Answer,
  ask,
  callerHeaders,
  codesOf,
  firstHolder,
  post,
  query,
} from '../support/query.ts';
import { hasRedis, startRedis } from '../support/redis.ts';

const run = promisify(execFile);

/** Posts an id instead of a document, as the bank's first holder. */
async function send(
  gateway: TestGateway,
  id: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const body = JSON.stringify({ variables, extensions: byId(id) });
  return post(gateway, body, { headers: await callerHeaders(gateway.bank) });
}

/** Sends a GET with these parameters, as the bank's first holder. */
async function get(gateway: TestGateway, parameters: Readonly<Record<string, unknown>>) {
  const texts = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const search = new URLSearchParams(Object.fromEntries(texts) as Record<string, string>);
  return ask(`${gateway.url}/graphql?${search.toString()}`, {
    headers: await callerHeaders(gateway.bank),
  });
}

const committed = 'examples/operations/manifest.json';

describe('the manifest of the example client', () => {
  const operations = parseManifest(readFileSync(committed, 'utf8'));
  const idOf = (wanted: string) => {
    const found = operations.values().find(({ name }) => name === wanted);
    if (found === undefined) throw new Error(`no ${wanted}`);
    return found.id;
  };
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ OPERATIONS_MANIFEST: committed, OPERATIONS_ONLY: 'true' });
  });
  afterAll(() => gateway.close());
  beforeEach(() => gateway.bank.reset());

  test('equals the output of generate-persisted-query-manifest', async () => {
    const config = readFileSync('examples/operations/manifest.config.json', 'utf8');
    const folder = newFolder();
    const output = join(folder, 'made.json');
    const own = join(folder, 'own.config.json');
    writeFileSync(own, JSON.stringify({ ...(JSON.parse(config) as object), output }));
    await run('node_modules/.bin/generate-persisted-query-manifest', ['--config', own]);
    expect(JSON.parse(readFileSync(output, 'utf8'))).toEqual(
      JSON.parse(readFileSync(committed, 'utf8')),
    );
  });

  test('lists only valid operations', () => {
    expect(gateway.log.filter(({ level }) => level === 'warn')).toEqual([]);
    expect(gateway.log).toContainEqual(expect.objectContaining({ operations: 3 }));
  });

  test('makes the profile operation available by its id', async () => {
    const answer = await send(gateway, idOf('Profile'));
    expect(answer.status).toBe(200);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toMatchObject({
      me: { __typename: 'Person', name: firstHolder(gateway.bank).name },
    });
    expect(answer.data?.['accounts']).toHaveLength(4);
  });

  test('makes the statement operation available by its id over GET, for each slice of a walk', async () => {
    const [accountId] = firstHolder(gateway.bank).accounts;
    const id = idOf('StatementSlice');
    const ids: unknown[] = [];
    let after: string | undefined;
    do {
      const variables = { accountId, first: 40, after };
      const answer = await get(gateway, { variables, extensions: byId(id) });
      expect(answer.errors).toBeUndefined();
      const slice = answer.data?.['transactions'] as Slice;
      ids.push(...slice.edges.map(({ node }) => node.id));
      after = slice.pageInfo.hasNextPage ? slice.pageInfo.endCursor : undefined;
    } while (after !== undefined);
    expect(new Set(ids).size).toBe(95);
  });

  interface Slice {
    readonly edges: readonly { readonly node: { readonly id: string } }[];
    readonly pageInfo: {
      readonly hasNextPage: boolean;
      readonly startCursor: string;
      readonly endCursor: string;
    };
  }

  test('makes the operation for new transactions available by its id', async () => {
    const [accountId = ''] = firstHolder(gateway.bank).accounts;
    const first = await send(gateway, idOf('StatementSlice'), { accountId });
    const newest = (first.data?.['transactions'] as Slice).pageInfo.startCursor;
    gateway.bank.arrive(accountId, 3);
    const answer = await send(gateway, idOf('NewTransactions'), { accountId, newest });
    expect(answer.errors).toBeUndefined();
    const { transactions } = answer.data?.['account'] as { transactions: { nodes: unknown[] } };
    expect(transactions.nodes).toHaveLength(3);
  });

  test('keeps its operations available by their texts, with or without their ids', async () => {
    for (const { id, name, body } of operations.values()) {
      const variables = { accountId: firstHolder(gateway.bank).accounts[0], newest: 'x' };
      const answers = [
        await query(gateway, body, { variables, operationName: name }),
        await query(gateway, body, { variables, extensions: byId(id) }),
        await get(gateway, { query: body, variables }),
      ];
      for (const answer of answers) expect(answer.data).toBeTruthy();
    }
  });
});

describe('with OPERATIONS_ONLY', () => {
  const balances = '{ accounts { id balance } }';
  let gateway: TestGateway;
  beforeAll(async () => {
    const path = put(newFolder(), manifestOf(listed('Balances', balances)));
    gateway = await startTestGateway({ OPERATIONS_MANIFEST: path, OPERATIONS_ONLY: 'on' });
  });
  afterAll(() => gateway.close());
  beforeEach(() => gateway.bank.reset());

  const other = '{ accounts { id } }';
  const introspection = '{ __schema { queryType { name } } }';
  const bodies: [string, object][] = [
    ['another operation', { query: other }],
    ['a document that cannot be parsed', { query: '{' }],
    ['a document that is not GraphQL', { query: '\u0000' }],
    ['a document that is too long', { query: `{${' a'.repeat(100_000)}}` }],
    ['an invalid document', { query: '{ nothing }' }],
    ['a mutation', { query: 'mutation { x }' }],
    ['introspection', { query: introspection }],
    ['__typename', { query: '{ __typename }' }],
    ['the SDL', { query: '{ _service { sdl } }' }],
    ['entities', { query: '{ _entities(representations: []) { __typename } }' }],
    ['a listed operation with an added space', { query: `${balances} ` }],
    ['a listed operation followed by another', { query: `${balances}\nquery Other ${other}` }],
    ['an unknown id', { extensions: byId(sha256(other)) }],
    ['a new operation with its id', { query: other, extensions: byId(sha256(other)) }],
    ['a new operation with a listed id', { query: other, extensions: byId(sha256(balances)) }],
    ['an empty query and an unknown id', { query: '', extensions: byId(sha256('')) }],
    ['an empty id', { extensions: byId('') }],
    ['the name of a listed operation', { operationName: 'Balances', extensions: byId('Balances') }],
    ['the name of an inherited property', { extensions: byId('constructor') }],
  ];

  test.each(bodies)(
    '%s is rejected over POST with PERSISTED_QUERY_REQUIRED',
    async (_name, body) => {
      const headers = await callerHeaders(gateway.bank);
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        const answer = await post(gateway, JSON.stringify(body), {
          headers: { ...headers, accept },
        });
        expect(answer.status).toBe(400);
        expect(answer.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
        expect(answer.headers.get('cache-control')).toBe('no-store');
        expect(JSON.parse(answer.text)).toEqual({
          errors: [
            {
              message: 'Only registered operations are served.',
              extensions: { code: 'PERSISTED_QUERY_REQUIRED' },
            },
          ],
        });
      }
      expect(gateway.bank.calls()).toEqual([]);
    },
  );

  test.each(bodies.filter(([name]) => name !== 'a document that is too long'))(
    '%s is rejected over GET',
    async (_name, body) => {
      expect(codesOf(await get(gateway, { ...body }))).toEqual(['PERSISTED_QUERY_REQUIRED']);
    },
  );

  test.each([
    ['no members', {}],
    ['an empty query', { query: '' }],
    ['a query that is not a string', { query: [balances] }],
    ['a query that is zero', { query: 0 }],
    ['extensions that are a string', { extensions: JSON.stringify(byId(sha256(balances))) }],
    ['an id that is not a string', { extensions: byId([sha256(balances)] as never) }],
    [
      'an id without a version',
      { extensions: { persistedQuery: { sha256Hash: sha256(balances) } } },
    ],
    ['the version alone', { extensions: { persistedQuery: { version: 1 } } }],
  ])('a body with %s fails, and nothing is executed', async (_name, body) => {
    const headers = await callerHeaders(gateway.bank);
    const answer = await post(gateway, JSON.stringify(body), { headers });
    expect(answer.data).toBeUndefined();
    expect(['BAD_REQUEST', 'PERSISTED_QUERY_NOT_FOUND']).toContain(codesOf(answer)[0]);
    expect(gateway.bank.calls()).toEqual([]);
  });

  test('a GET with two `query` parameters is rejected, in either order', async () => {
    const parameters = [balances, other].map((text) => `query=${encodeURIComponent(text)}`);
    for (const search of [parameters.join('&'), parameters.toReversed().join('&')]) {
      const headers = await callerHeaders(gateway.bank);
      const answer = await ask(`${gateway.url}/graphql?${search}`, { headers });
      expect(answer.status).toBe(400);
      expect(answer.data).toBeUndefined();
    }
  });

  test('a listed operation still needs a caller', async () => {
    const answer = await post(gateway, JSON.stringify({ extensions: byId(sha256(balances)) }));
    expect(codesOf(answer)).toEqual(['UNAUTHENTICATED']);
  });

  test('a browser still gets Apollo Sandbox', async () => {
    const answer = await ask(`${gateway.url}/graphql`, { headers: { accept: 'text/html,*/*' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/html');
  });
});

describe('without OPERATIONS_ONLY', () => {
  const balances = '{ accounts { id balance } }';

  test('the operations of the manifest are available by their ids from the start, and other operations by their texts', async () => {
    const path = put(newFolder(), manifestOf(listed('Balances', balances, 'balances/7')));
    await using gateway = await startTestGateway({ OPERATIONS_MANIFEST: path });
    expect((await send(gateway, 'balances/7')).data?.['accounts']).toHaveLength(4);
    expect((await query(gateway, '{ accounts { id } }')).data?.['accounts']).toHaveLength(4);
    expect(codesOf(await send(gateway, sha256(balances)))).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
    expect(codesOf(await send(gateway, 'balances/8'))).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  });

  test('an invalid operation of the manifest is logged at startup, and fails for clients that request it', async () => {
    const path = put(
      newFolder(),
      manifestOf(
        listed('Good', balances),
        listed('Unknown', '{ nothing }'),
        listed('Broken', '{'),
        listed('Deep', `{ ${'a { '.repeat(20)} b ${'} '.repeat(20)} }`),
        listed('Mutation', 'mutation { x }'),
      ),
    );
    await using gateway = await startTestGateway({ OPERATIONS_MANIFEST: path });
    const told = gateway.log.filter(({ level }) => level === 'warn');
    expect(told.map(({ operation }) => operation)).toEqual([
      ...['Unknown', 'Broken', 'Deep', 'Mutation'],
    ]);
    for (const { problem } of told) expect(problem).toEqual(expect.any(String));
    expect((await send(gateway, sha256(balances))).status).toBe(200);
    expect(codesOf(await send(gateway, sha256('{ nothing }')))).toEqual([
      'GRAPHQL_VALIDATION_FAILED',
    ]);
    expect(codesOf(await send(gateway, sha256('{')))).toEqual(['GRAPHQL_PARSE_FAILED']);
  });
});

describe('after a change to the manifest', () => {
  const one = '{ accounts { id } }';
  const other = '{ accounts { balance } }';
  const isServed = async (gateway: TestGateway, text: string) =>
    (await query(gateway, text)).data !== undefined;
  const untilServed = (gateway: TestGateway, text: string) =>
    vi.waitFor(async () => expect(await isServed(gateway, text)).toBe(true), { timeout: 5000 });
  const problemsOf = ({ log }: TestGateway) =>
    log.filter(({ level }) => level === 'error').map(({ problem }) => problem);
  const untilProblem = (gateway: TestGateway, problem: RegExp) =>
    vi.waitFor(() => expect(problemsOf(gateway)).toContainEqual(expect.stringMatching(problem)), {
      timeout: 5000,
    });
  const start = (path: string) =>
    startTestGateway({ OPERATIONS_MANIFEST: path, OPERATIONS_ONLY: 'on' });

  test('the new operations are served, and the old operations are rejected', async () => {
    const folder = newFolder();
    await using gateway = await start(put(folder, manifestOf(listed('One', one))));
    expect(await isServed(gateway, one)).toBe(true);
    expect(await isServed(gateway, other)).toBe(false);
    put(folder, manifestOf(listed('Other', other)));
    await untilServed(gateway, other);
    expect(await isServed(gateway, one)).toBe(false);
  });

  test('an id whose text has changed selects the new text', async () => {
    const folder = newFolder();
    const path = put(folder, manifestOf(listed('Read', one, 'read')));
    await using gateway = await start(path);
    const fieldsOf = async () =>
      Object.keys(((await send(gateway, 'read')).data?.['accounts'] as object[])[0] ?? {});
    expect(await fieldsOf()).toEqual(['id']);
    put(folder, manifestOf(listed('Read', other, 'read')));
    await untilServed(gateway, other);
    expect(await fieldsOf()).toEqual(['balance']);
  });

  test('an invalid manifest is logged, and the previous operations remain', async () => {
    const folder = newFolder();
    await using gateway = await start(put(folder, manifestOf(listed('One', one))));
    put(folder, '{');
    await untilProblem(gateway, /not JSON/);
    put(folder, manifestOf({ id: '1', name: 'NoBody' }));
    await untilProblem(gateway, /operations\[0\]\.body/);
    rmSync(join(folder, 'manifest.json'));
    await untilProblem(gateway, /ENOENT/);
    expect(await isServed(gateway, one)).toBe(true);
    expect(problemsOf(gateway)).toHaveLength(3);
    put(folder, manifestOf(listed('Other', other)));
    await untilServed(gateway, other);
  });

  test.each([
    ['a map', '{}'],
    ['Apollo’s format', manifestOf()],
  ])(
    'after the last operation has left the manifest, in %s, none is served',
    async (_name, empty) => {
      const folder = newFolder();
      await using gateway = await start(put(folder, manifestOf(listed('One', one))));
      expect(await isServed(gateway, one)).toBe(true);
      put(folder, empty);
      await vi.waitFor(async () => expect(await isServed(gateway, one)).toBe(false), 10_000);
      expect(problemsOf(gateway)).toEqual([]);
    },
  );

  test('the change is detected even behind a symbolic link, as in a ConfigMap of Kubernetes', async () => {
    const folder = newFolder();
    for (const [version, text] of Object.entries({ v1: one, v2: other })) {
      mkdirSync(join(folder, version));
      put(join(folder, version), manifestOf(listed(version, text)));
    }
    symlinkSync('v1', join(folder, '..data'));
    symlinkSync('..data/manifest.json', join(folder, 'manifest.json'));
    await using gateway = await start(join(folder, 'manifest.json'));
    expect(await isServed(gateway, one)).toBe(true);
    symlinkSync('v2', join(folder, '..new'));
    renameSync(join(folder, '..new'), join(folder, '..data'));
    await untilServed(gateway, other);
    expect(problemsOf(gateway)).toEqual([]);
  });
});

describe.skipIf(!hasRedis)('with automatic persisted queries over Redis', () => {
  const document = '{ accounts { id } }';

  test('a document that is registered with one gateway is served by another gateway', async () => {
    await using redis = await startRedis();
    await using one = await startTestGateway({ REDIS_URL: redis.url });
    await using other = await startTestGateway({ REDIS_URL: redis.url }, { bank: one.bank });
    const id = sha256(document);
    expect(codesOf(await send(other, id))).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
    await query(one, document, { extensions: byId(id) });
    await vi.waitFor(async () =>
      expect(await redis.client.exists(`account-bff:1:apq:${id}`)).toBe(1),
    );
    expect((await send(other, id)).data?.['accounts']).toHaveLength(4);
    await redis.kill();
    expect((await send(other, id)).data?.['accounts']).toHaveLength(4);
    const aliased = '{ accounts { same: id } }';
    expect(codesOf(await send(other, sha256(aliased)))).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  });

  test('a text is written once for each request that registers it, also if graphql-js answers after the fast path', async () => {
    await using redis = await startRedis();
    await using gateway = await startTestGateway({ EXECUTOR: 'compiled', REDIS_URL: redis.url });
    const text = 'query ($n: Int) { accounts { transactions(first: $n) { totalCount } } }';
    const counts = [1, 1, 1, 101];
    for (const n of counts) {
      await query(gateway, text, { variables: { n }, extensions: byId(sha256(text)) });
    }
    await vi.waitFor(() => expect(gateway.log.at(-1)?.['fallback']).toBe('error'));
    // Commands of one connection are executed in their order.
    await send(gateway, sha256('another'));
    const [, writes] =
      /cmdstat_set:calls=(\d+)/.exec(await redis.client.info('commandstats')) ?? [];
    expect(Number(writes)).toBe(counts.length);
  });

  test('an operation text in Redis that does not match its hash is not executed', async () => {
    await using redis = await startRedis();
    await using gateway = await startTestGateway({ REDIS_URL: redis.url });
    const id = sha256(document);
    await redis.client.set(`account-bff:1:apq:${id}`, '{ me { __typename } }');
    expect(codesOf(await send(gateway, id))).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  });

  test('a document is not registered without a caller or under a wrong hash', async () => {
    await using redis = await startRedis();
    await using gateway = await startTestGateway({ REDIS_URL: redis.url });
    const body = JSON.stringify({ query: document, extensions: byId(sha256(document)) });
    expect(codesOf(await post(gateway, body))).toEqual(['UNAUTHENTICATED']);
    await query(gateway, document, { extensions: byId(sha256('another')) });
    expect(await redis.client.keys('*')).toEqual([]);
  });
});
