// The log line of an operation alone says what failed at the service. The table in docs/observability.md is made of
// these cases.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { answerWith } from '../support/bank.ts';
import { createAuthority } from '../support/certificates.ts';
import { scrape } from '../support/exposition.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { codesOf, query } from '../support/query.ts';
import { startTlsService } from '../support/tls-service.ts';

type Env = Readonly<Record<string, string>>;

interface Case {
  readonly what: string;
  readonly code: string;
  /** The causes in `failures` of the log line. */
  readonly causes: readonly string[];
  readonly env?: Env;
  /** The route that fails, by default `persons`, and the number of its calls, by default 1. */
  readonly route?: 'transactions';
  readonly calls?: number;
  readonly prepare: (gateway: TestGateway) => unknown;
}

const status =
  (code: number): Case['prepare'] =>
  ({ bank }) =>
    bank.addFault({ kind: 'status', status: code, body: '{}' });
const fault =
  (kind: Fault['kind']): Case['prepare'] =>
  ({ bank }) =>
    bank.addFault({ kind } as Fault);
const answered =
  (text: string): Case['prepare'] =>
  ({ bank }) =>
    answerWith(bank, { route: 'persons' }, text);

const closedPort = await freePort();

const cases: readonly Case[] = [
  { what: 'status 401', code: 'UNAUTHENTICATED', causes: ['401'], prepare: status(401) },
  { what: 'status 403', code: 'FORBIDDEN', causes: ['403'], prepare: status(403) },
  { what: 'status 429', code: 'RATE_LIMITED', causes: ['429'], prepare: status(429) },
  { what: 'status 400', code: 'UPSTREAM_REJECTED', causes: ['400'], prepare: status(400) },
  {
    what: 'status 404 for an account',
    code: 'NOT_FOUND',
    causes: ['404'],
    route: 'transactions',
    // Without a page 0, the first page might be page 1.
    calls: 2,
    prepare: status(404),
  },
  { what: 'status 500', code: 'UPSTREAM_UNAVAILABLE', causes: ['500'], prepare: status(500) },
  { what: 'status 503', code: 'UPSTREAM_UNAVAILABLE', causes: ['503'], prepare: status(503) },
  {
    what: 'its port is closed',
    code: 'UPSTREAM_UNAVAILABLE',
    causes: ['ECONNREFUSED'],
    env: { UPSTREAM_URL: `http://127.0.0.1:${closedPort}` },
    prepare: () => undefined,
  },
  {
    what: 'its name is unknown',
    code: 'UPSTREAM_UNAVAILABLE',
    causes: ['ENOTFOUND'],
    env: { UPSTREAM_URL: 'http://bank.invalid' },
    prepare: () => undefined,
  },
  {
    what: 'it resets the connection',
    code: 'UPSTREAM_UNAVAILABLE',
    causes: ['ECONNRESET'],
    prepare: fault('reset'),
  },
  {
    what: 'it does not answer in UPSTREAM_TIMEOUT_MS',
    code: 'UPSTREAM_TIMEOUT',
    causes: ['UPSTREAM_TIMEOUT_MS'],
    env: { UPSTREAM_TIMEOUT_MS: '300' },
    prepare: fault('hang'),
  },
  {
    what: 'it does not answer in OPERATION_TIMEOUT_MS',
    code: 'UPSTREAM_TIMEOUT',
    causes: ['OPERATION_TIMEOUT_MS'],
    env: { OPERATION_TIMEOUT_MS: '300' },
    prepare: fault('hang'),
  },
  {
    what: 'status 204',
    code: 'UPSTREAM_CONTRACT_VIOLATION',
    causes: ['204'],
    prepare: status(204),
  },
  {
    what: 'a body that is not JSON',
    code: 'UPSTREAM_CONTRACT_VIOLATION',
    causes: ['UPSTREAM_CONTRACT_VIOLATION'],
    prepare: answered('<html></html>'),
  },
  {
    what: 'a wrong value',
    code: 'UPSTREAM_CONTRACT_VIOLATION',
    causes: [],
    prepare: answered('{"person":{"id":"p"},"accounts":[{"id":7}]}'),
  },
];

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const closed = once(server, 'close');
  server.close();
  await closed;
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function start(env: Env = {}): Promise<TestGateway> {
  const gateway = await startTestGateway({ UPSTREAM_RETRIES: '0', ...env });
  onTestFinished(gateway.close);
  return gateway;
}

