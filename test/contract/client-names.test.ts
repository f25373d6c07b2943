// Client names: operations are counted and logged under the app names and versions that CLIENTS lists, and otherwise
// under `other` or `none`.
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { scrape } from '../support/exposition.ts';
import { bankOfFile, gatewayOfTest } from '../support/fixtures.ts';
import { type TestGateway } from '../support/gateway.ts';
import { ask, callerHeaders, query } from '../support/query.ts';

const bank = await bankOfFile();

async function start(env: Readonly<Record<string, string>> = {}): Promise<TestGateway> {
  return gatewayOfTest(env, { bank });
}

const CLIENTS = 'web, @bank/ios@4.2.0, @bank/ios@4.3.0';

/** Operation counts above 0, keyed by `client version outcome`. */
async function counted(gateway: TestGateway): Promise<Record<string, number>> {
  const { samples } = await scrape(gateway);
  const own = samples.filter(
    ({ name, value }) => name === 'account_bff_client_operations_total' && value > 0,
  );
  return Object.fromEntries(
    own.map(({ labels, value }) => [
      ['client', 'version', 'outcome'].map((label) => labels[label]).join(' '),
      value,
    ]),
  );
}

/** The client's name and version in the log line of each operation. */
function logged({ log }: TestGateway): unknown[] {
  const lines = log.filter(({ msg }) => msg === 'operation');
  return lines.map(
    ({ clientName, clientVersion }) => `${String(clientName)} ${String(clientVersion)}`,
  );
}

describe.each(['graphql-client', 'apollographql-client'])(
  'the headers %s-name and -version,',
  (prefix) => {
    test.each([
      ['@bank/ios', '4.2.0', '@bank/ios 4.2.0'],
      ['@bank/ios', '9.9.9', '@bank/ios other'],
      ['@bank/ios', undefined, '@bank/ios none'],
      ['web', '1.0.0', 'web other'],
      ['web', undefined, 'web none'],
      ['Web', undefined, 'other other'],
      ['constructor', '__proto__', 'other other'],
      ['', '4.2.0', 'none none'],
      [undefined, '4.2.0', 'none none'],
    ])(
      'with the values %j and %j, are counted and logged as "%s"',
      async (name, version, label) => {
        const gateway = await start({ CLIENTS });
        const headers = {
          ...(name !== undefined && { [`${prefix}-name`]: name }),
          ...(version !== undefined && { [`${prefix}-version`]: version }),
        };
        await query(gateway, '{ __typename }', { headers });
        expect(await counted(gateway)).toEqual({ [`${label} ok`]: 1 });
        expect(logged(gateway)).toEqual([label]);
      },
    );
  },
);

test('if both graphql-client and apollographql-client headers are sent, the apollographql-client headers are ignored', async () => {
  const gateway = await start({ CLIENTS });
  const headers = {
    'graphql-client-name': 'web',
    'apollographql-client-name': '@bank/ios',
    'apollographql-client-version': '4.2.0',
  };
  await query(gateway, '{ __typename }', { headers });
  expect(await counted(gateway)).toEqual({ 'web none ok': 1 });
});

test('operations are counted by client and outcome, even if the request is rejected before its body is read', async () => {
  const gateway = await start({ CLIENTS });
  const headers = { 'graphql-client-name': 'web' };
  await query(gateway, '{ nonsense }', { headers });
  await ask(`${gateway.url}/graphql`, { method: 'POST', body: '[]', headers });
  bank.addFault({ kind: 'status', status: 500 });
  await query(gateway, '{ me { __typename } }', { headers });
  expect(await counted(gateway)).toEqual({ 'web none error': 2, 'web none fault': 1 });
});

test('without CLIENTS, a client name counts as "other" in the metrics and the log', async () => {
  const gateway = await start();
  const headers = { 'graphql-client-name': 'web', 'graphql-client-version': '1.0.0' };
  await query(gateway, '{ __typename }', { headers });
  expect(await counted(gateway)).toEqual({ 'other other ok': 1 });
  expect(logged(gateway)).toEqual(['other other']);
});

test('a thousand invented client names and versions add no time series', async () => {
  const gateway = await start({ CLIENTS });
  const series = async () => {
    const { samples } = await scrape(gateway);
    return samples.filter(({ name }) => name === 'account_bff_client_operations_total').length;
  };
  const before = await series();
  const invented = Array.from({ length: 1000 }, (_, k) => ({
    'graphql-client-name': k % 2 === 0 ? 'web' : `app-${k}`,
    'graphql-client-version': `${k}.0.0`,
  }));
  for (const headers of invented) await query(gateway, '{ __typename }', { headers });
  expect(await series()).toBe(before);
  expect(await counted(gateway)).toEqual({ 'web other ok': 500, 'other other ok': 500 });
});

test('the headers of Apollo Client’s clientAwareness identify an app, and are allowed for an origin in CORS_ORIGINS', async () => {
  const gateway = await start({ CLIENTS, CORS_ORIGINS: 'https://app.example' });
  const preflight = await ask(`${gateway.url}/graphql`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-headers': 'apollographql-client-name,apollographql-client-version',
    },
  });
  expect(preflight.headers.get('access-control-allow-headers')).toBe(
    'apollographql-client-name,apollographql-client-version',
  );
  const link = new HttpLink({
    uri: `${gateway.url}/graphql`,
    headers: await callerHeaders(bank),
  });
  const client = new ApolloClient({
    link,
    cache: new InMemoryCache(),
    clientAwareness: { name: '@bank/ios', version: '4.3.0' },
  });
  onTestFinished(() => client.stop());
  await client.query({
    query: gql`
      {
        me {
          __typename
        }
      }
    `,
  });
  expect(await counted(gateway)).toEqual({ '@bank/ios 4.3.0 ok': 1 });
});
