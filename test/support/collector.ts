// An OTLP collector on a free port. It keeps the spans that it receives. A test can make the collector reject spans or
// leave requests unanswered.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** A span of OTLP/JSON, with its attributes as an object. */
export interface CollectedSpan {
  /** The service that sent the span: service.name of its resource. */
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 2: server, 3: client. */
  readonly kind: number;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface Collector extends AsyncDisposable {
  /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Everything that was received, as text. */
  readonly text: string;
  /** Resolves once `count` batches have arrived in total, accepted or not. */
  batches(count: number): Promise<void>;
}

interface CollectorOptions {
  readonly port?: number;
  /** The status with which the collector answers; null if it does not answer. */
  readonly status?: number | null;
  /** No request is answered before this promise resolves. */
  readonly until?: Promise<undefined>;
}

export async function startCollector({
  port = 0,
  status = 200,
  until,
}: CollectorOptions = {}): Promise<Collector> {
  const bodies: string[] = [];
  const server = createServer((request, response) => void take(request, response));
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url !== '/v1/traces') throw new Error(`no such path: ${request.url ?? ''}`);
    const chunks = (await request.toArray()) as Buffer[];
    bodies.push(Buffer.concat(chunks).toString());
    server.emit('batch');
    await until;
    if (status !== null) response.writeHead(status, { 'content-type': 'application/json' }).end();
  }
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get spans() {
      return bodies.flatMap(spansOf);
    },
    get text() {
      return bodies.join('\n');
    },
    async batches(count) {
      while (bodies.length < count) await once(server, 'batch');
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

type OtlpSpan = Omit<CollectedSpan, 'attributes' | 'service'> & {
  readonly attributes: readonly OtlpAttribute[];
};

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function spansOf(body: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body) as OtlpBody;
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.name']);
    const spans = scopeSpans.flatMap((scope) => scope.spans);
    return spans.map((span) => ({ ...span, service, attributes: attributesOf(span.attributes) }));
  });
}

/** Converts attributes to an object; lists keep their OTLP format. */
function attributesOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