/** The operation's log line, which is written after the answer. */
function lineOf({ log }: TestGateway) {
  return vi.waitFor(() => {
    const line = log.find(({ msg }) => msg === 'operation');
    if (line === undefined) throw new Error('there is no line yet');
    return line;
  }, 5000);
}

test.each(cases)(
  'if the service: $what',
  async ({ code, causes, env, route, calls = 1, prepare }) => {
    const gateway = await start(env);
    prepare(gateway);
    const { bank, log } = gateway;
    const [account] = bank.holders[0]?.accounts ?? [];
    const document =
      route === undefined
        ? '{ accounts { id } }'
        : `{ transactions(accountId: "${account}") { totalCount } }`;
    expect(codesOf(await query(gateway, document))).toEqual([code]);
    const line = await lineOf(gateway);
    expect(line['codes']).toEqual([code]);
    const failures = causes.map((cause) => ({
      ...{ route: route ?? 'persons', cause, calls, attempts: calls, circuit: 'closed' },
      ms: expect.any(Number) as number,
    }));
    expect(line['failures'] ?? []).toEqual(failures);
    if (code === 'UPSTREAM_CONTRACT_VIOLATION' && causes[0] !== '204') {
      expect(line['problems']).toEqual([expect.stringMatching(/^The account service sent/)]);
    }
    const text = JSON.stringify(log);
    expect(text).not.toMatch(/undefined|Bearer e|eyJ/);
    expect(bank.holders.filter(({ name }) => text.includes(name))).toEqual([]);
  },
);

test('the log line of an operation adds up equal failures of its calls, with their retries', async () => {
  const gateway = await start({ UPSTREAM_RETRIES: '1' });
  const [holder] = gateway.bank.holders;
  gateway.bank.addFault({
    kind: 'status',
    status: 503,
    body: '{}',
    match: { route: 'transactions' },
  });
  const document = `{ a: transactions(accountId: "${holder?.accounts[0]}", to: "2026-01-01") { totalCount }
    b: transactions(accountId: "${holder?.accounts[0]}", to: "2026-01-02") { totalCount } }`;
  await query(gateway, document);
  expect((await lineOf(gateway))['failures']).toMatchObject([
    { route: 'transactions', cause: '503', calls: 2, attempts: 4, circuit: 'closed' },
  ]);
});

describe('the code in the body of a 400', () => {
  async function askWith(answer: RequestListener) {
    const server = createHttpServer(answer);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    const gateway = await start({ UPSTREAM_URL: `http://127.0.0.1:${port}` });
    const { text, ...answered } = await query(gateway, '{ accounts { id } }');
    expect(codesOf({ text, ...answered })).toEqual(['UPSTREAM_REJECTED']);
    const line = await lineOf(gateway);
    expect(text + JSON.stringify(gateway.log)).not.toMatch(/Ana|12345678909/);
    const [failure] = line['failures'] as { cause: string; serviceCode?: string }[];
    expect(failure?.cause).toBe('400');
    return failure?.serviceCode;
  }
  const json = { 'content-type': 'application/problem+json' };

  test.each([
    ['"INVALID_PERIOD"', 'INVALID_PERIOD'],
    ['1042', '1042'],
    ['"E-10.3:b"', 'E-10.3:b'],
  ])('%s is in the log line, and in nothing that the client gets', async (code, logged) => {
    const body = `{"message":"Ana, 12345678909","code":${code}}`;
    expect(await askWith((_, response) => response.writeHead(400, json).end(body))).toBe(logged);
  });

  test('is also found in a body that comes in chunks', async () => {
    const inChunks: RequestListener = (_, response) => {
      response.writeHead(400, json).write('{"code":');
      setImmediate(() => response.end('"TWO_CHUNKS"}'));
    };
    expect(await askWith(inChunks)).toBe('TWO_CHUNKS');
  });

  test.each<[string, object, string]>([
    ['a text', json, '{"code":"Ana da Silva"}'],
    ['a document number', json, '{"code":"12345678909"}'],
    ['nested', json, '{"error":{"code":"A"}}'],
    ['long', json, `{"code":"${'A'.repeat(65)}"}`],
    ['in a long body', json, `{"code":"A","more":"${'x'.repeat(5000)}"}`],
    ['in a list', json, '[{"code":"A"}]'],
    ['in null', json, 'null'],
    ['in a broken body', json, '{"code":"A"'],
    ['in a page', { 'content-type': 'text/html' }, '{"code":"A"}'],
  ])('is left out if it is %s', async (_what, headers, body) => {
    for (const isChunked of [false, true]) {
      const length = isChunked ? {} : { 'content-length': Buffer.byteLength(body) };
      const answer: RequestListener = (_, response) =>
        response.writeHead(400, { ...headers, ...length }).end(body);
      expect(await askWith(answer)).toBeUndefined();
    }
  });

  test('is not waited for much longer than a second', async () => {
    const startedMs = performance.now();
    const hanging: RequestListener = (_, response) =>
      response.writeHead(400, json).write('{"code"');
    expect(await askWith(hanging)).toBeUndefined();
    expect(performance.now() - startedMs).toBeLessThan(4000);
  });
});

