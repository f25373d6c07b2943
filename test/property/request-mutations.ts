// Mutated requests: valid requests of a client with parts removed, inserted or replaced.
import fc from 'fast-check';
import { rawRequest } from '../support/raw.ts';

/** A request before its parts are mutated and encoded. */
export interface Draft {
  readonly method: 'GET' | 'POST';
  /**
   * Header lines besides `Host`, `Connection: close`, Authorization and, in a POST, the type and the length of the
   * body.
   */
  readonly lines: readonly string[];
  readonly token: string;
  readonly query: string;
  /** The variables, as JSON text. */
  readonly variables: string;
  /** A cursor, which `variables` may contain. */
  readonly cursor: string;
}

/**
 * The weight with which each part is chosen for a mutation. The words of the query and the values of the variables
 * weigh most, because more code handles them.
 */
const parts = {
  path: 1,
  lines: 3,
  header: 2,
  payload: 2,
  signature: 1,
  query: 2,
  queryWords: 20,
  variables: 1,
  variableValue: 8,
  cursor: 3,
  cursorBytes: 4,
  body: 2,
};

type Part = keyof typeof parts;

/**
 * A change to a part: at `place`, from 0 to 1, `cut` characters (or `cut % 4` words) are removed, and `text` is
 * inserted `times` times. In `variableValue`, one value is replaced instead.
 */
export interface Mutation {
  readonly part: Part;
  readonly place: number;
  readonly cut: number;
  readonly text: string;
  readonly times: number;
}

/** A request to send: the index of a valid draft, and the mutations of this draft. */
export interface Case {
  readonly draft: number;
  readonly mutations: readonly Mutation[];
}

/** Strings, most of which have a meaning in a document, in JSON or in the head of a request. */
const words = [
  ...[
    '{',
    '}',
    '(',
    ')',
    '[',
    ']',
    ':',
    ',',
    '!',
    '$',
    '@',
    '...',
    '"',
    '"""',
    '#',
    '\\',
    '|',
    '&',
  ],
  ...[
    '{ id }',
    '{ nodes { id } }',
    '{ edges { cursor node { amount } } }',
    '{ totalCount }',
    '{}',
    '[]',
  ],
  ...[
    'me',
    'accounts',
    'account(id: $id)',
    'transactions',
    'individual',
    'address',
    'investmentAccount',
  ],
  ...[
    'pageInfo { endCursor }',
    'a:',
    'b: id',
    '__typename',
    '__schema { types { name } }',
    '_service { sdl }',
  ],
  ...[
    '__type(name: "Account") { name }',
    '__proto__',
    'constructor',
    'toJSON: id',
    'then: id',
    'status',
  ],
  ...[
    '...F',
    '...A',
    '... on Person',
    '... on Company',
    '... on AccountHolder',
    '... {',
    'fragment F on Query',
  ],
  ...[
    'query',
    'mutation',
    'subscription',
    'query Q',
    '$id: ID',
    '$on: Boolean',
    '= null',
    '= {a: [1]}',
  ],
  ...[
    '@include(if: $on)',
    '@skip(if: true)',
    '@defer',
    'first: 100',
    'first: $first',
    'last: 5',
    'before: ""',
  ],
  ...[
    'after: $after',
    'from: "2026-06-01"',
    'to: "2026-01-01"',
    'from: $id',
    'representations: $all',
    '($x: Int)',
  ],
  ...[
    'null',
    'true',
    '0',
    '-1',
    '0.5',
    '101',
    '2147483648',
    '1e999',
    '99999999999999999999',
    '"\\ud800"',
  ],
  ...[
    '"2026-02-30"',
    '"Account"',
    '"__typename":',
    '"id":',
    '"first":',
    '"last":3,',
    '"before":',
    '"on":null,',
  ],
  ...[
    '},"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}',
    '},"operationName":{',
    '[[[[',
    ']]]]',
  ],
  ...[
    '"exp":1,',
    '"exp":null,',
    '"alg":"none",',
    '"kid":null,',
    '"entityType":"COMPANY",',
    '"tenant":[],',
  ],
  ...[
    '\0',
    '\t',
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\n',
    '\x7f',
    '\xff',
    'é',
    '٣',
    '😀',
    '\ufeff',
    '\u2028',
    '%00',
  ],
  ...[
    'x-tenant-id: a',
    'Authorization: Bearer a',
    'Accept: text/html',
    'Accept: */*;q=0',
    'Expect: x',
  ],
  ...[
    'Content-Type: text/plain',
    'x-request-id: \xff',
    'traceparent: 00',
    'Origin: null',
    '?',
    '&',
    '%0d%0a',
  ],
];

const mutation: fc.Arbitrary<Mutation> = fc.record({
  part: fc.oneof(
    ...Object.entries(parts).map(([part, weight]) => ({
      weight,
      arbitrary: fc.constant(part as Part),
    })),
  ),
  place: fc.noBias(fc.nat(9999)).map((nat) => nat / 10_000),
  cut: fc.oneof(fc.constant(0), fc.nat(4), fc.nat(40)),
  text: fc.oneof(
    fc.constantFrom(...words),
    fc.constant(''),
    fc.string({ unit: 'binary', maxLength: 6 }),
  ),
  times: fc.oneof({ weight: 8, arbitrary: fc.constant(1) }, fc.nat(3), fc.nat(60)),
});

