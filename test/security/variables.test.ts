// Variables and other members of the body: of wrong types, deep, wide, huge, or named like properties that every
// object has.
import { describe, expect, test } from 'vitest';
import { boundMemory, expectRefusal, expectServing } from '../support/attack.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { type Answer, ask, callerHeaders, codesOf, post } from '../support/query.ts';

boundMemory();

const gateway = await gatewayOfFile();
const headers = await callerHeaders(gateway.bank);

const slice = `query ($id: ID!, $from: Date, $first: Int, $after: String) {
  transactions(accountId: $id, from: $from, first: $first, after: $after) { totalCount }
}`;
const references = 'query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }';
const oneReference =
  'query ($one: _Any = {}) { _entities(representations: [$one]) { __typename } }';
const conditional = 'query ($on: Boolean!) { accounts @include(if: $on) { id } }';
const uuid = '00000000-0000-4000-8000-000000000000';

const accepts = { 'application/json': 200, 'application/graphql-response+json': 400 };

/**
 * Posts a query with variables given as JSON text, because JSON.stringify cannot write all values that the tests use.
 */
function send(document: string, variables: string, accept = 'application/json'): Promise<Answer> {
  const body = `{"query":${JSON.stringify(document)},"variables":${variables}}`;
  return post(gateway, body, { headers: { ...headers, accept } });
}

const lists = (depth: number, core = '') => '['.repeat(depth) + core + ']'.repeat(depth);
const objects = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

describe('a missing variable or one of the wrong type', () => {
  test.each<[string, string, string]>([
    ['a missing id', slice, '{}'],
    ['an id that is null', slice, '{"id":null}'],
    ['an id that is an object', slice, '{"id":{}}'],
    ['an id that is a list', slice, `{"id":["${uuid}"]}`],
    ['an id that is true', slice, '{"id":true}'],
    ['an id that is a fraction', slice, '{"id":0.5}'],
    ['an id that is a huge number', slice, '{"id":1e400}'],
    ['an id of nested lists', slice, `{"id":${lists(25_000)}}`],
    ['an id of nested objects', slice, `{"id":${objects(2000)}}`],
    ['a date that is a number', slice, `{"id":"${uuid}","from":20260101}`],
    ['a date that does not exist', slice, `{"id":"${uuid}","from":"2026-02-30"}`],
    ['a date with a time', slice, `{"id":"${uuid}","from":"2026-01-01T00:00:00Z"}`],
    ['a date with a six-digit year', slice, `{"id":"${uuid}","from":"+002026-01-01"}`],
    ['a date in Arabic digits', slice, `{"id":"${uuid}","from":"٢٠٢٦-٠١-٠١"}`],
    ['a date with a query string', slice, `{"id":"${uuid}","from":"2026-01-01&page=2"}`],
    ['a date of 500 KB', slice, `{"id":"${uuid}","from":"${'1'.repeat(500_000)}"}`],
    ['a date in an object', slice, `{"id":"${uuid}","from":{"$gt":""}}`],
    ['a count that is a string', slice, `{"id":"${uuid}","first":"20"}`],
    ['a count that is a fraction', slice, `{"id":"${uuid}","first":0.5}`],
    ['a count beyond 32 bits', slice, `{"id":"${uuid}","first":2147483648}`],
    ['an infinite count', slice, `{"id":"${uuid}","first":1e999}`],
    ['a count that is a list', slice, `{"id":"${uuid}","first":[1]}`],
    ['a cursor that is a number', slice, `{"id":"${uuid}","after":1}`],
    ['a cursor that is a list', slice, `{"id":"${uuid}","after":[]}`],
    ['a condition that is a string', conditional, '{"on":"true"}'],
    ['a condition that is 1', conditional, '{"on":1}'],
    ['a condition that is null', conditional, '{"on":null}'],
    ['references that are null', references, '{"all":null}'],
    ['references of which one is null', references, '{"all":[{"__typename":"Account"},null]}'],
    ['1,000 references that are null', references, `{"all":[${'null,'.repeat(999)}null]}`],
    ['variables with other names', slice, '{"ID":"x","constructor":"y"}'],
    ['variables in __proto__', slice, `{"__proto__":{"id":"${uuid}"}}`],
    ['variables in constructor', slice, `{"constructor":{"prototype":{"id":"${uuid}"}}}`],
  ])('fails with BAD_USER_INPUT before execution: %s', async (_name, document, variables) => {
    for (const [accept, status] of Object.entries(accepts)) {
      const refused = { status, code: 'BAD_USER_INPUT' };
      await expectRefusal(gateway, refused, () => send(document, variables, accept));
    }
  });
});

