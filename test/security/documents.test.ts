// Operation texts that are deep, wide, cyclic, huge or invalid, or that read the schema.
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { boundMemory, expectRefusal, expectServing } from '../support/attack.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type Answer, ask, callerHeaders, post } from '../support/query.ts';

boundMemory();

const gateway = await gatewayOfFile();
const headers = await callerHeaders(gateway.bank);

function send(document: string, accept = 'application/json', other: object = {}): Promise<Answer> {
  const body = JSON.stringify({ query: document, ...other });
  return post(gateway, body, { headers: { ...headers, accept } });
}

/** The status of the answer to an invalid document, by media type. */
const accepts = { 'application/json': 200, 'application/graphql-response+json': 400 };

/** The results of `part(0)`, `part(1)`, …, `part(count - 1)`, joined. */
function repeat(count: number, part: (i: number) => string, between = ' '): string {
  return Array.from({ length: count }, (_, i) => part(i)).join(between);
}

const nested = (depth: number, field = 'a') => `${`{ ${field} `.repeat(depth)}${'}'.repeat(depth)}`;
const brackets = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const braces = (depth: number) => `${'{a:'.repeat(depth)}1${'}'.repeat(depth)}`;

/** Each fragment spreads the next one three times, which selects 3 to the power of 10 fields. */
const exponential = `{ ...F0 } ${repeat(
  10,
  (i) => `fragment F${i} on Query { ${repeat(3, () => `...F${i + 1}`)} }`,
)} fragment F10 on Query { __typename }`;

describe('a complex operation', () => {
  test('is accepted with 141 selections of one response key and 30 aliases', async () => {
    const document = `{ ${'__typename '.repeat(141)} ${repeat(30, (i) => `a${i}: __typename`)} }`;
    const { status, data } = await post(gateway, JSON.stringify({ query: document }));
    expect([status, Object.keys(data ?? {}).length]).toEqual([200, 31]);
  });

  test.each<[string, string]>([
    ['16 levels', nested(16)],
    ['16 levels in a fragment', `{ ...F } fragment F on Query ${nested(16)}`],
    ['16 levels in inline fragments', `{ ${'... { a { '.repeat(16)} b ${'} } '.repeat(16)} }`],
    [
      '16 levels over several fragments',
      `{ a { ...F0 } } ${repeat(16, (i) => `fragment F${i} on A { a { ...F${i + 1} } }`)} fragment F16 on A { a }`,
    ],
    ['1,600 levels', nested(1600)],
    ['100,000 levels', nested(100_000)],
    ['100,000 inline fragments', '{ ... '.repeat(100_000)],
    ['31 aliases', `{ ${repeat(31, (i) => `a${i}: __typename`)} }`],
    ['31 aliases with the same name', `{ ${repeat(31, () => 'a: __typename')} }`],
    [
      '31 aliases of a fragment that is spread twice',
      `{ a: me { ...F } b: me { ...F } } fragment F on Person { ${repeat(15, (i) => `a${i}: id`)} }`,
    ],
    [
      'exponentially many aliases, by fragments',
      exponential.replace('__typename', 'a: __typename'),
    ],
    ['1,000 aliases', `{ ${repeat(1000, (i) => `a${i}: accounts { id }`)} }`],
    ['a response key 142 times', `{ ${'__typename '.repeat(142)} }`],
    [
      'a response key 142 times, through fragments',
      `{ ...F ...G } fragment F on Query { ${'__typename '.repeat(71)} } fragment G on Query { ${'__typename '.repeat(71)} }`,
    ],
    ['31 operations', Array.from({ length: 31 }, (_, i) => `query Q${i} { __typename }`).join(' ')],
    [
      '200 unused fragments',
      `{ __typename } ${Array.from({ length: 200 }, (_, i) => `fragment F${i} on Query { __typename }`).join(' ')}`,
    ],
    ['51 directives', `{ __typename ${'@include(if: true) '.repeat(51)} }`],
    ['51 unknown directives', `{ __typename ${'@a '.repeat(51)} }`],
    ['51 directives on the operation', `query ${'@a '.repeat(51)} { __typename }`],
    ['51 directives on a fragment', `{ ...F ${'@a '.repeat(51)} } fragment F on Query { a }`],
    [
      'exponentially many directives, by fragments',
      exponential.replace('__typename', '__typename @a'),
    ],
    ['2,000 directives', `{ __typename ${'@skip(if: false) '.repeat(1200)} }`],
    ['5,001 tokens', `{ ${'a '.repeat(4999)} }`],
    ['a million tokens', `{ ${'a '.repeat(500_000)} }`],
    ['a million tokens in an argument', `{ a(b: [${'1 '.repeat(500_000)}]) }`],
    ['10,000 fields', `{ ${repeat(10_000, (i) => `f${i}`)} }`],
    ['10,000 variables', `query (${repeat(10_000, (i) => `$v${i}: ID`)}) { a }`],
    ['10,000 operations', repeat(10_000, (i) => `query Q${i} { a }`)],
    ['10,000 fragments', `{ a } ${repeat(10_000, (i) => `fragment F${i} on Query { a }`)}`],
    ['10,000 unclosed braces', '{ a '.repeat(10_000)],
    ['nested lists', `{ a(b: ${brackets(100_000)}) }`],
    ['nested objects', `{ a(b: ${braces(50_000)}) }`],
    ['a type of nested lists', `query ($a: ${brackets(50_000).replace('[]', '[ID]')}) { a }`],
    ['5,001 lines', `{ ${'\n'.repeat(5000)} __typename }`],
    ['100,001 characters', `{ __typename }${' '.repeat(99_987)}`],
    ['a string of 900,000 characters', `{ __type(name: "${'x'.repeat(900_000)}") { name } }`],
    ['a block of 200,000 lines', `{ __type(name: """${'\n'.repeat(200_000)}""") { name } }`],
    ['a number of 900,000 digits', `{ account(id: ${'9'.repeat(900_000)}) { id } }`],
    ['900,000 commas', `{ ${','.repeat(900_000)} __typename }`],
    ['5,001 comments', `${'#\n'.repeat(5001)}{ __typename }`],
    ['the same field 4,990 times', `{ ${'__typename '.repeat(4990)} }`],
    ['the same selection 1,200 times', `{ ${'accounts { id } '.repeat(1200)} }`],
    [
      'the same deep selection 400 times',
      `{ ${'accounts { transactions { nodes { id } } } '.repeat(400)} }`,
    ],
    ['a malformed number of a million digits', `{ a(b: ${'9'.repeat(500_000)}x) }`],
    ['a text of 900 KB', `{ __type(name: "${'x'.repeat(900_000)}") { name } }`],
    ['a block of 200,000 lines', `{ __type(name: """${'\n'.repeat(200_000)}""") { name } }`],
    ['900,000 commas', `{ ${','.repeat(900_000)} __typename }`],
    ['200 errors after 60,000 lines', `${'\n'.repeat(60_000)}{ ${repeat(200, (i) => `f${i}`)} }`],
    ['a field 150 times', `{ ${'__typename '.repeat(150)} }`],
    [
      '320 selections that share a response key',
      `{ ${'me { ... on Person { name } ... on Company { name } } '.repeat(320)} }`,
    ],
    [
      '320 selections that share a response key in an unused fragment',
      `{ __typename } fragment F on Query { ${'me { ... on Person { name } ... on Company { name } } '.repeat(320)} }`,
    ],
    ['201 variables', `query (${repeat(201, (i) => `$v${i}: ID`)}) { __typename }`],
    [
      'a fragment of 1,000 fields at 51 places',
      `{ ${repeat(51, (i) => `f${i} { ...F }`)} } fragment F on Query { ${repeat(1000, (i) => `f${i}`)} }`,
    ],
    [
      'one large selection 60 times',
      `{ ${'me { ... on Person { id name document email phone status hasPin individual { id income } } } '.repeat(60)} }`,
    ],
    [
      '450 fragments in a chain',
      `{ ...F0 } ${repeat(450, (i) => `fragment F${i} on Query { ...F${i + 1} __typename }`)} fragment F450 on Query { __typename }`,
    ],
    [
      '400 unconnected fragments',
      `{ ${repeat(600, (i) => `...F${i % 400}`)} } ${repeat(400, (i) => `fragment F${i} on Query { __typename }`)}`,
    ],
    ['2,400 unknown fragments', `{ ${repeat(2400, (i) => `...F${i}`)} }`],
    [
      'fragments that spread each other, twice at each level',
      `{ me { ...F0 } } ${repeat(20, (i) => `fragment F${i} on Person { a { ...F${(i + 1) % 20} } b { ...F${(i + 1) % 20} } }`)}`,
    ],
    [
      'introspection of 20 levels',
      `{ __schema { types { ${'ofType { '.repeat(18)}name${' }'.repeat(18)} } } }`,
    ],
  ])(
    'gets status 400 under both media types if it exceeds a limit: %s',
    async (_name, document) => {
      for (const accept of Object.keys(accepts)) {
        const refused = { status: 400, code: 'OPERATION_TOO_COMPLEX' };
        const answer = await expectRefusal(gateway, refused, () => send(document, accept));
        expect(answer.text.length).toBeLessThan(1000);
      }
    },
  );
});

describe('an operation text that is not GraphQL', () => {
  test.each<[string, string]>([
    ['only spaces', '   '],
    ['only a comment', '# a'],
    ['braces', '{ }'],
    ['one brace', '{'],
    ['a null byte', '{ a\0 }'],
    ['a control character', '{ a\u0007 }'],
    ['half of a surrogate pair', '{ a(b: "\ud800") }'],
    ['an invalid character', '{ a\uffff }'],
    ['an invalid escape', '{ a(b: "\\u{110000}") }'],
    ['an unterminated string', '{ a(b: "'],
    ['an unterminated block string', '{ a(b: """'],
    ['letters of another alphabet', '{ ассounts { id } }'],
    ['SQL', "'; DROP TABLE accounts; --"],
    ['JavaScript', 'function () { return process.env }'],
    ['JSON', '{"query":"{ a }"}'],
    ['a template', '{{7*7}}'],
    ['markup', '<script>alert(1)</script>'],
    ['a number of 90,000 digits', `{ a(b: ${'9'.repeat(90_000)}x) }`],
    ['a variable without a name', 'query ($: ID) { a }'],
    ['a fragment named on', '{ ...on } fragment on on Query { a }'],
    ['a fragment with variables', 'fragment F($a: ID) on Query { a }'],
  ])('is rejected: %s', async (_name, document) => {
    for (const [accept, status] of Object.entries(accepts)) {
      const refused = { status, code: 'GRAPHQL_PARSE_FAILED' };
      await expectRefusal(gateway, refused, () => send(document, accept));
    }
  });
});

describe('a document that is not a valid query', () => {
  test.each<[string, string, object?]>([
    ['a mutation', 'mutation { deposit }'],
    ['a mutation of a query field', 'mutation { accounts { id } }'],
    ['a mutation of __typename', 'mutation { __typename }'],
    ['a mutation among queries', 'query A { a } mutation B { a }', { operationName: 'B' }],
    ['a subscription', 'subscription { accounts { id } }'],
    ['a subscription of __typename', 'subscription { __typename }'],
    [
      'a subscription among queries',
      'query A { __typename } subscription B { __typename }',
      { operationName: 'B' },
    ],
    ['two operations without operationName', 'query A { __typename } query B { __typename }'],
    ['an operationName that no operation has', 'query A { __typename }', { operationName: 'B' }],
    ['__proto__ as operationName', 'query A { __typename }', { operationName: '__proto__' }],
    ['constructor as operationName', 'query A { __typename }', { operationName: 'constructor' }],
    [
      'two operations with the same name',
      'query A { __typename } query A { __typename }',
      { operationName: 'A' },
    ],
    ['two anonymous operations', '{ __typename } { __typename }'],
    ['only a fragment', 'fragment F on Query { __typename }'],
    ['a fragment that spreads itself', '{ ...F } fragment F on Query { ...F }'],
    [
      'a fragment that spreads itself indirectly',
      '{ me { ...F } } fragment F on Person { accounts { ...F } }',
    ],
    [
      'fragments that spread each other',
      `{ ...F0 } ${repeat(50, (i) => `fragment F${i} on Query { ${repeat(20, (j) => `...F${(i + j + 1) % 50}`)} }`)}`,
    ],
    ['an unknown fragment', '{ ...Unknown }'],
    ['an unknown fragment named __proto__', '{ ...__proto__ }'],
    ['an unknown fragment named constructor', '{ ...constructor }'],
    ['an unused fragment', '{ __typename } fragment F on Query { __typename }'],
    ['a fragment on an unknown type', '{ ... on Nothing { a } }'],
    ['a fragment on __proto__', '{ ... on __proto__ { a } }'],
    ['a fragment on a scalar', '{ ... on Decimal { a } }'],
    ['a schema definition', 'schema { query: Query }'],
    ['a type definition', 'type Query { a: Int }'],
    ['a type extension', 'extend type Query { secrets: [String] } { secrets }'],
    ['a directive definition', 'directive @a on FIELD query { __typename @a }'],
    ['an unknown field', '{ secrets }'],
    ['a field named constructor', '{ constructor }'],
    ['__proto__', '{ __proto__ { a } }'],
    ['a field of a scalar', '{ accounts { id { constructor } } }'],
    ['an unknown argument', '{ accounts(where: "1=1") { id } }'],
    ['a repeated argument', '{ account(id: "a", id: "b") { id } }'],
    ['a missing argument', '{ account { id } }'],
    ['an enum for an id', '{ account(id: ID) { id } }'],
    [
      'a number above 32 bits',
      '{ transactions(accountId: "a", first: 99999999999) { totalCount } }',
    ],
    [
      'a number of 90,000 digits',
      `{ transactions(accountId: "a", first: ${'9'.repeat(90_000)}) { totalCount } }`,
    ],
    ['an invalid date', '{ transactions(accountId: "a", from: "yesterday") { totalCount } }'],
    ['@defer', '{ ... @defer { accounts { id } } }'],
    ['@stream', '{ accounts @stream { id } }'],
    ['@include without a condition', '{ accounts @include { id } }'],
    ['a repeated @include', '{ accounts @include(if: true) @include(if: true) { id } }'],
    ['an unknown directive', '{ accounts @internal { id } }'],
    ['an undefined variable', '{ account(id: $id) { id } }'],
    ['an unused variable', 'query ($a: ID) { __typename }'],
    ['a variable defined twice', 'query ($a: ID!, $a: ID!) { account(id: $a) { id } }'],
    ['a variable of another type', 'query ($a: Int!) { account(id: $a) { id } }'],
    ['a variable of an unknown type', 'query ($a: __proto__!) { account(id: $a) { id } }'],
    ['a variable of an output type', 'query ($a: Account!) { account(id: $a) { id } }'],
    [
      'a variable of nested lists',
      `query ($a: ${'['.repeat(1500)}ID${']'.repeat(1500)}) { __typename }`,
    ],
    ['one response key for two fields', '{ a: __typename a: accounts { id } }'],
    ['one response key for two arguments', '{ account(id: "a") { id } account(id: "b") { id } }'],
    ['the SDL with arguments', '{ _service(sdl: true) { sdl } }'],
    ['1,000 unknown fields', `{ ${repeat(1000, (i) => `secret${i}`)} }`],
  ])('is rejected: %s', async (_name, document, other) => {
    for (const [accept, status] of Object.entries(accepts)) {
      const refused = { status, code: 'GRAPHQL_VALIDATION_FAILED' };
      const answer = await expectRefusal(gateway, refused, () => send(document, accept, other));
      // The size of the answer grows at most in proportion to the document, however many mistakes the document has.
      expect(answer.text.length).toBeLessThan(20_000 + 20 * document.length);
    }
  });

  test('has its first five errors listed, and one error for all others', async () => {
    const { errors = [] } = await send(`{ ${repeat(50, (i) => `unknown${i}`)} }`);
    expect(errors.slice(0, 5).map(({ message }) => message)).toEqual(
      Array.from({ length: 5 }, (_, i) => expect.stringContaining(`unknown${i}`) as string),
    );
    expect(errors.slice(5).map(({ message }) => message)).toEqual([
      expect.stringContaining('Too many validation errors'),
    ]);
  });

  test.each(['mutation { __typename }', 'mutation { deposit }', 'subscription { __typename }'])(
    'is rejected over GET: %s',
    async (document) => {
      gateway.bank.resetCalls();
      const url = `${gateway.url}/graphql?query=${encodeURIComponent(document)}`;
      const answer = await ask(url, { headers });
      expect([400, 405]).toContain(answer.status);
      expect(answer.data).toBeUndefined();
      expect(gateway.bank.calls()).toEqual([]);
      await expectServing(gateway);
    },
  );
});

describe('a large operation within the limits', () => {
  test.each<[string, string]>([
    ['the standard introspection query', getIntrospectionQuery()],
    ['a string of 90,000 characters', `{ __type(name: "${'x'.repeat(90_000)}") { name } }`],
    ['40,000 commas', `{ ${','.repeat(40_000)} __typename }`],
    ['a byte order mark', '\ufeff{ __typename }'],
    [
      '100 fragments in a chain',
      `{ ...F0 } ${repeat(99, (i) => `fragment F${i} on Query { ...F${i + 1} __typename }`)} fragment F99 on Query { __typename }`,
    ],
    [
      '90 unconnected fragments',
      `{ ${repeat(600, (i) => `...F${i % 90}`)} } ${repeat(90, (i) => `fragment F${i} on Query { __typename }`)}`,
    ],
    ['one field 140 times', `{ ${'__typename '.repeat(140)} }`],
    [
      'one field 140 times in a fragment',
      `{ ...F } fragment F on Query { ${'__typename '.repeat(140)} }`,
    ],
    ['a text of 100,000 characters', `{ __typename }${' '.repeat(99_986)}`],
    ['a text of 5,000 lines', `{ ${'\n'.repeat(4999)} __typename }`],
    ['a text of 5,000 lines that end with CRLF', `{ ${'\r\n'.repeat(4999)} __typename }`],
    ['exponentially many fields, by fragments', exponential],
    [
      '200 variables',
      `query (${repeat(200, (i) => `$v${i}: _Any! = {__typename: "Transaction"}`)}) {
        _entities(representations: [${repeat(200, (i) => `$v${i}`)}]) { __typename } }`,
    ],
  ])('is answered: %s', async (_name, document) => {
    const startedAt = performance.now();
    const answer = await send(document);
    expect([answer.status, answer.errors]).toEqual([200, undefined]);
    expect(performance.now() - startedAt).toBeLessThan(4000);
    await expectServing(gateway);
  });

  test('is answered in a document of 30 operations', async () => {
    const query = repeat(30, (i) => `query Q${i} { __typename }`);
    const body = JSON.stringify({ query, operationName: 'Q29' });
    const { status, data } = await post(gateway, body, { headers });
    expect([status, data]).toEqual([200, { __typename: 'Query' }]);
  });
});

describe('in production', () => {
  let hidden: TestGateway;
  beforeAll(async () => {
    const env = { NODE_ENV: 'production', SHUTDOWN_DELAY_MS: '0' };
    hidden = await startTestGateway(env, { bank: gateway.bank });
  });
  afterAll(() => hidden.close());

  const sendHidden = (document: string, more: Readonly<Record<string, string>> = {}) =>
    post(hidden, JSON.stringify({ query: document }), { headers: { ...headers, ...more } });

  test.each([
    getIntrospectionQuery().replaceAll(/\s+/g, ' '),
    '{ __schema { queryType { name } } }',
    '{ a: __schema { queryType { name } } }',
    '{ __type(name: "Account") { name } }',
    '{ _service { sdl } }',
    '{ ...F } fragment F on Query { __schema { types { name } } }',
    '{ ... @include(if: false) { __schema { types { name } } } }',
    '{ __typename __typename: __schema { types { name } } }',
    'query __schema { ... on Query { ... { __type(name: "X") { name } } } }',
  ])('the schema is hidden from the query %s', async (document) => {
    const refused = { status: 200, code: 'GRAPHQL_VALIDATION_FAILED' };
    const answer = await expectRefusal(hidden, refused, () => sendHidden(document));
    expect(answer.text).not.toContain('Person');
  });

  test.each([
    '{ acount { id } }',
    '{ accounts { idd balanc } }',
    '{ account(idd: "x") { id } }',
    '{ me { ... on Persn { id } } }',
    'query ($a: Strin) { accounts { id } }',
    '{ accounts @includ(if: true) { id } }',
    '{ transactions(accountId: "x", from: "x") { totalCoun } }',
    '{ ...Fragmen } fragment Fragment on Query { __typename }',
  ])('the error for %s suggests no names', async (document) => {
    const refused = { status: 200, code: 'GRAPHQL_VALIDATION_FAILED' };
    const answer = await expectRefusal(hidden, refused, () => sendHidden(document));
    expect(answer.text).not.toMatch(/did you mean/i);
  });

  test('no answer has a stack trace, tracing data or timings', async () => {
    const curious = {
      'apollo-federation-include-trace': 'ftv1',
      'apollo-query-plan-experimental': '1',
      'x-apollo-tracing': '1',
    };
    gateway.bank.addFault({ kind: 'brokenJson', match: { route: 'transactions' } });
    for (const document of [
      '{',
      '{ secrets }',
      '{ accounts { id transactions { totalCount } } }',
    ]) {
      const { text } = await sendHidden(document, curious);
      expect(text).not.toMatch(/stacktrace|node_modules|\.ts:\d|ftv1|tracing|duration|"at /);
    }
    gateway.bank.clearFaults();
    await expectServing(hidden);
  });
});
