// The HTTP status and headers of an operation that was rejected before execution (docs/errors.md).
import type {
  ApolloServerPlugin,
  GraphQLRequestContextWillSendResponse,
  GraphQLRequestListener,
} from '@apollo/server';
import { type ErrorCode, errorKinds } from '../errors.ts';
import type { GatewayContext } from './context.ts';

type Response = GraphQLRequestContextWillSendResponse<GatewayContext>;

const listener: GraphQLRequestListener<GatewayContext> = {
  willSendResponse(context) {
    setHead(context);
    return Promise.resolve();
  },
};

/** A plugin that sets the status and headers of the gateway's codes, which Apollo Server does not know. */
export const requestErrorHead: ApolloServerPlugin<GatewayContext> = {
  requestDidStart: () => Promise.resolve(listener),
};

function setHead({ response, contextValue }: Response): void {
  const result = response.body.kind === 'single' ? response.body.singleResult : null;
  // Without `data` nothing was executed.
  const error = result?.data === undefined ? result?.errors?.[0] : undefined;
  const code = error?.extensions?.['code'] as ErrorCode | undefined;
  if (error === undefined || code === undefined) return;
  const { http } = response;
  // For BAD_REQUEST Apollo Server's status is kept, such as 405 for a mutation by GET.
  if (documentErrors.has(code)) http.status = contextValue.request.documentErrorStatus;
  else if (code !== 'BAD_REQUEST') http.status = errorKinds[code].status;
  if (code === 'UNAUTHENTICATED') http.headers.set('www-authenticate', 'Bearer');
  const retryAfter = error.extensions?.['retryAfter'];
  if (typeof retryAfter === 'number') http.headers.set('retry-after', String(retryAfter));
}

/** A document or its variables are invalid: a request error of GraphQL over HTTP. */
const documentErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
]);