describe('a variable of the right type', () => {
  test.each<[string, string, string]>([
    ['a malformed id', slice, '{"id":"1"}'],
    ['an id with a path', slice, `{"id":"${uuid}/../../persons"}`],
    ['an id with a query string', slice, `{"id":"${uuid}?page=1"}`],
    ['an id with an encoded slash', slice, `{"id":"${uuid}%2f"}`],
    ['an id with a line feed', slice, `{"id":"${uuid}\\r\\nx: y"}`],
    ['an id after a line feed', slice, `{"id":"\\n${uuid}"}`],
    ['an id with a null byte', slice, `{"id":"${uuid}\\u0000"}`],
    ['an id of half a surrogate pair', slice, '{"id":"\\ud800"}'],
    ['an id with an Arabic digit', slice, '{"id":"٠0000000-0000-4000-8000-000000000000"}'],
    ['an id that is a number', slice, '{"id":1}'],
    ['an id of 1 MB', slice, `{"id":"${'0'.repeat(1_000_000)}"}`],
    ['a negative count', slice, `{"id":"${uuid}","first":-1}`],
    ['a count of 101', slice, `{"id":"${uuid}","first":101}`],
    ['the largest count', slice, `{"id":"${uuid}","first":2147483647}`],
    ['an empty cursor', slice, `{"id":"${uuid}","after":""}`],
    ['a malformed cursor', slice, `{"id":"${uuid}","after":"x"}`],
    ['a cursor of 1 MB', slice, `{"id":"${uuid}","after":"${'A'.repeat(1_000_000)}"}`],
    ['a cursor of half a surrogate pair', slice, `{"id":"${uuid}","after":"\\udfff"}`],
    ['a cursor that is JSON', slice, `{"id":"${uuid}","after":"{\\"v\\":1}"}`],
    ['a cursor that is code', slice, `{"id":"${uuid}","after":"');process.exit()//"}`],
    ['a reference without a type', references, '{"all":[{}]}'],
    ['a reference that is a string', references, '{"all":["Account"]}'],
    ['a reference that is a list', references, '{"all":[[]]}'],
    ['a reference that is null in a literal list', oneReference, '{"one":null}'],
    ['a reference of nested lists', references, `{"all":[${lists(25_000)}]}`],
    ['a reference of nested objects', references, `{"all":[${objects(2000)}]}`],
    ['a reference to __proto__', references, '{"all":[{"__typename":"__proto__","id":"x"}]}'],
    ['a reference to constructor', references, '{"all":[{"__typename":"constructor","id":"x"}]}'],
    ['a reference to the root', references, '{"all":[{"__typename":"Query","id":"x"}]}'],
    ['a reference whose type is a list', references, '{"all":[{"__typename":["Account"]}]}'],
    ['a reference with __proto__', references, '{"all":[{"__proto__":{"__typename":"Account"}}]}'],
    ['an id that is an object', references, '{"all":[{"__typename":"Account","id":{}}]}'],
  ])(
    'with a value that its field rejects fails with BAD_USER_INPUT without a call: %s',
    async (_name, document, variables) => {
      gateway.bank.resetCalls();
      const answer = await send(document, variables);
      expect([answer.status, new Set(codesOf(answer))]).toEqual([200, new Set(['BAD_USER_INPUT'])]);
      expect(answer.text.length).toBeLessThan(10_000);
      expect(gateway.bank.calls()).toEqual([]);
      await expectServing(gateway);
    },
  );

  test('with 1,000 references to unknown objects costs at most one call', async () => {
    const all = `{"__typename":"Account","id":"${uuid}"},`.repeat(1000).slice(0, -1);
    gateway.bank.resetCalls();
    const answer = await send(references, `{"all":[${all}]}`);
    expect(answer.data?.['_entities']).toHaveLength(1000);
    expect(gateway.bank.calls().length).toBeLessThanOrEqual(1);
    await expectServing(gateway);
  });

  test('may have a name such as __proto__ or constructor', async () => {
    const document = `query ($__proto__: ID!, $constructor: Int) {
      __proto__: account(id: $__proto__) { constructor: id }
      toString: __typename
      hasOwnProperty: transactions(accountId: $__proto__, first: $constructor) { then: totalCount }
    }`;
    const answer = await send(document, `{"__proto__":"${uuid}","constructor":1}`);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ data: { toString: 'Query' } });
    expect(codesOf(answer)).toEqual(['NOT_FOUND']);
    await expectServing(gateway);
  });
});

