// The HTTP status, and the headers, of an operation that was refused before it ran (docs/errors.md).
import type {
  ApolloServerPlugin,
  GraphQLRequestContextWillSendResponse,
  GraphQLRequestListener,
} from '@apollo/server';
import type { GraphQLFormattedError } from 'graphql';
import { type ErrorCode, errorKinds } from '../errors.ts';
import type { GatewayContext } from './context.ts';

type Response = GraphQLRequestContextWillSendResponse<GatewayContext>;

const listener: GraphQLRequestListener<GatewayContext> = {
  willSendResponse(context) {
    setHead(context);
    return Promise.resolve();
  },
};

/** A plugin that sets what Apollo Server, which knows of no code but its own, would answer otherwise. */
export const requestErrorHead: ApolloServerPlugin<GatewayContext> = {
  requestDidStart: () => Promise.resolve(listener),
};

function setHead({ response, contextValue }: Response): void {
  const error = requestError(response);
  const code = error?.extensions?.['code'] as ErrorCode | undefined;
  if (error === null || code === undefined) return;
  const { http } = response;
  // Apollo Server's own, as 405 for a mutation by GET.
  if (code !== 'BAD_REQUEST') http.status = statusOf(code, contextValue);
  if (code === 'UNAUTHENTICATED') http.headers.set('www-authenticate', 'Bearer');
  const retryAfter = error.extensions?.['retryAfter'];
  if (typeof retryAfter === 'number') http.headers.set('retry-after', String(retryAfter));
}

/** The first error of an answer without `data`, which is one that nothing was executed for. */
function requestError({ body }: Response['response']): GraphQLFormattedError | null {
  const result = body.kind === 'single' ? body.singleResult : null;
  return result?.data === undefined ? (result?.errors?.[0] ?? null) : null;
}

/** What GraphQL over HTTP calls a request error: a document or its variables cannot be run. */
const documentErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
]);

function statusOf(code: ErrorCode, { request }: GatewayContext): number {
  return documentErrors.has(code) ? request.documentErrorStatus : errorKinds[code].status;
}
