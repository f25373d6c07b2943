// Variables and what stands beside the query in a body: of wrong types, deep, wide, huge, with names that objects have.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { boundMemory, expectRefusal, expectServing } from '../support/attack.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type Answer, ask, callerHeaders, codesOf, post } from '../support/query.ts';

boundMemory();

let gateway: TestGateway;
let headers: Readonly<Record<string, string>>;
beforeAll(async () => {
  gateway = await startTestGateway();
  headers = await callerHeaders(gateway.bank);
});
afterAll(() => gateway.close());

const slice = `query ($id: ID!, $from: Date, $first: Int, $after: String) {
  transactions(accountId: $id, from: $from, first: $first, after: $after) { totalCount }
}`;
const references = 'query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }';
const conditional = 'query ($on: Boolean!) { accounts @include(if: $on) { id } }';
const uuid = '00000000-0000-4000-8000-000000000000';

const accepts = { 'application/json': 200, 'application/graphql-response+json': 400 };

/** Posts a query with these variables, as JSON text that need not come of a JavaScript object. */
function send(document: string, variables: string, accept = 'application/json'): Promise<Answer> {
  const body = `{"query":${JSON.stringify(document)},"variables":${variables}}`;
  return post(gateway, body, { headers: { ...headers, accept } });
}

const lists = (depth: number, core = '') => '['.repeat(depth) + core + ']'.repeat(depth);
const objects = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

describe('a variable that is not of its type', () => {
  test.each<[string, string, string]>([
    ['no id', slice, '{}'],
    ['an id that is null', slice, '{"id":null}'],
    ['an id that is an object', slice, '{"id":{}}'],
    ['an id that is a list', slice, `{"id":["${uuid}"]}`],
    ['an id that is true', slice, '{"id":true}'],
    ['an id that is half a number', slice, '{"id":0.5}'],
    ['an id that is a huge number', slice, '{"id":1e400}'],
    ['an id of lists in lists', slice, `{"id":${lists(40_000)}}`],
    ['an id of objects in objects', slice, `{"id":${objects(40_000)}}`],
    ['a date that is a number', slice, `{"id":"${uuid}","from":20260101}`],
    ['a date that does not exist', slice, `{"id":"${uuid}","from":"2026-02-30"}`],
    ['a date with a time', slice, `{"id":"${uuid}","from":"2026-01-01T00:00:00Z"}`],
    ['a date of six digits', slice, `{"id":"${uuid}","from":"+002026-01-01"}`],
    ['a date in other digits', slice, `{"id":"${uuid}","from":"٢٠٢٦-٠١-٠١"}`],
    ['a date and a query', slice, `{"id":"${uuid}","from":"2026-01-01&page=2"}`],
    ['a date of 500 KB', slice, `{"id":"${uuid}","from":"${'1'.repeat(500_000)}"}`],
    ['a date within an object', slice, `{"id":"${uuid}","from":{"$gt":""}}`],
    ['a count that is text', slice, `{"id":"${uuid}","first":"20"}`],
    ['a count that is half', slice, `{"id":"${uuid}","first":0.5}`],
    ['a count beyond 32 bits', slice, `{"id":"${uuid}","first":2147483648}`],
    ['a count beyond everything', slice, `{"id":"${uuid}","first":1e999}`],
    ['a count that is a list', slice, `{"id":"${uuid}","first":[1]}`],
    ['a cursor that is a number', slice, `{"id":"${uuid}","after":1}`],
    ['a cursor that is a list', slice, `{"id":"${uuid}","after":[]}`],
    ['a condition that is text', conditional, '{"on":"true"}'],
    ['a condition that is 1', conditional, '{"on":1}'],
    ['a condition that is null', conditional, '{"on":null}'],
    ['references that are null', references, '{"all":null}'],
    ['references with a null among them', references, '{"all":[{"__typename":"Account"},null]}'],
    ['1,000 references that are null', references, `{"all":[${'null,'.repeat(999)}null]}`],
    ['variables of names that are not asked for', slice, '{"ID":"x","constructor":"y"}'],
    ['__proto__ for the variables', slice, `{"__proto__":{"id":"${uuid}"}}`],
    ['a constructor for the variables', slice, `{"constructor":{"prototype":{"id":"${uuid}"}}}`],
  ])('%s', async (_name, document, variables) => {
    for (const [accept, status] of Object.entries(accepts)) {
      const refused = { status, code: 'BAD_USER_INPUT' };
      await expectRefusal(gateway, refused, () => send(document, variables, accept));
    }
  });
});

