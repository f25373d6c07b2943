// ROUTER_SECRET: which requests need the secret. The secret is neither logged nor sent upstream.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { listed, manifestOf, newFolder, put } from '../support/manifest.ts';
import {
  type Answer,
  ask,
  callerHeaders,
  codesOf,
  firstHolder,
  post,
  query,
} from '../support/query.ts';

const secret = 'MARK-router-secret-7';
const router = { 'x-router-secret': secret };

const entities = `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Person { name } } }`;
const hidden = `query ($of: [_Any!]!) { ...Inner }
  fragment Inner on Query { ... { them: _entities(representations: $of) @skip(if: true) { __typename } } }`;
const sdl = '{ _service { sdl } }';

/** Sends a document with a reference to the first holder. */
function askFor(
  gateway: TestGateway,
  document: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const of = [{ __typename: 'Person', id: firstHolder(gateway.bank).id }];
  return query(gateway, document, { headers, variables: { of } });
}

/** Requests the SDL with an x-router-secret header that has these values. */
async function sendTwice(gateway: TestGateway, values: readonly string[]): Promise<Answer> {
  const headers = new Headers(await callerHeaders(gateway.bank));
  headers.set('content-type', 'application/json');
  for (const value of values) headers.append('x-router-secret', value);
  const body = JSON.stringify({ query: sdl });
  return ask(`${gateway.url}/graphql`, { method: 'POST', headers, body });
}

describe('with ROUTER_SECRET', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ ROUTER_SECRET: secret, LOG_LEVEL: 'trace' });
  });
  afterAll(() => gateway.close());
  beforeEach(() => gateway.bank.reset());

  test('requests of the router are answered', async () => {
    const answer = await askFor(gateway, entities, router);
    expect(answer.data).toEqual({ _entities: [{ name: firstHolder(gateway.bank).name }] });
    expect((await askFor(gateway, sdl, router)).data).toHaveProperty('_service.sdl');
  });

  test.each([
    ['entities', entities],
    ['the SDL', sdl],
    ['the SDL next to other fields', '{ __typename accounts { id } _service { sdl } }'],
    ['entities in fragments, even if skipped', hidden],
  ])(
    'a request for %s without the secret is rejected before any call to the service',
    async (_name, document) => {
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        const answer = await askFor(gateway, document, { accept });
        expect(answer.status).toBe(403);
        expect(JSON.parse(answer.text)).toEqual({
          errors: [
            {
              message: 'Only the federation router may send this operation.',
              extensions: { code: 'FORBIDDEN' },
            },
          ],
        });
      }
      expect(gateway.bank.calls()).toEqual([]);
    },
  );

  test.each([
    '',
    secret.slice(0, -1),
    `${secret}x`,
    secret.toLowerCase(),
    `Bearer ${secret}`,
    'x'.repeat(8000),
    'sécret',
  ])('the wrong secret %j is rejected', async (wrong) => {
    const answer = await askFor(gateway, sdl, { 'x-router-secret': wrong });
    expect(codesOf(answer)).toEqual(['FORBIDDEN']);
  });

  test('the secret is rejected if it is sent twice or together with another value', async () => {
    expect((await sendTwice(gateway, [secret])).status).toBe(200);
    expect((await sendTwice(gateway, [secret, secret])).status).toBe(403);
    expect((await sendTwice(gateway, ['x', secret])).status).toBe(403);
  });

  test('a request of the router still needs a caller', async () => {
    const body = JSON.stringify({ query: entities, variables: { of: [] } });
    expect(codesOf(await post(gateway, body, { headers: router }))).toEqual(['UNAUTHENTICATED']);
  });

  test('operations without router fields need no secret', async () => {
    expect((await query(gateway, '{ accounts { id } }')).status).toBe(200);
    expect((await query(gateway, '{ __schema { queryType { name } } }')).status).toBe(200);
  });

  test('a secret, right or wrong, is neither logged nor sent upstream', async () => {
    await askFor(gateway, entities, router);
    await askFor(gateway, entities, { 'x-router-secret': `${secret}-wrong` });
    await askFor(gateway, '{ accounts { id } }', router);
    expect(gateway.bank.calls()).toHaveLength(2);
    expect(JSON.stringify(gateway.bank.calls())).not.toContain(secret);
    expect(JSON.stringify(gateway.log)).not.toContain(secret);
  });
});

test('without ROUTER_SECRET, every caller may use router fields', async () => {
  await using gateway = await startTestGateway();
  expect((await askFor(gateway, entities)).status).toBe(200);
  expect((await askFor(gateway, sdl, router)).status).toBe(200);
});

test('INTROSPECTION=off hides the SDL from the router too', async () => {
  await using gateway = await startTestGateway({ ROUTER_SECRET: secret, INTROSPECTION: 'off' });
  expect(codesOf(await askFor(gateway, sdl, router))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  expect((await askFor(gateway, entities, router)).status).toBe(200);
});

describe('with OPERATIONS_ONLY', () => {
  const path = put(newFolder(), manifestOf(listed('Entities', entities)));
  const env = { OPERATIONS_MANIFEST: path, OPERATIONS_ONLY: 'on' };
  const root = 'query Root__bff__0 { me { __typename } }';

  test('the router may send any document', async () => {
    await using gateway = await startTestGateway({ ...env, ROUTER_SECRET: secret });
    for (const document of [entities, hidden, root, sdl]) {
      expect((await askFor(gateway, document, router)).status).toBe(200);
    }
    expect(codesOf(await askFor(gateway, '{', router))).toEqual(['GRAPHQL_PARSE_FAILED']);
  });

  test('other clients may send only registered operations, which need the secret for router fields', async () => {
    await using gateway = await startTestGateway({ ...env, ROUTER_SECRET: secret });
    expect(codesOf(await askFor(gateway, root))).toEqual(['PERSISTED_QUERY_REQUIRED']);
    const wrong = { 'x-router-secret': 'wrong' };
    expect(codesOf(await askFor(gateway, root, wrong))).toEqual(['PERSISTED_QUERY_REQUIRED']);
    expect(codesOf(await askFor(gateway, entities))).toEqual(['FORBIDDEN']);
  });

  test('without ROUTER_SECRET, no request is treated as the router’s', async () => {
    await using gateway = await startTestGateway(env);
    expect(codesOf(await askFor(gateway, root, router))).toEqual(['PERSISTED_QUERY_REQUIRED']);
    expect((await askFor(gateway, entities)).status).toBe(200);
  });
});