test.each([
  ['is not trusted', 365, false, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ['has expired', -1, true, 'CERT_HAS_EXPIRED'],
])('a certificate of the service that %s is named', async (_what, days, isTrusted, cause) => {
  using authority = createAuthority();
  await using service = await startTlsService({
    target: 'http://127.0.0.1:1',
    certificate: authority.issue('service', days),
  });
  const trust = isTrusted ? { UPSTREAM_CA: authority.ca } : {};
  const gateway = await start({ UPSTREAM_URL: service.url, ...trust });
  const { errors } = await query(gateway, '{ accounts { id } }');
  expect(errors).toMatchObject([
    { path: ['accounts'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
  ]);
  expect((await lineOf(gateway))['failures']).toMatchObject([{ cause }]);
  const { total } = await scrape(gateway);
  const labels = { route: 'persons', cause };
  expect(total('account_bff_upstream_failed_exchanges_total', labels)).toBe(1);
  await gateway.close();
});

test('the circuit has lines of its own when it opens, and the operations say so', async () => {
  const gateway = await start();
  const match = { route: 'transactions' } as const;
  gateway.bank.addFault({ kind: 'status', status: 500, body: '{}', match });
  const open = () => gateway.log.filter(({ state }) => state === 'open');
  const [account = ''] = gateway.bank.holders[0]?.accounts ?? [];
  const fields = Array.from(
    { length: 25 },
    (_, n) =>
      `t${n}: transactions(accountId: "${account}", to: "2026-01-${n + 1 < 10 ? '0' : ''}${n + 1}") { totalCount }`,
  );
  const document = `{ ${fields.join(' ')} }`;
  await vi.waitFor(
    async () => {
      for (let n = 0; n < 4; n++) await query(gateway, document);
      expect(open()).toHaveLength(1);
    },
    { timeout: 30_000, interval: 100 },
  );
  expect(open()[0]).toMatchObject({ endpoint: 'transactions', level: 'warn' });
  await query(gateway, document);
  const causes = gateway.log.flatMap(({ failures }) => failures ?? []);
  expect(causes).toContainEqual(
    expect.objectContaining({ cause: 'CIRCUIT_OPEN', circuit: 'open' }),
  );
});

test('docs/observability.md has the table of these cases', () => {
  const rows = cases.map(({ what, code, causes }) => {
    const shown = causes.length > 0 ? `\`${causes.join()}\`` : 'none; `problems` names the value';
    return `${code} ${what} ${shown}`;
  });
  const docs = readFileSync(new URL('../../docs/observability.md', import.meta.url), 'utf8');
  const [, table = ''] =
    /\| code +\| the service +\| `cause` +\|\n.*\n((?:\|.*\n)+)/.exec(docs) ?? [];
  const documented = table
    .trim()
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, 4)
        .map((cell) => cell.trim())
        .join(' '),
    );
  expect(documented).toEqual(rows);
});
