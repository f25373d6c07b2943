// Callers over HTTP: requests that are rejected before any call to the service, operations that need no caller, the
// forwarding of the Authorization header, and signature verification.
import { getIntrospectionQuery } from 'graphql';
import { connect } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway } from '../support/gateway.ts';
import { callerHeaders, codesOf, firstHolder, post, query } from '../support/query.ts';

const gateway = await gatewayOfFile();

const reader = JSON.stringify({ query: '{ accounts { id } }' });
const bothTypes = ['application/json', 'application/graphql-response+json'];

describe('a request without a caller', () => {
  test.each([
    ['__typename', '{ __typename }'],
    ['_service', '{ _service { sdl } }'],
    ['introspection fields', getIntrospectionQuery()],
    [
      '__typename through fragments',
      '{ ...F } fragment F on Query { ... on Query { __typename } }',
    ],
  ])('is answered if it selects only %s', async (_name, document) => {
    const answer = await post(gateway, JSON.stringify({ query: document }));
    expect(answer.status).toBe(200);
    expect(answer.errors).toBeUndefined();
  });

  test.each([
    ['accounts', '{ accounts { id } }'],
    ['me among other fields', '{ __typename _service { sdl } me { __typename } }'],
    ['accounts in a fragment', '{ ...F } fragment F on Query { ... { accounts { id } } }'],
    ['accounts with @skip', '{ __typename accounts @skip(if: true) { id } }'],
    ['entities', '{ _entities(representations: []) { __typename } }'],
  ])('is rejected before execution if it selects %s', async (_name, document) => {
    for (const accept of bothTypes) {
      const answer = await post(gateway, JSON.stringify({ query: document }), {
        headers: { accept },
      });
      expect(answer.status).toBe(401);
      expect(codesOf(answer)).toEqual(['UNAUTHENTICATED']);
      expect(answer.data).toBeUndefined();
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.headers.get('content-type')).toContain(accept);
    }
    expect(gateway.bank.calls()).toEqual([]);
  });

  test('is answered or rejected according to the selected operation if the document has two operations', async () => {
    const document = 'query Mine { accounts { id } } query Schema { __typename }';
    const askFor = (operationName: string) =>
      post(gateway, JSON.stringify({ query: document, operationName }));
    expect((await askFor('Schema')).status).toBe(200);
    expect((await askFor('Mine')).status).toBe(401);
  });
});

describe('without signature verification,', () => {
  const seconds = Math.floor(Date.now() / 1000);

  test.each([
    ['that expired longer ago than the allowed clock skew is rejected', { exp: seconds - 60 }, 401],
    ['that expired within the allowed clock skew is accepted', { exp: seconds - 15 }, 200],
    [
      'that is not valid yet, even with the allowed clock skew, is rejected',
      { nbf: seconds + 60 },
      401,
    ],
    ['that becomes valid within the allowed clock skew is accepted', { nbf: seconds + 15 }, 200],
    ['without exp is accepted', { exp: undefined }, 200],
  ])('a token %s', async (_name, claims, status) => {
    // The bank allows no clock skew and may reject the token, but the status is still 200 if the gateway accepts the
    // token.
    const bank = gateway.bank;
    const headers = await callerHeaders(bank, firstHolder(bank), claims);
    const answer = await post(gateway, reader, { headers });
    expect(answer.status).toBe(status);
    expect(bank.calls()).toHaveLength(status === 200 ? 1 : 0);
  });

  test('an accepted token is rejected after its expiry and the allowed clock skew', async () => {
    const clock = { nowMs: Date.now() };
    await using timed = await startTestGateway({}, { bank: gateway.bank, now: () => clock.nowMs });
    const claims = { exp: seconds + 60 };
    const headers = await callerHeaders(gateway.bank, firstHolder(gateway.bank), claims);
    expect((await post(timed, reader, { headers })).status).toBe(200);
    clock.nowMs += 91_000;
    expect((await post(timed, reader, { headers })).status).toBe(401);
  });

  test('an accepted token is checked again if the clock has been set back', async () => {
    const clock = { nowMs: Date.now() };
    await using timed = await startTestGateway({}, { bank: gateway.bank, now: () => clock.nowMs });
    const headers = await callerHeaders(gateway.bank, firstHolder(gateway.bank), { nbf: seconds });
    expect((await post(timed, reader, { headers })).status).toBe(200);
    clock.nowMs -= 3_600_000;
    expect((await post(timed, reader, { headers })).status).toBe(401);
  });
});

