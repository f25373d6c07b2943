// What a client sent is cut before an error or a log line quotes it: in variables, literals, names, operation texts and
// paths.
import { describe, expect, test } from 'vitest';
import { expectServing } from '../support/attack.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway } from '../support/gateway.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { type Answer, callerHeaders, codesOf, post } from '../support/query.ts';

const gateway = await gatewayOfFile();
const good = await callerHeaders(gateway.bank);

const [maxMessage, maxAnonymousAnswer] = [1000, 16_384];
const fullBody = 1_040_000;
const anonymousText = 4000;
const callersText = 99_000;

type Headers = Readonly<Record<string, string>>;

/** Sends a body, and expects that every message of the answer is short. */
async function send(body: string, headers: Headers = {}): Promise<Answer> {
  const answer = await post(gateway, body, { headers });
  for (const { message } of answer.errors ?? []) expect(message.length).toBeLessThan(maxMessage);
  return answer;
}

const withVariable = (text: string, value: string) =>
  `{"query":${JSON.stringify(text)},"variables":{"v":${value}}}`;

const statement = (argument: string) =>
  `{ account(id: "x") { transactions(${argument}) { totalCount } } }`;

/** Operations with a variable of a type whose values are short, or that accepts only strings. */
const typed: [string, string, Headers][] = [
  ['Boolean', 'query ($v: Boolean!) { __typename @include(if: $v) }', {}],
  ['Boolean that may be null', 'query ($v: Boolean = true) { __typename @skip(if: $v) }', {}],
  ['Int', `query ($v: Int) ${statement('first: $v')}`, good],
  ['Date', `query ($v: Date) ${statement('from: $v')}`, good],
];

const objects: [string, string, Headers][] = [
  ...typed,
  ['ID', 'query ($v: ID!) { account(id: $v) { id } }', good],
  ['String', `query ($v: String) ${statement('after: $v')}`, good],
];

const fillings = [
  'x',
  'é',
  String.raw`\u0000`,
  String.raw`\n`,
  'bearer  ',
  'eyJhbGciOiJIUzI1NiJ9. ',
  'a.-',
];

const filled = (filling: string) =>
  `"${filling.repeat(fullBody / Math.max(Buffer.byteLength(filling), filling.length))}"`;

describe('a variable of a megabyte', () => {
  test.each(typed)(
    'is not quoted if it is a string, but its type is %s',
    async (_name, text, headers) => {
      for (const filling of fillings) {
        const answer = await send(withVariable(text, filled(filling)), headers);
        expect(codesOf(answer)).toEqual(['BAD_USER_INPUT']);
        expect(answer.text.length).toBeLessThan(1000);
      }
    },
  );

  test.each(objects)(
    'is not quoted if it is an object or a list, but its type is %s',
    async (_name, text, headers) => {
      const string = filled('x');
      const names = Array.from({ length: 5000 }, (_, i) => `"name${i}":"${'x'.repeat(100)}"`);
      for (const value of [
        `[${string}]`,
        `[[[${string}]]]`,
        `{"a":${string}}`,
        `{${names.join(',')}}`,
      ]) {
        const answer = await send(withVariable(text, value), headers);
        expect(answer.errors?.map(({ extensions }) => extensions.code)).toHaveLength(1);
        expect(answer.text.length).toBeLessThan(1000);
      }
    },
  );

  test('costs hardly more than one that is ignored', async () => {
    const measured = await startMeasuredGateway(gateway.bank.url);
    const [[, quoted]] = typed as [[string, string, Headers]];
    const least = { quoted: Infinity, ignored: Infinity };
    for (let round = 0; round < 10; round++) {
      for (const [name, text] of Object.entries({ quoted, ignored: '{ __typename }' })) {
        const before = await measured.use();
        await post(measured, withVariable(text, filled('x')));
        const { cpuMs } = await measured.use();
        const measure = name as keyof typeof least;
        least[measure] = Math.min(least[measure], cpuMs - before.cpuMs);
      }
    }
    await measured.stop('SIGTERM');
    // If the value is quoted, it costs fifteen times as much.
    expect(least.quoted).toBeLessThan(3 * least.ignored);
  });

  test('that has the right type is accepted', async () => {
    for (const type of ['ID', 'String']) {
      const answer = await send(
        withVariable(`query ($v: ${type}!) { __type(name: $v) { name } }`, filled('x')),
      );
      expect(codesOf(answer)).toEqual(type === 'ID' ? ['GRAPHQL_VALIDATION_FAILED'] : []);
    }
  });
});

