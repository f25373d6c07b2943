// Unknown operation texts: short ones are parsed for any client, long ones only for an accepted caller. The common
// introspection queries are short.
import { getIntrospectionQuery } from 'graphql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectRefusal } from '../support/attack.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway } from '../support/gateway.ts';
import { byId, sha256 } from '../support/manifest.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { type Answer, ask, callerHeaders, codesOf, post } from '../support/query.ts';

const gateway = await gatewayOfFile();
const good = await callerHeaders(gateway.bank);
const expired = await callerHeaders(gateway.bank, undefined, { exp: 1 });

function send(query: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return post(gateway, JSON.stringify({ query }), { headers });
}

/** Pads an operation text, so that it is too long to be parsed for a client without a valid caller. */
const long = (text: string) => text.padEnd(4100, ' ');

const renew = 'Bearer error="invalid_token"';

const callers: [string, () => Readonly<Record<string, string>>, number, string, string | null][] = [
  ['no token', () => ({}), 401, 'UNAUTHENTICATED', 'Bearer'],
  [
    'a malformed token',
    () => ({ ...good, authorization: 'Bearer x' }),
    401,
    'UNAUTHENTICATED',
    renew,
  ],
  ['an expired token', () => expired, 401, 'UNAUTHENTICATED', renew],
  ['no tenant', () => ({ authorization: good.authorization }), 400, 'TENANT_REQUIRED', null],
];

describe.each(callers)(
  'an unknown operation text sent with %s',
  (_name, headers, status, code, challenge) => {
    test.each([
      ['an operation', '{ accounts { id } }'],
      ['a syntax error', '{ accounts {'],
      ['an unknown field', '{ secrets }'],
      ['introspection', '{ __schema { queryType { name } } }'],
    ])('is rejected before it is parsed if it is long: %s', async (_what, text) => {
      const answer = await expectRefusal(gateway, { status, code }, () =>
        send(long(text), headers()),
      );
      expect(answer.headers.get('www-authenticate')).toBe(challenge);
    });

    test.each([
      ['{ accounts {', 'GRAPHQL_PARSE_FAILED', 200],
      ['{ secrets }', 'GRAPHQL_VALIDATION_FAILED', 200],
      ['{ accounts { id } }', code, status],
    ])('is parsed and validated if it is short: %s', async (text, expected, expectedStatus) => {
      const answer = await send(text, headers());
      expect([answer.status, codesOf(answer)]).toEqual([expectedStatus, [expected]]);
    });
  },
);

test('the common introspection queries are answered without a caller', async () => {
  const options = {
    inputValueDeprecation: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    oneOf: true,
  };
  const queries = [getIntrospectionQuery(), getIntrospectionQuery(options), '{ _service { sdl } }'];
  for (const text of queries) {
    const answer = await send(text);
    expect([answer.status, answer.errors]).toEqual([200, undefined]);
  }
});

test('a long operation text of an accepted caller is parsed and validated', async () => {
  expect(codesOf(await send(long('{ secrets }'), good))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
});

test('a known long operation text needs a caller only if its fields do', async () => {
  const text = long('{ __typename }');
  expect((await send(text, good)).errors).toBeUndefined();
  expect((await send(text)).data).toEqual({ __typename: 'Query' });
  const other = long('{ accounts { id } }');
  expect((await send(other, good)).errors).toBeUndefined();
  expect(codesOf(await send(other))).toEqual(['UNAUTHENTICATED']);
});

test('a long operation text without a caller is not registered under its hash', async () => {
  const text = long('{ accounts { bank } }');
  const registering = JSON.stringify({ query: text, extensions: byId(sha256(text)) });
  expect(codesOf(await post(gateway, registering))).toEqual(['UNAUTHENTICATED']);
  const asking = JSON.stringify({ extensions: byId(sha256(text)) });
  const answer = await post(gateway, asking, { headers: good });
  expect(codesOf(answer)).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
});

test('a text that is sent by GET keeps no other part of its address in memory', async () => {
  const measured = await startMeasuredGateway(gateway.bank.url);
  onTestFinished(() => measured.stop('SIGTERM').then(() => undefined));
  const headers = { 'apollo-require-preflight': 'true' };
  const before = await measured.retained();
  for (let n = 1000; n < 2000; n++) {
    const text = `{unusual_alias_${n}:__typename}`;
    const extensions = encodeURIComponent(JSON.stringify(byId(sha256(text))));
    const url = `${measured.url}/graphql?query=${text}&extensions=${extensions}&unused=${'x'.repeat(14_000)}`;
    expect((await ask(url, { headers })).status).toBe(200);
  }
  expect((await measured.retained()) - before).toBeLessThan(12 * 1_048_576);
});

test('a long operation text counts towards the rate limit of its caller', async () => {
  await using limited = await startTestGateway(
    { RATE_LIMIT_PER_MINUTE: '2' },
    { bank: gateway.bank },
  );
  const sendLimited = (text: string) =>
    post(limited, JSON.stringify({ query: text }), { headers: good });
  const codes = [];
  for (const name of ['a', 'b', 'c']) codes.push(codesOf(await sendLimited(long(`{ ${name} }`))));
  expect(codes).toEqual([
    ['GRAPHQL_VALIDATION_FAILED'],
    ['GRAPHQL_VALIDATION_FAILED'],
    ['RATE_LIMITED'],
  ]);
  const answer = await sendLimited(long('{ d }'));
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(answer.errors?.[0]?.extensions.retryAfter).toBe(Number(answer.headers.get('retry-after')));
});
