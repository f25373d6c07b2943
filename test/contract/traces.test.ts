// Traces: one trace spans client, gateway and service, and has no personal data. A failing collector does not affect
// operations.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type CollectedSpan, type Collector, startCollector } from '../support/collector.ts';
import { bankOfFile } from '../support/fixtures.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { codesOf, query } from '../support/query.ts';
import { sha256 } from '../support/manifest.ts';
import { freePort } from '../support/port.ts';
import { rawRequest, sendRawOnce } from '../support/raw.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientSpanId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${clientSpanId}-01`;

const document = `query Holder { accounts { id transactions(first: 1) { totalCount } } }`;

const bank = await bankOfFile();

function startTraced(endpoint: string, env: Readonly<Record<string, string>> = {}) {
  return startTestGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env }, { bank });
}

/**
 * Calls `run` with a gateway that has its own collector, then stops the gateway. Returns the spans that the collector
 * has received.
 */
async function spansOf(run: (gateway: TestGateway) => Promise<unknown>): Promise<CollectedSpan[]> {
  await using collector = await startCollector();
  const gateway = await startTraced(collector.url);
  await run(gateway);
  await gateway.close();
  return [...collector.spans];
}

/** The only server span, and the client spans. */
function sorted(spans: readonly CollectedSpan[]) {
  const servers = spans.filter(({ kind }) => kind === 2);
  const clients = spans.filter(({ kind }) => kind === 3);
  expect(servers).toHaveLength(1);
  return { server: servers[0] as CollectedSpan, clients };
}