describe('an invalid member of a request', () => {
  const typename = '"query":"{ __typename }"';

  test.each<[string, string]>([
    ['variables that are a list', `{${typename},"variables":[]}`],
    ['variables that are a string', `{${typename},"variables":"{}"}`],
    ['variables that are a number', `{${typename},"variables":1}`],
    ['variables that are true', `{${typename},"variables":true}`],
    ['extensions that are a list', `{${typename},"extensions":[]}`],
    ['extensions that are a string', `{${typename},"extensions":"x"}`],
    ['an operation name that is an object', `{${typename},"operationName":{}}`],
    ['an operation name that is a number', `{${typename},"operationName":1}`],
    ['a query that is a list', '{"query":["{ __typename }"]}'],
    ['a query that is an object', '{"query":{"kind":"Document","definitions":[]}}'],
    ['a query that is a number', '{"query":1}'],
    ['a query that is null', '{"query":null}'],
    ['a query in __proto__', '{"__proto__":{"query":"{ __typename }"}}'],
    ['two queries, the last one not a string', `{${typename},"query":1}`],
    ['a persisted query that is a list', '{"extensions":{"persistedQuery":[]}}'],
    ['a persisted query that is a string', '{"extensions":{"persistedQuery":"x"}}'],
    ['a hash that is a number', '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":1}}}'],
    [
      'a hash of nested lists',
      `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":${lists(25_000)}}}}`,
    ],
    [
      'a version that is a string',
      '{"extensions":{"persistedQuery":{"version":"1","sha256Hash":"a"}}}',
    ],
    [
      'a hash of another query',
      `{${typename},"extensions":{"persistedQuery":{"version":1,"sha256Hash":"${'0'.repeat(64)}"}}}`,
    ],
  ])('fails with BAD_REQUEST: %s', async (_name, body) => {
    const refused = { status: 400, code: 'BAD_REQUEST' };
    for (const accept of Object.keys(accepts)) {
      await expectRefusal(gateway, refused, () =>
        post(gateway, body, { headers: { ...headers, accept } }),
      );
    }
  });

  test.each<[string, string]>([
    ['variables that are not JSON', 'query={__typename}&variables={'],
    ['variables that are a list', 'query={__typename}&variables=[]'],
    ['variables that are text', 'query={__typename}&variables="x"'],
    ['repeated variables', 'query={__typename}&variables={}&variables={}'],
    ['extensions that are not JSON', 'query={__typename}&extensions={'],
    ['extensions that are a list', 'query={__typename}&extensions=[]'],
    ['two queries', 'query={__typename}&query={__typename}'],
    ['two operation names', 'query={__typename}&operationName=a&operationName=b'],
    ['no query', 'variables={}'],
    ['a query in another case', 'Query={__typename}'],
    ['an empty query', 'query='],
  ])('fails with BAD_REQUEST in the query string too: %s', async (_name, search) => {
    const refused = { status: 400, code: 'BAD_REQUEST' };
    const url = `${gateway.url}/graphql?${encodeURI(search)}`;
    await expectRefusal(gateway, refused, () => ask(url, { headers }));
  });
});
