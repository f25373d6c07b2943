// The log: one line per operation, with the fields of docs/observability.md. Also extensions.upstream, and the absence
// of personal data and secrets from the log, the metrics and the traces.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { holderOf } from '../support/bank.ts';
import { startCollector } from '../support/collector.ts';
import { connectionFields, meFields } from '../support/documents.ts';
import { scrape } from '../support/exposition.ts';
import { bankOfFile, gatewayOfTest } from '../support/fixtures.ts';
import { type LogLine, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { ask, callerHeaders, post, query } from '../support/query.ts';
import { callerLines, rawRequest, sendRaw } from '../support/raw.ts';

const bank = await bankOfFile();

async function start(env: Readonly<Record<string, string>> = {}): Promise<TestGateway> {
  return gatewayOfTest(env, { bank });
}

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await start();
});

function operationLines({ log }: TestGateway): LogLine[] {
  return log.filter(({ msg }) => msg === 'operation');
}

test.each([{ JWT_ISSUER: 'https://issuer.example' }, { JWT_AUDIENCE: 'gateway' }])(
  '%j without JWT_JWKS_URL is logged as ignored',
  async (env) => {
    const message = 'JWT_ISSUER and JWT_AUDIENCE are ignored without JWT_JWKS_URL';
    const { log } = await start(env);
    expect(log).toContainEqual(expect.objectContaining({ level: 'warn', msg: message }));
    expect(gateway.log).not.toContainEqual(expect.objectContaining({ msg: message }));
  },
);

