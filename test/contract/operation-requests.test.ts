// Operations are requested by their text or by an id, in a body or in a URL. Operation text is not accepted in place of
// an id, and an id is not accepted in place of operation text.
import { beforeAll, describe, expect, test } from 'vitest';
import { gatewayOfFile } from '../support/fixtures.ts';
import { byId, sha256 } from '../support/manifest.ts';
import { type Answer, ask, callerHeaders, codesOf, post } from '../support/query.ts';

const gateway = await gatewayOfFile();
const headers = await callerHeaders(gateway.bank);

const send = (body: object): Promise<Answer> => post(gateway, JSON.stringify(body), { headers });

function get(parameters: Readonly<Record<string, string>>): Promise<Answer> {
  const search = new URLSearchParams(parameters).toString();
  return ask(`${gateway.url}/graphql?${search}`, { headers });
}

/** Sends the text often enough that the fast path has a plan for it. */
async function makeKnown(text: string): Promise<void> {
  for (let times = 0; times < 4; times++) {
    const answer = await send({ query: text, extensions: byId(sha256(text)) });
    expect(answer.errors).toBeUndefined();
    const byHash = await send({ extensions: byId(sha256(text)) });
    expect(byHash.errors).toBeUndefined();
  }
}

describe('a registered operation', () => {
  const text = 'query Ids { accounts { id } }';
  beforeAll(() => makeKnown(text));

  test('is not executed if its id is sent as an operation text', async () => {
    expect(codesOf(await send({ query: sha256(text) }))).toEqual(['GRAPHQL_PARSE_FAILED']);
    expect(codesOf(await get({ query: sha256(text) }))).toEqual(['GRAPHQL_PARSE_FAILED']);
  });

  test('is not executed if its text is sent as an id', async () => {
    const answers = [
      await send({ extensions: byId(text) }),
      await get({ extensions: JSON.stringify(byId(text)) }),
    ];
    for (const answer of answers) expect(codesOf(answer)).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  });

  test('is rejected if its text is sent with the id of another operation, even if the text is known', async () => {
    const answer = await send({ query: text, extensions: byId(sha256('{ me { __typename } }')) });
    expect([answer.status, codesOf(answer)]).toEqual([400, ['BAD_REQUEST']]);
  });
});

describe('a GraphQL request over GET', () => {
  const text = 'query Get($on: Boolean = true) { accounts { id bank @include(if: $on) } }';

  test('gets the same answer as over POST, the first time and later', async () => {
    const posted = await send({ query: text });
    for (let times = 0; times < 4; times++) {
      const got = await get({ query: text });
      expect([got.status, got.data]).toEqual([200, posted.data]);
    }
    const without = await get({ query: text, variables: '{"on":false}' });
    expect(without.text).not.toContain('"bank"');
  });

  test('may send the id of a registered operation text instead of the text, as over POST', async () => {
    const extensions = JSON.stringify(byId(sha256(text)));
    expect(codesOf(await get({ extensions }))).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
    expect((await get({ query: text, extensions })).errors).toBeUndefined();
    for (let times = 0; times < 3; times++) {
      expect((await get({ extensions })).data?.['accounts']).toHaveLength(4);
      expect((await send({ extensions: byId(sha256(text)) })).data?.['accounts']).toHaveLength(4);
    }
  });

  test('is rejected without a header that forces a preflight, even for a known operation text', async () => {
    const anonymous = '{ __typename }';
    for (let times = 0; times < 4; times++) {
      expect((await send({ query: anonymous })).data).toEqual({ __typename: 'Query' });
    }
    const search = new URLSearchParams({ query: anonymous }).toString();
    const answer = await ask(`${gateway.url}/graphql?${search}`);
    expect([answer.status, codesOf(answer)]).toEqual([400, ['BAD_REQUEST']]);
  });
});
