// The plugin that admits operations in Apollo Server, limits the number of errors, and records how operations ended.
import type {
  ApolloServerPlugin,
  GraphQLRequestContextWillSendResponse,
  GraphQLRequestListener,
} from '@apollo/server';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type ErrorCode, errorKinds, GatewayError } from '../errors.ts';
import type { Log } from '../telemetry/log/log.ts';
import type { FastPath } from './compiled/fast-path.ts';
import type { GatewayContext } from './context.ts';
import { isDefect } from './format-error.ts';
import { boundAnswer } from './limits/answer-size.ts';
import { maxErrors } from './limits/field-errors.ts';
import type { Admit } from './operation/operation-admission.ts';
import type { OperationCache } from './operation/operation-cache.ts';

export interface OperationPluginParts {
  /** Called before any resolver, because calls to the service need an admitted caller. */
  readonly admit: Admit;
  readonly operations: OperationCache;
  /** Null if graphql-js executes all operations. */
  readonly fastPath: FastPath | null;
  readonly log: Pick<Log, 'error'>;
}

type Answered = GraphQLRequestContextWillSendResponse<GatewayContext>;

export function createOperationPlugin(
  parts: OperationPluginParts,
): ApolloServerPlugin<GatewayContext> {
  const { admit, operations, fastPath, log } = parts;

  function logDefect({ request }: GatewayContext, err: unknown): void {
    log.error({ requestId: request.id, err }, 'an internal error was masked');
  }

  function finish({ contextValue, document, operation, queryHash, request, response }: Answered) {
    if (response.body.kind !== 'single') return;
    const result = boundAnswer(response.body.singleResult);
    response.body.singleResult = result;
    const { data, errors = [] } = result;
    const { record, documentErrorStatus } = contextValue.request;
    // Without `data`, nothing was executed.
    if (data === undefined) setHead(response.http, errors[0], documentErrorStatus);
    const codes = new Set(errors.map(({ extensions }) => String(extensions?.['code'])));
    record.know(operation ?? null, queryHash, [...codes], 'graphql-js');
    const upstream = record.toldCalls;
    if (upstream !== null) result.extensions = { ...result.extensions, upstream };
    if (document === undefined || !data || errors.length > 0) return;
    const { operationName = null, variables = null } = request;
    fastPath?.note(operations.describe(document, queryHash), { operationName, variables });
  }

  const listener: GraphQLRequestListener<GatewayContext> = {
    // If a document is set here, Apollo Server neither parses nor validates the text.
    didResolveSource(resolved) {
      const { document } = resolved.contextValue.request;
      if (document !== null) Object.assign(resolved, { document });
      return Promise.resolve();
    },
    // Admission is in this hook, because Apollo Server turns errors of the other hooks into internal errors.
    async didResolveOperation({ document, queryHash, request, contextValue }) {
      const known = operations.describe(document, queryHash);
      const operation = known.operation(request.operationName ?? null);
      await admit(operation, request.variables ?? null, contextValue);
    },
    didEncounterErrors({ errors, contextValue }) {
      dropErrorsBeyondBound(errors as GraphQLError[]);
      // A defect is logged once, even if it has many places in the answer.
      const causes = new Set(errors.filter(isDefect).map((error) => error.originalError ?? error));
      for (const cause of causes) logDefect(contextValue, cause);
      return Promise.resolve();
    },
    willSendResponse(answered) {
      finish(answered);
      return Promise.resolve();
    },
  };
  const listening = Promise.resolve(listener);
  return {
    requestDidStart: () => listening,
    unexpectedErrorProcessingRequest({ requestContext, error }) {
      logDefect(requestContext.contextValue, error);
      return Promise.resolve();
    },
  };
}

function dropErrorsBeyondBound(errors: GraphQLError[]): void {
  if (errors.length <= maxErrors) return;
  const message = 'The operation has more errors than this answer lists.';
  const originalError = new GatewayError('OPERATION_TOO_COMPLEX', { message });
  errors.splice(maxErrors - 1, Infinity, new GraphQLError(message, { originalError }));
}

const documentErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
]);

function setHead(
  http: Answered['response']['http'],
  error: GraphQLFormattedError | undefined,
  documentErrorStatus: number,
): void {
  const code = error?.extensions?.['code'] as ErrorCode | undefined;
  if (code === undefined) return;
  // For BAD_REQUEST, Apollo Server's status is kept, such as 405 for a mutation sent by GET.
  if (documentErrors.has(code)) http.status = documentErrorStatus;
  else if (code !== 'BAD_REQUEST') http.status = errorKinds[code].status;
  if (code === 'UNAUTHENTICATED') http.headers.set('www-authenticate', 'Bearer');
  const retryAfter = error?.extensions?.['retryAfter'];
  if (typeof retryAfter === 'number') http.headers.set('retry-after', String(retryAfter));
}