describe('an operation', () => {
  test('has one log line, with exactly the fields that are documented for every operation', async () => {
    const document = 'query Mine { me { __typename } accounts { id } }';
    const answer = await query(gateway, document);
    const [line, another] = operationLines(gateway);
    expect(another).toBeUndefined();
    expect(line).toEqual({
      level: 'info',
      time: expect.any(Number) as number,
      requestId: answer.headers.get('x-request-id'),
      operationName: 'Mine',
      operationHash: createHash('sha256').update(document).digest('hex').slice(0, 12),
      operationKind: 'query',
      codes: [],
      status: 200,
      durationMs: expect.any(Number) as number,
      upstreamCalls: 1,
      executor: 'graphql-js',
      fallback: expect.stringMatching(/^(unknown|setting)$/) as string,
      clientName: 'none',
      clientVersion: 'none',
      msg: 'operation',
    });
    expect(Object.keys(line ?? {}).sort()).toEqual([...documentedFields(), 'msg'].sort());
  });

  test('that shares another operation’s call is logged with the request id that the service received', async () => {
    // Longer than the test may wait on a busy machine: the connection stays in use until the first client leaves.
    const timeouts = { UPSTREAM_TIMEOUT_MS: '60000', OPERATION_TIMEOUT_MS: '60000' };
    const narrow = await start({ UPSTREAM_CONNECTIONS: '1', ...timeouts });
    const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000 });
    const [id = ''] = holderOf(bank, 'PERSON').accounts;
    const queued = async (length: number) =>
      eventually(async () =>
        expect((await scrape(narrow)).total('account_bff_upstream_queue_length')).toBe(length),
      );
    const as = (requestId: string) => ({ headers: { 'x-request-id': requestId } });
    using hanging = bank.addFault({ kind: 'hang', match: { route: 'transactions' } });
    const leaving = new AbortController();
    const busy = query(narrow, `{ transactions(accountId: "${id}") { totalCount } }`, leaving);
    await bank.waitForCall(({ route }) => route === 'transactions');
    const first = query(narrow, '{ a: accounts { id } }', as('first'));
    await queued(1);
    const joined = query(narrow, '{ b: accounts { id } c: me { __typename } }', as('second'));
    await eventually(async () =>
      expect((await scrape(narrow)).total('account_bff_upstream_shared_calls_total')).toBe(1),
    );
    leaving.abort();
    await expect(busy).rejects.toThrow();
    expect(hanging.hits).toBe(1);
    expect((await first).errors ?? (await joined).errors).toBeUndefined();
    expect(bank.calls().filter(({ route }) => route === 'persons')).toMatchObject([
      { headers: { 'x-request-id': 'first' } },
    ]);
    const lineOf = (requestId: string) =>
      operationLines(narrow).find((line) => line['requestId'] === requestId);
    expect(lineOf('second')).toMatchObject({ joinedRequestIds: ['first'], upstreamCalls: 1 });
    expect(lineOf('first')).not.toHaveProperty('joinedRequestIds');
  });

  test('that is rejected before execution is logged with its error code', async () => {
    await query(gateway, '{ me { __typename } }', { headers: { authorization: 'Bearer x' } });
    await query(gateway, 'mutation Change { x }');
    await query(gateway, '{ oops');
    await post(gateway, '{"query": 1}');
    await post(gateway, '[]');
    await ask(`${gateway.url}/elsewhere`);
    const said = operationLines(gateway).map(({ codes, status, operationKind }) => [
      codes,
      status,
      operationKind,
    ]);
    expect(said).toEqual([
      [['UNAUTHENTICATED'], 401, 'query'],
      [['GRAPHQL_VALIDATION_FAILED'], 200, 'mutation'],
      [['GRAPHQL_PARSE_FAILED'], 200, null],
      [['BAD_REQUEST'], 400, null],
      [['BAD_REQUEST'], 400, null],
      [['BAD_REQUEST'], 404, null],
    ]);
  });

  test.each(['POST /graphql', 'GET /graphql?query={accounts{id}}'])(
    'whose body is malformed is logged with the error and status of its answer: %s',
    async (target) => {
      const start = `${target} HTTP/1.1`;
      const lines = await callerLines(bank);
      const framing = ['Transfer-Encoding: chunked'];
      const answers = await sendRaw(
        gateway,
        rawRequest({ start, lines, framing, body: '2\r\n{}\r\nZZ\r\n' }),
      );
      expect(answers.map(({ status }) => status)).toEqual([400]);
      const logged = await vi.waitFor(() => {
        const [line] = operationLines(gateway);
        return line ?? expect.unreachable('the request was not logged');
      });
      expect(logged).toMatchObject({ codes: ['BAD_REQUEST'], status: 400 });
    },
  );

  test('with repeated errors is logged with each error code once', async () => {
    bank.addFault({ kind: 'status', status: 500 });
    await query(gateway, '{ me { __typename } accounts { id } account(id: "1") { id } }');
    const [line] = operationLines(gateway);
    expect(line?.['codes']).toEqual(
      expect.arrayContaining(['UPSTREAM_UNAVAILABLE', 'BAD_USER_INPUT']),
    );
    expect(line?.['codes']).toHaveLength(2);
  });

  test('is logged with the first 64 characters of its name', async () => {
    await query(gateway, `query ${'a'.repeat(500)} { __typename }`);
    expect(operationLines(gateway)[0]?.['operationName']).toBe('a'.repeat(64));
  });

  test('is logged without a name if the document does not contain the requested operationName', async () => {
    await query(gateway, 'query A { __typename }', { operationName: 'eyJ.not a name' });
    expect(operationLines(gateway)[0]).toMatchObject({ operationName: null });
  });

  test('is not logged if LOG_LEVEL is above info', async () => {
    gateway = await start({ LOG_LEVEL: 'warn' });
    await query(gateway, '{ __typename }');
    expect(gateway.log).toEqual([]);
  });
});