/** Texts whose errors quote a name or a literal of `length` characters. */
const quoting: [string, (length: number) => string][] = [
  ['a literal for an Int', (n) => statement(`first: "${'x'.repeat(n)}"`)],
  ['a number that is too large', (n) => statement(`first: ${'9'.repeat(n)}`)],
  ['a literal for a Date', (n) => statement(`from: "${'x'.repeat(n)}"`)],
  ['a literal for a Boolean', (n) => `{ __typename @include(if: "${'x'.repeat(n)}") }`],
  ['a list for a Boolean', (n) => `{ __typename @include(if: ["${'x'.repeat(n)}"]) }`],
  ['an object for an ID', (n) => `{ account(id: {${'x'.repeat(n)}: 1}) { id } }`],
  ['an enum value for an ID', (n) => `{ account(id: ${'x'.repeat(n)}) { id } }`],
  ['an unknown field', (n) => `{ ${'x'.repeat(n)} }`],
  ['an unknown argument', (n) => `{ account(id: "x", ${'x'.repeat(n)}: 1) { id } }`],
  ['an unknown directive', (n) => `{ __typename @${'x'.repeat(n)} }`],
  ['an unknown type', (n) => `{ ... on ${'x'.repeat(n)} { id } }`],
  ['the unknown type of a variable', (n) => `query ($a: ${'x'.repeat(n)}) { __typename }`],
  ['an unknown fragment', (n) => `{ ...${'x'.repeat(n)} }`],
  ['an unused fragment', (n) => `{ __typename } fragment ${'x'.repeat(n)} on Query { __typename }`],
  ['an unused variable', (n) => `query ($${'x'.repeat(n)}: Int) { __typename }`],
  ['an undefined variable', (n) => `{ __typename @include(if: $${'x'.repeat(n)}) }`],
  [
    'fields that conflict',
    (n) => `{ ${'x'.repeat(n / 2)}: __typename ${'x'.repeat(n / 2)}: me { __typename } }`,
  ],
  ['a syntax error', (n) => `{ __typename } ${'x'.repeat(n)}`],
  ['a string without an end', (n) => `{ account(id: "${'x'.repeat(n)}`],
  ['a mutation', (n) => `mutation ${'x'.repeat(n)} { __typename }`],
  [
    'five unknown fields',
    (n) =>
      `{ ${'abcde'
        .split('')
        .map((one) => one.repeat(n / 5))
        .join(' ')} }`,
  ],
  ['equal arguments', (n) => `{ account(${'id:1 '.repeat(n / 5)}) { id } }`],
  ['a literal of escapes', (n) => statement(`first: "${String.raw`\u0000`.repeat(n / 6)}"`)],
  ['a literal outside ASCII', (n) => statement(`first: "${'漢'.repeat(n)}"`)],
];

test.each(quoting)('an error about %s is short, with a token and without', async (_name, text) => {
  const anonymous = await send(JSON.stringify({ query: text(anonymousText - 200) }));
  expect(anonymous.errors).not.toHaveLength(0);
  expect(anonymous.text.length).toBeLessThan(maxAnonymousAnswer);
  const answer = await send(JSON.stringify({ query: text(callersText) }), good);
  expect(answer.errors).not.toHaveLength(0);
  expect(answer.text.length).toBeLessThan(maxAnonymousAnswer);
  await expectServing(gateway);
});

test.each([
  ['an operation name', `{"query":"{ __typename }","operationName":${filled('x')}}`],
  ['a documentId', `{"documentId":${filled('x')}}`],
  ['a hash', `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":${filled('x')}}}}`],
  ['a version', `{"extensions":{"persistedQuery":{"version":${filled('x')},"sha256Hash":"a"}}}`],
  ['a text that is no document', `{"query":${filled('x')}}`],
])('%s of a megabyte is not quoted', async (_name, body) => {
  const answer = await send(body);
  expect(answer.errors).toHaveLength(1);
  expect(answer.text.length).toBeLessThan(1000);
});

test('a long text is answered with at most 16 KB without a token, even if it is known', async () => {
  const aliases = Array.from({ length: 29 }, (_, i) => `a${i}${'x'.repeat(3000)}: __typename`);
  const body = JSON.stringify({ query: `{ ${aliases.join(' ')} }` });
  expect((await send(body, good)).errors).toBeUndefined();
  const answer = await send(body);
  expect(codesOf(answer)).toEqual(['OPERATION_TOO_COMPLEX']);
  expect(answer.text.length).toBeLessThan(1000);
});

test('a token is removed from a message before the message is cut', async () => {
  const token = good.authorization.replace('Bearer ', '');
  for (let before = 0; before < 700; before += 50) {
    const text = `{ account(id: [1], id: "${'x '.repeat(before / 2)}${token}", first: {a: "${'y '.repeat(before / 2)}${token} z"}) { id } }`;
    const { errors = [] } = await send(JSON.stringify({ query: text }));
    const [, , signature = ''] = token.split('.');
    for (const { message } of errors) {
      expect(message).not.toContain(token.slice(0, 12));
      expect(message).not.toContain(signature.slice(-12));
    }
  }
});

test('a preflight that asks for 8 KB of headers gets an answer without them', async () => {
  await using open = await startTestGateway(
    { CORS_ORIGINS: 'https://app.example' },
    { bank: gateway.bank },
  );
  const ask = async (names: string) => {
    const headers = { origin: 'https://app.example', 'access-control-request-headers': names };
    const answer = await fetch(`${open.url}/graphql`, { method: 'OPTIONS', headers });
    return answer.headers.get('access-control-allow-headers');
  };
  expect(await ask('x-a, x-b')).toBe('x-a, x-b');
  expect(await ask('x'.repeat(8000))).toBeNull();
});
