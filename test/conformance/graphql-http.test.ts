// GraphQL over HTTP: every audit of the suite in graphql-http with a header that forces a preflight, and the audits at
// the level MUST without this header.
import { serverAudits } from 'graphql-http';
import { describe, expect, test } from 'vitest';
import { gatewayOfFile } from '../support/fixtures.ts';

const gateway = await gatewayOfFile();

const url = () => `${gateway.url}/graphql`;

function fetchWithPreflight(input: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('apollo-require-preflight', 'true');
  return fetch(input, { ...init, headers });
}

test('the graphql-http suite has 61 audits', () => {
  expect(serverAudits({ url })).toHaveLength(61);
});

describe('with a preflight header, the gateway passes the audit', () => {
  for (const { name, fn } of serverAudits({ url, fetchFn: fetchWithPreflight })) {
    test(name, async () => {
      expect(await fn()).toMatchObject({ status: 'ok' });
    });
  }
});

describe('without a preflight header, the gateway passes the audit', () => {
  for (const { name, fn } of serverAudits({ url }).filter((audit) =>
    audit.name.startsWith('MUST'),
  )) {
    test(name, async () => {
      expect(await fn()).toMatchObject({ status: 'ok' });
    });
  }
});