/** The names in the table of log fields, without the fields that only some operations have. */
function documentedFields(): string[] {
  const docs = readFileSync(new URL('../../docs/observability.md', import.meta.url), 'utf8');
  const [, logs = ''] = docs.split('\n## ');
  const cells = [...logs.matchAll(/^\| (`[^|]+`) +\|/gm)].map(([, cell = '']) => cell);
  const names = cells.flatMap((cell) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
  return names.filter(
    (name) => !['traceId', 'joinedRequestIds', 'slices', 'failures', 'problems'].includes(name),
  );
}

describe('extensions.upstream', () => {
  const document = `query ($id: ID!) { transactions(accountId: $id, first: 40) { totalCount nodes { id } } }`;

  function askForSlice(at: TestGateway) {
    const [id = ''] = holderOf(bank, 'PERSON').accounts;
    return query(at, document, { variables: { id } });
  }

  const unavailable = 'UPSTREAM_UNAVAILABLE';

  function extensionsOf({ text }: { readonly text: string }): unknown {
    return (JSON.parse(text) as { extensions?: unknown }).extensions;
  }

  test('lists the calls of an operation', async () => {
    bank.addFault({ kind: 'status', status: 500, match: { page: 1 } });
    const ms = expect.any(Number) as number;
    expect(extensionsOf(await askForSlice(gateway))).toEqual({
      upstream: [
        {
          ...{ route: 'transactions', page: 0, reason: 'first', outcome: 'ok' },
          ...{ status: 200, tries: 1, ms },
        },
        {
          ...{ route: 'transactions', page: 1, reason: 'next', outcome: unavailable },
          ...{ status: 500, tries: 1, ms },
        },
      ],
    });
  });

  test('has no status for a call without an answer', async () => {
    bank.addFault({ kind: 'reset' });
    const ms = expect.any(Number) as number;
    expect(extensionsOf(await askForSlice(gateway))).toEqual({
      upstream: [
        { route: 'transactions', page: 0, reason: 'first', outcome: unavailable, tries: 2, ms },
      ],
    });
  });

  test('is absent if there were no calls', async () => {
    expect(extensionsOf(await query(gateway, '{ __typename }'))).toBeUndefined();
  });

  test('is absent in production', async () => {
    const env = { NODE_ENV: 'production', SHUTDOWN_DELAY_MS: '0', LOG_LEVEL: 'debug' };
    const production = await start(env);
    expect(extensionsOf(await askForSlice(production))).toBeUndefined();
    const pages = [
      { route: 'transactions', page: 0, reason: 'first' },
      { route: 'transactions', page: 1, reason: 'next' },
    ];
    expect(production.log.find(({ level }) => level === 'debug')).toMatchObject({
      upstream: pages,
      msg: 'calls of the operation',
    });
  });
});

/** The names of fields whose values count as personal data, including ids and cursors. */
const personal =
  /^(?:id|name|document|email|phone|motherName|fatherName|documentNumber|zipCode|neighborhood|street|number|complement|balance|income|amount|signedAmount|beneficiaryName|birthDate|cursor|startCursor|endCursor)$/;

/** Every personal string in an answer, except strings so short that they could match by chance. */
function* personalTexts(value: unknown, key = ''): Generator<string> {
  if (typeof value === 'string') {
    if (personal.test(key) && value.length >= 6) yield value;
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      yield* personalTexts(inner, Array.isArray(value) ? key : name);
    }
  }
}

describe('secrets and personal data', () => {
  test('are in no log line, metric or trace, even if calls fail', async () => {
    await using collector = await startCollector();
    const traced = await startTestGateway(
      { LOG_LEVEL: 'trace', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
      { bank },
    );
    const secrets = await misbehave(traced);
    const { text: metrics } = await scrape(traced);
    await traced.close();
    const seen = { log: JSON.stringify(traced.log), metrics, traces: collector.text };
    for (const text of Object.values(seen)) expect(text.length).toBeGreaterThan(1000);
    for (const secret of secrets) {
      for (const [where, text] of Object.entries(seen))
        expect(text.includes(secret), `${secret} in the ${where}`).toBe(false);
    }
    // Redaction is only an additional safeguard, so no log line should have needed it.
    expect(seen.log).not.toContain('[redacted]');
  });
});

const everything = `query All($id: ID!, $marked: String) {
  me { ${meFields} }
  transactions(accountId: $id, first: 30) { ${connectionFields} }
  wrong: transactions(accountId: $id, after: $marked) { totalCount }
  account(id: "LITERAL-MARK") { id }
}`;

/**
 * Requests all data as every holder, with and without faults. Returns the strings that log, metrics and traces must not
 * contain.
 */
async function misbehave(at: TestGateway): Promise<Set<string>> {
  const secrets = new Set([bank.secretMark, 'LITERAL-MARK', 'VARIABLE-MARK', ...bank.tenants]);
  for (const holder of bank.holders) {
    const headers = await callerHeaders(bank, holder);
    for (const part of headers.authorization.split(/[ .]/).slice(1)) secrets.add(part);
    const [id = holder.id] = holder.accounts;
    const question = { headers, variables: { id, marked: 'VARIABLE-MARK' } };
    for (const text of personalTexts((await query(at, everything, question)).data))
      secrets.add(text);
    bank.addFault({ kind: 'status', status: 500, match: { route: 'transactions' } });
    await query(at, everything, question);
    bank.clearFaults();
    bank.addFault({ kind: 'brokenJson' });
    await query(at, everything, question);
    bank.clearFaults();
    for (const pointer of ['/data/0/id', '/accounts/0/status', '/person/name', '/entity/name'])
      bank.addFault({ kind: 'wrongShape', pointer, value: { name: bank.secretMark } });
    await query(at, everything, question);
    bank.clearFaults();
    await bank.goOffline();
    await query(at, everything, question);
    await bank.goOnline();
  }
  return secrets;
}
