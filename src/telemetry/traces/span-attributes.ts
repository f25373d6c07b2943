// Names and attributes of spans by OpenTelemetry's semantic conventions for HTTP and GraphQL (docs/observability.md).
import type { Attributes } from '@opentelemetry/api';
import type { CallEnd } from '../../upstream/observer.ts';
import type { TracedOperation, TracedRequest } from './tracing.ts';

/** The value of OTEL_SEMCONV_STABILITY_OPT_IN for the GraphQL conventions in development. */
const graphqlOptIn = 'graphql_latest_experimental';

/** The only path that serves operations. */
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

/** A DNS name or an address in brackets, with a port; any other Host header is not shown. */
const hostAndPort =
  /^((?:[a-z\d-]{1,63}\.){0,8}[a-z\d-]{1,63}\.?|\[[\da-f:.]{2,45}\])(?::(\d{1,5}))?$/i;

/** The span's name before its operation is known, and the attributes that samplers may use. */
export function requestSpan(request: TracedRequest): { name: string; attributes: Attributes } {
  const { method = '', url = '', headers, httpVersion } = request;
  const isKnown = methods.has(method);
  const path = url.split('?', 1)[0];
  const route = path === operationsPath ? operationsPath : null;
  const [, address, port] = hostAndPort.exec(String(headers['host'] ?? '')) ?? [];
  const attributes: Attributes = {
    'http.request.method': isKnown ? method : '_OTHER',
    // Other paths are the client's text.
    'url.path': route ?? 'REDACTED',
    'url.scheme': 'http',
    'network.protocol.version': httpVersion,
    ...(route !== null && { 'http.route': route }),
    ...(address !== undefined && { 'server.address': address }),
    ...(port !== undefined && { 'server.port': Number(port) }),
  };
  const shownMethod = isKnown ? method : 'HTTP';
  return { name: route === null ? shownMethod : `${shownMethod} ${route}`, attributes };
}

/** The most names of operations that become names of spans; clients can invent any number. */
const maxNames = 200;

export interface OperationDescriber {
  /** The span's name; null to keep it. */
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

/** The name and attributes of spans for a route of the account service. */
export interface RouteSpan {
  readonly name: string;
  readonly attributes: Attributes;
}

/** Path templates (docs/service.md). */
const templates: Readonly<Record<string, string>> = {
  persons: '/persons',
  companies: '/companies',
  transactions: '/accounts/{accountId}/transactions',
};

/** By route. The URL has neither query nor account id, because both are about a person. */
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

export function callAttributes({ outcome, tries, isShared, status }: CallEnd): Attributes {
  return {
    'account_bff.outcome': outcome,
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...(tries > 1 && { 'http.request.resend_count': tries - 1 }),
    ...(isShared && { 'account_bff.shared': true }),
    ...(outcome !== 'ok' && { 'error.type': outcome }),
  };
}
