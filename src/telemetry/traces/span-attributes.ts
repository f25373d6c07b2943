// What spans say, by OpenTelemetry's semantic conventions for HTTP and GraphQL (docs/observability.md, Traces).
import type { Attributes } from '@opentelemetry/api';
import type { TracedCall, TracedOperation, TracedRequest } from './tracing.ts';

/** The value of OTEL_SEMCONV_STABILITY_OPT_IN that asks for the GraphQL conventions as they are developed. */
const graphqlOptIn = 'graphql_latest_experimental';

/** The one path of operations. */
const operationsPath = '/graphql';

const methods = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);

/** A name by DNS, or an address in brackets, with a port: nothing else of a Host header is taken. */
const hostAndPort =
  /^((?:[a-z\d-]{1,63}\.){0,8}[a-z\d-]{1,63}\.?|\[[\da-f:.]{2,45}\])(?::(\d{1,5}))?$/i;

/** The span's name before its operation is known, and what samplers may decide by. */
export function requestSpan(request: TracedRequest): { name: string; attributes: Attributes } {
  const { method = '', url = '', headers, httpVersion } = request;
  const isKnown = methods.has(method);
  const path = url.split('?', 1)[0];
  const route = path === operationsPath ? operationsPath : null;
  const [, address, port] = hostAndPort.exec(String(headers['host'] ?? '')) ?? [];
  const attributes: Attributes = {
    'http.request.method': isKnown ? method : '_OTHER',
    // Other paths are of the client's making.
    'url.path': route ?? 'REDACTED',
    'url.scheme': 'http',
    'network.protocol.version': httpVersion,
    ...(route !== null && { 'http.route': route }),
    ...(address !== undefined && { 'server.address': address }),
    ...(port !== undefined && { 'server.port': Number(port) }),
  };
  return { name: spanName(isKnown ? method : 'HTTP', route), attributes };
}

function spanName(method: string, route: string | null): string {
  return route === null ? method : `${method} ${route}`;
}

/** Names of operations that become names of spans; clients can make up any number. */
const maxNames = 200;

export interface OperationDescriber {
  /** The span's name; null to leave it as it is. */
  name(operation: TracedOperation): string | null;
  attributes(operation: TracedOperation): Attributes;
}

/** `optIn` is OTEL_SEMCONV_STABILITY_OPT_IN; names of other conventions in it are ignored. */
export function createOperationDescriber(optIn: readonly string[]): OperationDescriber {
  return optIn.includes(graphqlOptIn) ? latest : createUsual();
}

function createUsual(): OperationDescriber {
  const names = new Set<string>();
  const isKept = (name: string) => {
    if (names.size < maxNames) names.add(name);
    return names.has(name);
  };
  return {
    name: ({ kind, name }) =>
      kind === null || name === null || !isKept(name) ? kind : `${kind} ${name}`,
    attributes: operationAttributes,
  };
}

const latest: OperationDescriber = {
  name: ({ kind }) => kind ?? 'GraphQL Operation',
  attributes: (operation) => ({
    ...operationAttributes(operation),
    'graphql.processing.type': 'request',
    ...(operation.hash !== null && { 'graphql.document.hash': operation.hash }),
  }),
};

function operationAttributes(operation: TracedOperation): Attributes {
  const { requestId, name, hash, kind, code, codes, status, upstreamCalls } = operation;
  return {
    'account_bff.request_id': requestId,
    'account_bff.upstream_calls': upstreamCalls,
    ...(kind !== null && { 'graphql.operation.type': kind }),
    ...(name !== null && { 'graphql.operation.name': name }),
    ...(hash !== null && { 'account_bff.operation_hash': hash }),
    ...(status !== null && { 'http.response.status_code': status }),
    ...(codes.length > 0 && { 'error.type': code, 'account_bff.error_codes': [...codes] }),
  };
}

/** A route of the account service as spans show it. */
export interface RouteSpan {
  readonly name: string;
  readonly attributes: Attributes;
}

/** Paths without the account that they are about (docs/service.md). */
const templates: Readonly<Record<string, string>> = {
  persons: '/persons',
  companies: '/companies',
  transactions: '/accounts/{accountId}/transactions',
};

/** By route, made once. The address has neither query nor the id of an account: both are about a person. */
export function routeSpans(upstreamUrl: string): ReadonlyMap<string, RouteSpan> {
  const { protocol, hostname, port } = new URL(upstreamUrl);
  const base = upstreamUrl.replace(/\/+$/, '');
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return new Map(
    Object.entries(templates).map(([route, template]) => {
      const attributes = {
        'http.request.method': 'GET',
        'url.template': template,
        'url.full': base + template.replace(/\{\w+\}/, 'REDACTED'),
        'server.address': hostname,
        'server.port': port === '' ? defaultPort : Number(port),
      };
      return [route, { name: `GET ${template}`, attributes }];
    }),
  );
}

export function callAttributes({ outcome, tries, isShared, status }: TracedCall): Attributes {
  return {
    'account_bff.outcome': outcome,
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...(tries > 1 && { 'http.request.resend_count': tries - 1 }),
    ...(isShared && { 'account_bff.shared': true }),
    ...(outcome !== 'ok' && { 'error.type': outcome }),
  };
}