describe('with an OpenTelemetry collector', () => {
  test('client, gateway and service share one trace', async () => {
    const spans = await spansOf((gateway) =>
      query(gateway, document, { headers: { traceparent, tracestate: 'vendor=1' } }),
    );
    const { server, clients } = sorted(spans);
    expect(server).toMatchObject({ traceId, parentSpanId: clientSpanId, name: 'query Holder' });
    const calls = bank.calls();
    expect(clients).toHaveLength(calls.length);
    for (const client of clients) expect(client.parentSpanId).toBe(server.spanId);
    const sent = calls.map(({ headers }) => headers['traceparent']);
    expect(new Set(sent)).toEqual(
      new Set(clients.map(({ spanId }) => `00-${traceId}-${spanId}-01`)),
    );
    expect(new Set(calls.map(({ headers }) => headers['tracestate']))).toEqual(
      new Set(['vendor=1']),
    );
  });

  test('the spans of the gateway and of a traced service form one trace', async () => {
    await using collector = await startCollector();
    const gateway = await startTraced(collector.url);
    await query(gateway, document);
    await gateway.close();
    await traceService(collector.url);
    const { spans } = collector;
    expect(new Set(spans.map((span) => span.traceId)).size).toBe(1);
    const parentOf = (span: CollectedSpan) =>
      spans.find(({ spanId }) => spanId === span.parentSpanId);
    const [root, ...others] = spans.filter((span) => parentOf(span) === undefined);
    expect(others).toEqual([]);
    expect(root).toMatchObject({ service: 'account-bff', kind: 2, name: 'query Holder' });
    const inService = spans.filter(({ service }) => service === 'bank');
    expect(inService).toHaveLength(5);
    for (const span of inService) {
      const call = parentOf(span);
      expect(call).toMatchObject({ service: 'account-bff', kind: 3 });
      expect(call && parentOf(call)).toBe(root);
    }
  });

  /** Sends the spans of a traced service: one for each received call, as a child of the caller's span. */
  async function traceService(url: string): Promise<void> {
    const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces` });
    const provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'bank' }),
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    });
    const tracer = provider.getTracer('bank');
    const propagator = new W3CTraceContextPropagator();
    for (const { headers, method, path } of bank.calls()) {
      const caller = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      tracer.startSpan(`${method} ${path}`, { kind: SpanKind.SERVER }, caller).end();
    }
    await provider.shutdown();
  }

  test('an operation without a trace context starts a trace', async () => {
    const spans = await spansOf((gateway) => query(gateway, document));
    const { server, clients } = sorted(spans);
    expect(server.parentSpanId).toBeUndefined();
    for (const client of clients) expect(client.traceId).toBe(server.traceId);
  });

  test.each([
    ['00-0-0-01'],
    [`${traceparent}, ${traceparent}`],
    [`ff-${traceId}-${clientSpanId}-01`],
  ])('an invalid traceparent (%s) is ignored', async (wrong) => {
    const spans = await spansOf((gateway) =>
      query(gateway, document, { headers: { traceparent: wrong } }),
    );
    expect(sorted(spans).server.traceId).not.toBe(traceId);
  });

  test('a trace that the client does not sample is propagated, but not exported', async () => {
    const headers = { traceparent: `00-${traceId}-${clientSpanId}-00` };
    const spans = await spansOf((gateway) => query(gateway, document, { headers }));
    expect(spans).toEqual([]);
    for (const call of bank.calls())
      expect(call.headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  });

  test('spans describe the operation and its calls, and the log line has a trace id', async () => {
    let requestId: string | null = null;
    const spans = await spansOf(async (gateway) => {
      const answer = await query(gateway, document);
      requestId = answer.headers.get('x-request-id');
      const line = gateway.log.find(({ msg }) => msg === 'operation');
      expect(line?.['traceId']).toMatch(/^[0-9a-f]{32}$/);
    });
    const { server, clients } = sorted(spans);
    expect(server.attributes).toMatchObject({
      'account_bff.request_id': requestId,
      'account_bff.upstream_calls': clients.length,
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Holder',
      'http.response.status_code': 200,
    });
    expect(server.status.code ?? 0).toBe(0);
    const names = new Set(clients.map(({ name }) => name));
    expect(names).toEqual(new Set(['GET /persons', 'GET /accounts/{accountId}/transactions']));
    const statement = clients.find(({ name }) => name.includes('transactions'));
    expect(statement?.attributes).toEqual({
      'http.request.method': 'GET',
      'url.full': `${bank.url}/accounts/REDACTED/transactions`,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(bank.url).port),
      'url.template': '/accounts/{accountId}/transactions',
      'http.response.status_code': 200,
      'account_bff.page': 0,
      'account_bff.outcome': 'ok',
    });
  });

  test('a failure of the service sets the error status of a span, and an error of the client does not', async () => {
    bank.addFault({ kind: 'status', status: 503 });
    const failing = sorted(await spansOf((gateway) => query(gateway, '{ me { __typename } }')));
    expect(failing.server).toMatchObject({
      name: 'query',
      status: { code: 2 },
      attributes: { 'error.type': 'UPSTREAM_UNAVAILABLE' },
    });
    expect(failing.clients[0]).toMatchObject({
      status: { code: 2 },
      attributes: {
        'account_bff.outcome': 'UPSTREAM_UNAVAILABLE',
        'http.response.status_code': 503,
        'http.request.resend_count': 1,
      },
    });
    const asked = '{ account(id: "1") { id } }';
    const mistaken = sorted(await spansOf((gateway) => query(gateway, asked)));
    expect(mistaken.server.status.code ?? 0).toBe(0);
    expect(mistaken.server.attributes).toMatchObject({ 'error.type': 'BAD_USER_INPUT' });
  });

  const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

  test('spans have no JWT from a header or an operation name, and keep the other members of the tracestate', async () => {
    await using collector = await startCollector();
    const gateway = await startTraced(collector.url);
    const tracestate = `vendor=${jwt},other=1`;
    const headers = { 'x-request-id': jwt, traceparent, tracestate };
    await query(gateway, 'query eyJzdWIiOiIxIn0 { accounts { id } }', { headers });
    await gateway.close();
    expect(collector.text).not.toMatch(/eyJ|c2lnbmF0dXJl/);
    expect(collector.text).toContain('"traceState":"vendor=[redacted],other=1"');
    const { server } = sorted(collector.spans);
    expect(server).toMatchObject({ traceId, name: 'query [redacted]' });
    expect(server.attributes['account_bff.request_id']).toBe('[redacted]');
    // The service receives both headers as the client sent them.
    expect(bank.calls()[0]?.headers).toMatchObject({ 'x-request-id': jwt, tracestate });
  });

  test('a JWT in the Host header is no server.address', async () => {
    const standard = [`Host: ${jwt}`, 'Connection: close', 'Content-Type: application/json'];
    const body = '{"query":"{ __typename }"}';
    const spans = await spansOf((gateway) => sendRawOnce(gateway, rawRequest({ standard, body })));
    expect(sorted(spans).server.attributes).not.toHaveProperty('server.address');
  });

  test('an OPTIONS request has no span', async () => {
    const spans = await spansOf((gateway) =>
      fetch(`${gateway.url}/graphql`, { method: 'OPTIONS' }),
    );
    expect(spans).toEqual([]);
  });
});

describe('under the semantic conventions', () => {
  const optedIn = { OTEL_SEMCONV_STABILITY_OPT_IN: 'http, graphql_latest_experimental' };
  const literal = '{ account(id: "0b1c2d3e-0000-4000-8000-000000000001") { id } }';

  test.each([
    ['http://127.0.0.1/api', 80],
    ['https://127.0.0.1/api', 443],
  ])('a call to a service at %s has the server.port %i', async (url, port) => {
    await using collector = await startCollector();
    const gateway = await startTraced(collector.url, { UPSTREAM_URL: url, UPSTREAM_RETRIES: '0' });
    await query(gateway, '{ me { __typename } }');
    await gateway.close();
    const [call] = sorted(collector.spans).clients;
    expect(call?.attributes).toMatchObject({
      'url.full': `${url}/persons`,
      'server.address': '127.0.0.1',
      'server.port': port,
    });
  });

  test('a server span has attributes of HTTP, of GraphQL and of the gateway, and no others', async () => {
    let port = '';
    const spans = await spansOf(async (gateway) => {
      ({ port } = new URL(gateway.url));
      await query(gateway, document);
    });
    const { attributes } = sorted(spans).server;
    expect(attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/graphql',
      'url.path': '/graphql',
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
      'server.address': '127.0.0.1',
      'server.port': Number(port),
      'http.response.status_code': 200,
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Holder',
      'account_bff.operation_hash': sha256(document).slice(0, 12),
      'account_bff.request_id': expect.any(String) as string,
      'account_bff.upstream_calls': expect.any(Number) as number,
    });
  });

  test.each([
    ['POST', '/graphql', '{ nonsense }', 'POST /graphql', '/graphql', 'POST'],
    ['POST', '/accounts/7?token=x', '{ __typename }', 'POST', 'REDACTED', 'POST'],
    ['PROPFIND', '/graphql', undefined, 'HTTP /graphql', '/graphql', '_OTHER'],
  ])(
    'the span of "%s %s" with the query %s has the name "%s"',
    async (method, path, text, name, shown, shownMethod) => {
      const body = text === undefined ? null : JSON.stringify({ query: text });
      const headers = { 'content-type': 'application/json' };
      const spans = await spansOf((gateway) =>
        fetch(`${gateway.url}${path}`, { method, body, headers }),
      );
      const { server } = sorted(spans);
      expect(server.name).toBe(name);
      expect(server.attributes).toMatchObject({
        'url.path': shown,
        'http.request.method': shownMethod,
        'error.type': expect.any(String) as string,
      });
    },
  );

  test('no span has operation text or literals, with or without OTEL_SEMCONV_STABILITY_OPT_IN', async () => {
    for (const env of [{}, optedIn]) {
      await using collector = await startCollector();
      const gateway = await startTraced(collector.url, env);
      await query(gateway, literal);
      await gateway.close();
      expect(collector.spans).not.toHaveLength(0);
      expect(collector.text).not.toMatch(/0b1c2d3e|account\(id/);
    }
  });

  test('the first 200 operation names become span names, and later ones do not', async () => {
    const spans = await spansOf(async (gateway) => {
      for (let k = 0; k < 250; k++) await query(gateway, `query Name${k} { __typename }`);
      await query(gateway, 'query Name0 { __typename }');
    });
    expect(new Set(spans.map(({ name }) => name)).size).toBe(201);
    expect(spans.filter(({ name }) => name === 'query')).toHaveLength(50);
    expect(spans.at(-1)?.name).toBe('query Name0');
    expect(spans[220]?.attributes['graphql.operation.name']).toBe('Name220');
  });

  test('with OTEL_SEMCONV_STABILITY_OPT_IN, spans follow the experimental GraphQL conventions', async () => {
    await using collector = await startCollector();
    const gateway = await startTraced(collector.url, optedIn);
    await query(gateway, document);
    await query(gateway, '{ nonsense }');
    await gateway.close();
    const servers = collector.spans.filter(({ kind }) => kind === 2);
    expect(servers.map(({ name }) => name)).toEqual(['query', 'GraphQL Operation']);
    expect(servers[0]?.attributes).toMatchObject({
      'graphql.operation.name': 'Holder',
      'graphql.document.hash': sha256(document).slice(0, 12),
      'graphql.processing.type': 'request',
    });
  });
});

describe('without a collector', () => {
  test("the client's traceparent is forwarded unchanged", async () => {
    await using gateway = await startTestGateway({}, { bank });
    await query(gateway, '{ me { __typename } }', { headers: { traceparent } });
    expect(bank.calls().map(({ headers }) => headers['traceparent'])).toEqual([traceparent]);
    const line = gateway.log.find(({ msg }) => msg === 'operation');
    expect(line).not.toHaveProperty('traceId');
  });
});

/** Shortens a delay and a timeout of the OpenTelemetry SDK, which reads both when a gateway starts. */
function hurry(): void {
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '20');
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '200');
}

/** Sends queries until the log has a line with this message. */
async function askUntil(gateway: TestGateway, message: RegExp): Promise<void> {
  while (!gateway.log.some(({ msg }) => message.test(String(msg)))) {
    const answer = await query(gateway, '{ __typename }');
    expect(codesOf(answer)).toEqual([]);
  }
}

const longestStopMs = 3000;

/** Expects that a gateway stops within the limit although it has spans to send. */
async function expectToStopSoon(gateway: TestGateway): Promise<void> {
  await query(gateway, document);
  const startedMs = performance.now();
  await gateway.close();
  expect(performance.now() - startedMs).toBeLessThan(longestStopMs);
}

describe('tracing', () => {
  beforeEach(hurry);
  afterEach(() => vi.unstubAllEnvs());

  test('fails no operations, and lets the gateway stop in less than 3 s, if the collector is down', async () => {
    const gateway = await startTraced(`http://127.0.0.1:${await freePort()}`);
    await askUntil(gateway, /does not accept traces/);
    await expectToStopSoon(gateway);
  });

  test('fails no operations, and lets the gateway stop in less than 3 s, if the collector hangs', async () => {
    await using collector = await startCollector({ status: null });
    const gateway = await startTraced(collector.url);
    await askUntil(gateway, /does not accept traces/);
    await expectToStopSoon(gateway);
  });

  test('fails no operations and logs a single warning if the collector rejects spans', async () => {
    await using collector = await startCollector({ status: 400 });
    await using gateway = await startTraced(collector.url);
    await askUntil(gateway, /does not accept traces/);
    await query(gateway, document);
    await collector.batches(3);
    expect(gateway.log.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('resumes once the collector is up', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await using gateway = await startTraced(url);
    await askUntil(gateway, /does not accept traces/);
    await using collector: Collector = await startCollector({ port });
    await askUntil(gateway, /accepts traces again/);
    expect(collector.spans.length).toBeGreaterThan(0);
  });
});

test('at most 2,048 spans wait while the collector does not answer', async () => {
  // On a busy machine, the queries take longer than the exporter waits by default before it sends the next batch.
  for (const name of ['OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_BSP_EXPORT_TIMEOUT']) {
    vi.stubEnv(name, '120000');
  }
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const { promise: until, resolve: release } = Promise.withResolvers<undefined>();
  await using collector = await startCollector({ until });
  const gateway = await startTraced(collector.url);
  const batch = 512;
  for (let operations = 0; operations < 7 * batch; operations += 64) {
    await Promise.all(Array.from({ length: 64 }, () => query(gateway, '{ __typename }')));
  }
  release(undefined);
  // One batch was being sent, and four waited.
  await collector.batches(5);
  await gateway.close();
  expect(collector.spans).toHaveLength(5 * batch);
});

test('without an OTLP endpoint, the OpenTelemetry SDK is not loaded', async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', loaded]);
  expect(stdout.trim().split('\n')).toEqual(['0', 'some']);
});

/**
 * A program that prints the number of OpenTelemetry SDK modules loaded without an endpoint, and whether any are loaded
 * with an endpoint. The package of the API is not counted, because prom-client loads it.
 */
const loaded = `
  import { createRequire } from 'node:module';
  import { startTelemetry } from '${new URL('../../src/telemetry/telemetry.ts', import.meta.url).href}';
  await import('${new URL('../../src/gateway.ts', import.meta.url).href}');
  const { cache } = createRequire('${import.meta.url}');
  const count = () => Object.keys(cache).filter((path) => /@opentelemetry.(?!api\\b)/.test(path)).length;
  const settings = {
    isProduction: true,
    clients: null,
    otelSemconvStabilityOptIn: null,
    upstreamUrl: 'http://127.0.0.1:1',
    log: { isLevelEnabled: () => false },
    deprecated: [],
    isReleased: () => false,
  };
  await startTelemetry({ ...settings, otelExporterOtlpEndpoint: null });
  console.log(count());
  await startTelemetry({ ...settings, otelExporterOtlpEndpoint: 'http://127.0.0.1:1' });
  console.log(count() > 0 ? 'some' : 'none');
`;