/** Generates mutations of one of `drafts` valid requests. */
export function mutatedRequests(drafts: number): fc.Arbitrary<Case> {
  return fc.record({
    draft: fc.nat(drafts - 1),
    mutations: fc.array(mutation, { minLength: 1, maxLength: 3 }),
  });
}

/** The bytes of a draft after its mutations. */
export function toBytes(draft: Draft, mutations: readonly Mutation[]): Buffer {
  const spoil = (part: Part, text: string) =>
    mutations.filter((one) => one.part === part).reduce(splice, text);
  const spoilWords = (part: Part, text: string) =>
    mutations.filter((one) => one.part === part).reduce(spliceWords, text);
  const spoilValues = (text: string) =>
    mutations.filter(({ part }) => part === 'variableValue').reduce(replaceValue, text);
  const spoilBytes = (text: string) => {
    const bytes = Buffer.from(text).toString('latin1');
    return Buffer.from(spoil('body', bytes), 'latin1');
  };
  const [header = '', payload = '', signature = ''] = draft.token.split('.');
  const token = [
    encode(spoil('header', decode(header))),
    encode(spoil('payload', decode(payload))),
    spoil('signature', signature),
  ].join('.');
  const cursor = spoil('cursor', encode(spoil('cursorBytes', decode(draft.cursor))));
  const given = draft.variables.replace(draft.cursor, () => JSON.stringify(cursor).slice(1, -1));
  const query = spoil('query', spoilWords('queryWords', draft.query));
  const variables = spoil('variables', spoilValues(given));
  const lines = spoil('lines', [...draft.lines, `Authorization: Bearer ${token}`].join('\r\n'));
  return draft.method === 'GET'
    ? getRequest(spoil('path', searchOf(query, variables)), lines)
    : postRequest(spoil('path', '/graphql'), lines, spoilBytes(bodyOf(query, variables)));
}

const standard = ['Host: gateway', 'Connection: close'];

function getRequest(target: string, lines: string): Buffer {
  const start = `GET ${target} HTTP/1.1`;
  return rawRequest({ start, standard, lines: [lines], framing: [] });
}

function postRequest(target: string, lines: string, body: Buffer): Buffer {
  const start = `POST ${target} HTTP/1.1`;
  return rawRequest({ start, standard, lines: ['Content-Type: application/json', lines], body });
}

function searchOf(query: string, variables: string): string {
  const wellFormed = [query, variables].map((text) => encodeURIComponent(text.toWellFormed()));
  return `/graphql?query=${wellFormed.join('&variables=')}`;
}

/** The variables are text, because mutations may have made them invalid JSON. */
function bodyOf(query: string, variables: string): string {
  return `{"query":${JSON.stringify(query)},"variables":${variables}}`;
}

function splice(text: string, { place, cut, text: inserted, times }: Mutation): string {
  const at = Math.floor(place * text.length);
  return text.slice(0, at) + inserted.repeat(times) + text.slice(at + cut);
}

/** Mutates words, numbers and punctuation, so that the result is more often a valid document. */
function spliceWords(text: string, { place, cut, text: inserted, times }: Mutation): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|\.\.\.|\$?\w+|\S/gu) ?? [];
  const put = Array.from({ length: times }, () => inserted);
  return tokens.toSpliced(Math.floor(place * tokens.length), cut % 4, ...put).join(' ');
}

/** JSON texts that replace values. */
const values = [
  ...[
    'null',
    'true',
    '0',
    '-1',
    '1',
    '100',
    '101',
    '0.5',
    '1e9',
    '2147483648',
    '[]',
    '{}',
    '""',
    '"x"',
  ],
  ...[
    '"\\ud800"',
    '"\\u0000"',
    '"2026-06-01"',
    '"2026-02-30"',
    '[[[]]]',
    '[null]',
    '{"__proto__":{"a":1}}',
  ],
  ...[
    '{"__typename":"Account"}',
    '{"__typename":"Person","id":1}',
    '"Account"',
    '"Query"',
    '"_Any"',
  ],
  ...[
    '"00000000-0000-4000-8000-000000000000"',
    `"${'A'.repeat(300)}"`,
    '{"toString":1}',
    '[{"id":"x"}]',
  ],
];

/** Replaces a string, a number, `true` or `null` in a JSON text, at any depth. */
function replaceValue(text: string, { place, cut, times }: Mutation): string {
  const places = Array.from(text.matchAll(/"(?:[^"\\]|\\.)*"(?!:)|-?\d[\d.e]*|true|null/g));
  const chosen = places[Math.floor(place * places.length)];
  if (chosen === undefined) return text;
  const value = values[(cut * 7 + times) % values.length] ?? 'null';
  return text.slice(0, chosen.index) + value + text.slice(chosen.index + chosen[0].length);
}

function decode(part: string): string {
  return Buffer.from(part, 'base64url').toString('latin1');
}

function encode(part: string): string {
  return Buffer.from(part, 'latin1').toString('base64url');
}
