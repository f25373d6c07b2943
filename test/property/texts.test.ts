// Every answer is strict JSON in strict UTF-8, whatever texts the service and the client send, with both executors.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountFields, connectionFields, meFields } from '../support/documents.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { holds } from '../support/properties.ts';
import { type Answer, callerHeaders, post } from '../support/query.ts';

const executors = ['compiled', 'graphql-js'] as const;
const accountId = '0b1f7c1e-53a5-4f4e-8d9b-2f0d7a4b1c11';

/** What the service answers, as bytes: the profile and each page. */
let profile = Buffer.alloc(0);
let page = Buffer.alloc(0);
let service: Server;
let gateways: readonly TestGateway[];
let headers: Readonly<Record<string, string>>;
beforeAll(async () => {
  service = createServer(({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(url.startsWith('/persons') ? profile : page);
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const { port } = service.address() as AddressInfo;
  const env = { UPSTREAM_URL: `http://127.0.0.1:${port}`, LOG_LEVEL: 'error' };
  const first = await startTestGateway({ ...env, EXECUTOR: executors[0] });
  const second = await startTestGateway({ ...env, EXECUTOR: executors[1] }, { bank: first.bank });
  gateways = [first, second];
  headers = await callerHeaders(first.bank);
});
afterAll(async () => {
  for (const gateway of gateways.toReversed()) await gateway.close();
  service.close();
  service.closeAllConnections();
});

/** Parts of a JSON string, as written between its quotes. */
const pieces: readonly string[] = [
  ...['Ana', 'é', '😀', '𝒳', '\u2028', '\u2029', '\ufeff', '\ufffe', '\u007f', '\u0085', ' '],
  ...['\\ud83d', '\\uDE00', '\\udfff', '\\ud83d\\ude00', '\\uD83D\\uDE00', '\\ude00\\ud83d'],
  ...['\\\\ud83d', '\\\\', '\\"', '\\/', '\\n', '\\b', '\\u0000', '\\u001f', '\\u2028'],
  ...['\\ufeff', '\\uffff', '\\u0061', '\\u00e9'],
];
const inner = (text: string) => JSON.stringify(text).slice(1, -1);
const jsonText = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary' }).map(inner)), {
    maxLength: 4,
  })
  .map((parts) => parts.join(''));

/** Bytes that are not UTF-8 or not JSON, as Latin-1: a surrogate, a cut character, a control character. */
const invalidBytes = ['\xed\xa0\xbd', '\xed\xb8\x80', '\xff', '\xc3', '\xf0\x9f\x98', '\x01', '\t'];

interface Case {
  readonly texts: readonly string[];
  /** Where members have to be of a form of their own; null to leave them out. */
  readonly formed: string | null;
  readonly invalid: string | null;
  readonly sent: string;
}
const cases: fc.Arbitrary<Case> = fc.record({
  texts: fc.array(jsonText, { minLength: 6, maxLength: 6 }),
  formed: fc.option(jsonText, { freq: 1 }),
  invalid: fc.oneof(
    { weight: 9, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(...invalidBytes) },
  ),
  sent: jsonText,
});

/** The answers of the service, with these texts as values, ids, keys, enum values and times. */
function prepare({ texts, formed, invalid }: Case): void {
  const [a = '', b = '', c = '', d = '', e = '', f = ''] = texts;
  const member = (name: string) => (formed === null ? '' : `"${name}":"${formed}",`);
  const bytesOf = (text: string) => {
    const bytes = Buffer.from(text).toString('latin1');
    return Buffer.from(bytes.replace('INVALID', invalid ?? ''), 'latin1');
  };
  profile = bytesOf(`{"person":{"id":"p${a}","name":"${b}INVALID","email":"${c}","status":"${d}"},
    "individual":{${member('birthDate')}"id":"i","motherName":"${e}","documentType":"${f}"},
    "address":{"id":"a","city":"${f}","street":"${a}${b}"},
    "accounts":[{"id":"${accountId}","bank":"${c}","number":"${d}${e}","balance":1,
    "investmentAccount":{"${e}":"${f}","list":["${a}",{"k${b}":1}]}}]}`);
  const row = (id: string, more: string) => `{"id":"${id}","beneficiaryName":"${a}",${more}}`;
  page = bytesOf(`{"data":[${row(`t1${b}`, `"category":"${c}INVALID","type":"${d}"`)},
    ${row('t2', `${member('status')}${member('createdAt')}"externalStatus":"${e}"`)}],
    "pagination":{"totalItems":2,"currentPage":0,"itemsPerPage":20}}`);
}

const everything = `{ me { ${meFields} } accounts { ${accountFields} transactions { ${connectionFields} } } }`;
const body = (query: string, more = '') => `{"query":${JSON.stringify(query)}${more}}`;
const reference = 'query ($v: _Any!) { _entities(representations: [$v]) { __typename } }';

/** Requests with a text of the client: in variables of each type, keys, literals, names and members. */
function requestsWith(sent: string): readonly string[] {
  const variable = (type: string, field: string, value = `"${sent}"`) =>
    body(`query ($v: ${type}) { ${field} }`, `,"variables":{"v":${value},"x${sent}":1}`);
  const statement = (argument: string) =>
    `transactions(accountId: "${accountId}", ${argument}) { totalCount }`;
  return [
    variable('ID!', 'account(id: $v) { id }'),
    variable('String', statement('after: $v')),
    variable('Date', statement('from: $v')),
    variable('Int', statement('first: $v')),
    variable('Int', statement('first: $v'), `{"k${sent}":["${sent}"]}`),
    variable('Boolean!', '__typename @skip(if: $v)'),
    body(reference, `,"variables":{"v":{"__typename":"${sent}","id":"x"}}`),
    body(reference, `,"variables":{"v":{"__typename":"Account","id":"${sent}"}}`),
    body(`{ ${statement('from: "SENT"')} }`).replace('SENT', () => sent),
    `{"query":"{ a${sent} __typename }"}`,
    `{"query":"{ __typename } # ${sent}","operationName":"${sent}"}`,
    `{"documentId":"${sent}","${sent}":1}`,
    `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"${sent}"}}}`,
  ];
}

/** `post` throws for a body that is not strict JSON in strict UTF-8. */
function ask(gateway: TestGateway, text: string): Promise<Answer> {
  return post(gateway, text, { headers });
}

test('every answer is strict JSON in strict UTF-8', async () => {
  const counted = { answers: 0, whole: 0, withErrors: 0, refused: 0 };
  let at = 0;
  await holds(cases, async (one) => {
    prepare(one);
    const requests = requestsWith(one.sent);
    const request = requests[at++ % requests.length] ?? '';
    for (const gateway of gateways) {
      const answer = await ask(gateway, body(everything));
      const refused = await ask(gateway, request);
      counted.answers += 2;
      if (answer.data != null && answer.errors === undefined) counted.whole++;
      if (answer.data != null && answer.errors !== undefined) counted.withErrors++;
      if (refused.errors !== undefined) counted.refused++;
    }
  });
  expect(gateways.flatMap(({ log }) => log)).toEqual([]);
  for (const count of Object.values(counted)) expect(count).toBeGreaterThan(0);
});