describe('a request', () => {
  test('without a tenant fails with TENANT_REQUIRED', async () => {
    const { authorization } = await callerHeaders(gateway.bank);
    const answer = await post(gateway, reader, { headers: { authorization } });
    expect(answer.status).toBe(400);
    expect(codesOf(answer)).toEqual(['TENANT_REQUIRED']);
    expect(answer.headers.get('www-authenticate')).toBeNull();
  });

  test('is accepted only for the tenant that its token names if JWT_TENANT_CLAIM is set', async () => {
    await using strict = await startTestGateway(
      { JWT_TENANT_CLAIM: 'tenant' },
      { bank: gateway.bank },
    );
    expect((await query(strict, '{ accounts { id } }')).status).toBe(200);
    const answer = await query(strict, '{ accounts { id } }', {
      headers: { 'x-tenant-id': 'other' },
    });
    expect(answer.status).toBe(403);
    expect(codesOf(answer)).toEqual(['FORBIDDEN']);
  });
});

describe('a repeated Authorization or x-tenant-id header', () => {
  async function send(lines: readonly string[]): Promise<string> {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = [
      'POST /graphql HTTP/1.1',
      'host: a',
      'connection: close',
      'content-type: application/json',
    ];
    socket.write([...head, ...lines, `content-length: ${reader.length}`, '', reader].join('\r\n'));
    return text(socket);
  }

  test('is rejected', async () => {
    const { authorization, 'x-tenant-id': tenant } = await callerHeaders(gateway.bank);
    const [token, id] = [`authorization: ${authorization}`, `x-tenant-id: ${tenant}`];
    expect(await send([token, id])).toMatch(/^HTTP\/1.1 200 /);
    expect(await send([token, token, id])).toMatch(/^HTTP\/1.1 401 /);
    expect(await send([token, id, id])).toMatch(/^HTTP\/1.1 400 /);
    expect(gateway.bank.calls()).toHaveLength(1);
  });
});

test('the Authorization header is sent upstream byte for byte', async () => {
  const { authorization } = await callerHeaders(gateway.bank);
  const odd = authorization.replace('Bearer', 'bEARER');
  await query(gateway, '{ accounts { id } }', { headers: { authorization: odd } });
  await query(gateway, '{ accounts { id } }', { headers: { authorization } });
  expect(gateway.bank.calls().map(({ headers }) => headers.authorization)).toEqual([
    odd,
    authorization,
  ]);
});

describe('signature verification', () => {
  test('accepts a token that is signed with a key of the key set, and rejects an altered token', async () => {
    const { keySetUrl, issuer, audience } = gateway.bank;
    const env = { JWT_JWKS_URL: keySetUrl, JWT_ISSUER: issuer, JWT_AUDIENCE: audience };
    await using strict = await startTestGateway(env, { bank: gateway.bank });
    const headers = await callerHeaders(gateway.bank);
    expect((await post(strict, reader, { headers })).status).toBe(200);
    const changed = { ...headers, authorization: `${headers.authorization.slice(0, -8)}AAAAAAAA` };
    expect((await post(strict, reader, { headers: changed })).status).toBe(401);
    expect((await post(gateway, reader, { headers: changed })).status).toBe(200);
  });

  test('causes UPSTREAM_UNAVAILABLE if the key set has never been read, but only for operations that need a caller', async () => {
    const env = { JWT_JWKS_URL: 'http://127.0.0.1:1/keys' };
    await using blind = await startTestGateway(env, { bank: gateway.bank });
    const answer = await query(blind, '{ accounts { id } }');
    expect(answer.status).toBe(503);
    expect(codesOf(answer)).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect((await query(blind, '{ __typename }')).status).toBe(200);
    expect(gateway.bank.calls()).toEqual([]);
  });
});
