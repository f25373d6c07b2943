// Names and attributes of spans, by OpenTelemetry's conventions for HTTP and GraphQL (docs/observability.md).
import type { IncomingMessage } from 'node:http';
import type { Attributes } from '@opentelemetry/api';
import { endpoints } from '../../upstream/endpoints.ts';
import type { CallEnd } from '../../upstream/observer.ts';
import { codeOf, type EndedOperation } from '../ended-operation.ts';

export type TracedRequest = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'headers'>;

/** The value of OTEL_SEMCONV_STABILITY_OPT_IN that selects the GraphQL conventions, which are still in development. */
const graphqlOptIn = 'graphql_latest_experimental';

const operationsPath = '/graphql';

const method = /^(?:CONNECT|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|TRACE)$/;

/** A DNS name or an IP address (IPv6 in brackets), optionally with a port; any other Host header is not shown. */
const hostAndPort =
  /^((?:[a-z\d-]{1,63}\.){0,8}[a-z\d-]{1,63}\.?|\[[\da-f:.]{2,45}\])(?::(\d{1,5}))?$/i;

/** The span's name before its operation is known, and the attributes that samplers may use. */
export function requestSpan(request: TracedRequest): { name: string; attributes: Attributes } {
  const { method: sent = '', url = '', headers, httpVersion } = request;
  const isKnown = method.test(sent);
  const path = url.split('?', 1)[0];
  const route = path === operationsPath ? operationsPath : null;
  const [, address, port] = hostAndPort.exec(headers.host ?? '') ?? [];
  const attributes: Attributes = {
    'http.request.method': isKnown ? sent : '_OTHER',
    // Other paths may contain any text from the client.
    'url.path': route ?? 'REDACTED',
    'url.scheme': 'http',
    'network.protocol.version': httpVersion,
    ...(route !== null && { 'http.route': route }),
    ...(address !== undefined && { 'server.address': address }),
    ...(port !== undefined && { 'server.port': Number(port) }),
  };
  const shownMethod = isKnown ? sent : 'HTTP';
  return { name: route === null ? shownMethod : `${shownMethod} ${route}`, attributes };
}

/** The largest number of operation names that become span names, because clients can invent any number of names. */
const maxNames = 200;

/** If the returned `name` is null, the span keeps its name. `optIn` is OTEL_SEMCONV_STABILITY_OPT_IN. */
export function createOperationDescriber(optIn: readonly string[]) {
  const isLatest = optIn.includes(graphqlOptIn);
  const names = new Set<string>();
  return (operation: EndedOperation): { name: string | null; attributes: Attributes } => {
    const { requestId, codes, status, upstreamCalls } = operation;
    const { operationName: name, operationHash: hash, operationKind: kind } = operation;
    if (name !== null && names.size < maxNames) names.add(name);
    const isNamed = kind !== null && name !== null && names.has(name);
    const usualName = isNamed ? `${kind} ${name}` : kind;
    const attributes = {
      'account_bff.request_id': requestId,
      'account_bff.upstream_calls': upstreamCalls,
      ...(kind !== null && { 'graphql.operation.type': kind }),
      ...(name !== null && { 'graphql.operation.name': name }),
      ...(hash !== null && { 'account_bff.operation_hash': hash }),
      ...(status !== null && { 'http.response.status_code': status }),
      ...(codes.length > 0 && {
        'error.type': codeOf(codes),
        'account_bff.error_codes': [...codes],
      }),
      ...(isLatest && { 'graphql.processing.type': 'request' }),
      ...(isLatest && hash !== null && { 'graphql.document.hash': hash }),
    };
    return { name: isLatest ? (kind ?? 'GraphQL Operation') : usualName, attributes };
  };
}

/** The URL omits the query and the account id, because both are personal data. */
export function routeSpans(
  upstreamUrl: string,
): ReadonlyMap<string, { readonly name: string; readonly attributes: Attributes }> {
  const { protocol, hostname, port } = new URL(upstreamUrl);
  const base = upstreamUrl.replace(/\/+$/, '');
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return new Map(
    Object.entries(endpoints).map(([route, { path: template }]) => {
      const attributes = {
        'http.request.method': 'GET',
        'url.template': template,
        'url.full': base + template.replace(/\{\w+\}/g, 'REDACTED'),
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