describe('a variable that only its field finds wrong costs nothing upstream', () => {
  test.each<[string, string, string]>([
    ['an id that is none', slice, '{"id":"1"}'],
    ['an id with a path', slice, `{"id":"${uuid}/../../persons"}`],
    ['an id with a query', slice, `{"id":"${uuid}?page=1"}`],
    ['an id with an encoded slash', slice, `{"id":"${uuid}%2f"}`],
    ['an id with a line feed', slice, `{"id":"${uuid}\\r\\nx: y"}`],
    ['an id behind a line feed', slice, `{"id":"\\n${uuid}"}`],
    ['an id with a null byte', slice, `{"id":"${uuid}\\u0000"}`],
    ['an id of half a character', slice, '{"id":"\\ud800"}'],
    ['an id in other digits', slice, '{"id":"٠0000000-0000-4000-8000-000000000000"}'],
    ['an id that is a number', slice, '{"id":1}'],
    ['an id of 1 MB', slice, `{"id":"${'0'.repeat(1_000_000)}"}`],
    ['a negative count', slice, `{"id":"${uuid}","first":-1}`],
    ['a count of 101', slice, `{"id":"${uuid}","first":101}`],
    ['the largest count', slice, `{"id":"${uuid}","first":2147483647}`],
    ['an empty cursor', slice, `{"id":"${uuid}","after":""}`],
    ['a cursor that is none', slice, `{"id":"${uuid}","after":"x"}`],
    ['a cursor of 1 MB', slice, `{"id":"${uuid}","after":"${'A'.repeat(1_000_000)}"}`],
    ['a cursor of half a character', slice, `{"id":"${uuid}","after":"\\udfff"}`],
    ['a cursor that is JSON', slice, `{"id":"${uuid}","after":"{\\"v\\":1}"}`],
    ['a cursor that is code', slice, `{"id":"${uuid}","after":"');process.exit()//"}`],
    ['a reference without a type', references, '{"all":[{}]}'],
    ['a reference that is text', references, '{"all":["Account"]}'],
    ['a reference that is a list', references, '{"all":[[]]}'],
    ['a reference of lists in lists', references, `{"all":[${lists(40_000)}]}`],
    ['a reference of objects in objects', references, `{"all":[${objects(40_000)}]}`],
    ['a reference to __proto__', references, '{"all":[{"__typename":"__proto__","id":"x"}]}'],
    ['a reference to a constructor', references, '{"all":[{"__typename":"constructor","id":"x"}]}'],
    ['a reference to the root', references, '{"all":[{"__typename":"Query","id":"x"}]}'],
    ['a reference whose type is a list', references, '{"all":[{"__typename":["Account"]}]}'],
    ['a reference with __proto__', references, '{"all":[{"__proto__":{"__typename":"Account"}}]}'],
    ['an id that is an object', references, '{"all":[{"__typename":"Account","id":{}}]}'],
  ])('%s', async (_name, document, variables) => {
    gateway.bank.resetCalls();
    const answer = await send(document, variables);
    expect([answer.status, new Set(codesOf(answer))]).toEqual([200, new Set(['BAD_USER_INPUT'])]);
    expect(answer.text.length).toBeLessThan(10_000);
    expect(gateway.bank.calls()).toEqual([]);
    await expectServing(gateway);
  });

  test('1,000 references to nothing are answered by one call at most', async () => {
    const all = `{"__typename":"Account","id":"${uuid}"},`.repeat(1000).slice(0, -1);
    gateway.bank.resetCalls();
    const answer = await send(references, `{"all":[${all}]}`);
    expect(answer.data?.['_entities']).toHaveLength(1000);
    expect(gateway.bank.calls().length).toBeLessThanOrEqual(1);
    await expectServing(gateway);
  });

  test('names that objects have are names like others', async () => {
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

describe('what stands beside the query', () => {
  const typename = '"query":"{ __typename }"';

  test.each<[string, string]>([
    ['variables that are a list', `{${typename},"variables":[]}`],
    ['variables that are text', `{${typename},"variables":"{}"}`],
    ['variables that are a number', `{${typename},"variables":1}`],
    ['variables that are true', `{${typename},"variables":true}`],
    ['extensions that are a list', `{${typename},"extensions":[]}`],
    ['extensions that are text', `{${typename},"extensions":"x"}`],
    ['an operation name that is an object', `{${typename},"operationName":{}}`],
    ['an operation name that is a number', `{${typename},"operationName":1}`],
    ['a query that is a list', '{"query":["{ __typename }"]}'],
    ['a query that is an object', '{"query":{"kind":"Document","definitions":[]}}'],
    ['a query that is a number', '{"query":1}'],
    ['a query that is null', '{"query":null}'],
    ['a query behind __proto__', '{"__proto__":{"query":"{ __typename }"}}'],
    ['a query said twice, the last no text', `{${typename},"query":1}`],
    ['a persisted query that is a list', '{"extensions":{"persistedQuery":[]}}'],
    ['a persisted query that is text', '{"extensions":{"persistedQuery":"x"}}'],
    ['a hash that is a number', '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":1}}}'],
    [
      'a hash of lists in lists',
      `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":${lists(40_000)}}}}`,
    ],
    [
      'a version that is text',
      '{"extensions":{"persistedQuery":{"version":"1","sha256Hash":"a"}}}',
    ],
    [
      'a hash that is not of the query',
      `{${typename},"extensions":{"persistedQuery":{"version":1,"sha256Hash":"${'0'.repeat(64)}"}}}`,
    ],
  ])('%s', async (_name, body) => {
    const refused = { status: 400, code: 'BAD_REQUEST' };
    for (const accept of Object.keys(accepts)) {
      await expectRefusal(gateway, refused, () =>
        post(gateway, body, { headers: { ...headers, accept } }),
      );
    }
  });

  test.each<[string, string]>([
    ['variables that are no JSON', 'query={__typename}&variables={'],
    ['variables that are a list', 'query={__typename}&variables=[]'],
    ['variables that are text', 'query={__typename}&variables="x"'],
    ['variables twice', 'query={__typename}&variables={}&variables={}'],
    ['extensions that are no JSON', 'query={__typename}&extensions={'],
    ['extensions that are a list', 'query={__typename}&extensions=[]'],
    ['two queries', 'query={__typename}&query={__typename}'],
    ['two operation names', 'query={__typename}&operationName=a&operationName=b'],
    ['no query', 'variables={}'],
    ['a query of another name', 'Query={__typename}'],
    ['an empty query', 'query='],
  ])('in an address: %s', async (_name, search) => {
    const refused = { status: 400, code: 'BAD_REQUEST' };
    const url = `${gateway.url}/graphql?${encodeURI(search)}`;
    await expectRefusal(gateway, refused, () => ask(url, { headers }));
  });
});
