// Sets up Apollo Server for the schema, with the plugin that admits and records operations.
import {
  ApolloServer,
  type ApolloServerPlugin,
  type GraphQLRequestContextWillSendResponse,
  type GraphQLRequestListener,
} from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { GraphQLFormattedError, GraphQLSchema } from 'graphql';
import { challengeFor, type ErrorCode, errorKinds } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { FastPath } from './compiled/fast-path.ts';
import type { GatewayContext } from './context.ts';
import { formatError, isDefect, listErrors, problemsOf } from './format-error.ts';
import { boundAnswer } from './limits/answer-size.ts';
import { boundMemory, resolveField } from './limits/result-memory.ts';
import { type DocumentSettings, documentRules } from './limits/limits.ts';
import { type Admit, isLong } from './operation/operation-admission.ts';
import type { OperationCache } from './operation/operation-cache.ts';
import { createSandboxPage, type SampleCaller } from './sandbox-page.ts';

export type GraphQLServer = ApolloServer<GatewayContext>;

export interface GraphQLServerSettings extends DocumentSettings {
  readonly schema: GraphQLSchema;
  /** Called before any resolver, because calls to the service need an admitted caller. */
  readonly admit: Admit;
  readonly operations: OperationCache;
  /** Null if graphql-js executes all operations. */
  readonly fastPath: FastPath | null;
  readonly explorer: boolean;
  /** Empty unless the sandbox bank is the service. */
  readonly sampleCallers: readonly SampleCaller[];
  readonly log: Log;
}

export async function createGraphQLServer(settings: GraphQLServerSettings): Promise<GraphQLServer> {
  const { schema, introspection, explorer, sampleCallers, log } = settings;
  const server = new ApolloServer<GatewayContext>({
    schema,
    plugins: [
      // Apollo Server may enable these features by default. They wrap every field, or report to Apollo GraphOS.
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      explorer ? createSandboxPage(sampleCallers[0]) : ApolloServerPluginLandingPageDisabled(),
      operationPlugin(settings),
    ],
    formatError,
    fieldResolver: resolveField,
    ...documentRules(settings),
    validationOptions: { maxErrors: maxRequestErrors },
    executionOptions: { maxCoercionErrors: maxRequestErrors },
    // Always allowed here: if introspection is off, `validationRules` contains a stricter rule than Apollo Server's.
    introspection: true,
    // No "Did you mean" suggestions if introspection is off: they would reveal the schema one name at a time.
    hideSchemaDetailsFromClientErrors: !introspection,
    // Off, because operation-request.ts finds the texts of persisted queries.
    persistedQueries: false,
    // Off, because the plugin provides known documents.
    documentStore: null,
    // Off, because the gateway itself rejects operations that browsers send without a preflight.
    csrfPrevention: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    // Fixed, so that NODE_ENV does not change Apollo Server's defaults.
    nodeEnv: 'production',
    logger: log,
  });
  await server.start();
  return server;
}

/** Limits the errors for a document or its variables, because each error takes time and space. */
const maxRequestErrors = 5;

type Answered = GraphQLRequestContextWillSendResponse<GatewayContext>;

function operationPlugin(settings: GraphQLServerSettings): ApolloServerPlugin<GatewayContext> {
  const { admit, operations, fastPath, log } = settings;
  function logDefect({ request }: GatewayContext, err: unknown): void {
    log.error({ requestId: request.id, err }, 'an internal error was masked');
  }

  function finish({ contextValue, operation, queryHash, request, response, source }: Answered) {
    if (response.body.kind !== 'single') return;
    const { singleResult } = response.body;
    const { allowance } = contextValue;
    if (singleResult.errors) singleResult.errors = listErrors(singleResult.errors, allowance);
    const isAnonymous = isLong(source) && !contextValue.hasCaller;
    const result = boundAnswer(boundMemory(singleResult, allowance), isAnonymous);
    response.body.singleResult = result;
    const { data, errors = [] } = result;
    const { record } = contextValue.request;
    // Without `data`, nothing was executed.
    if (data === undefined) setHead(response.http, errors[0], contextValue.request);
    const codes = new Set(errors.map(({ extensions }) => String(extensions?.['code'])));
    record.problems = problemsOf(errors);
    record.answered(operation ?? null, queryHash, [...codes], 'graphql-js');
    const upstream = record.listedCalls;
    if (upstream !== null) result.extensions = { ...result.extensions, upstream };
    const known = data && errors.length === 0 ? operations.find(source) : null;
    if (known === null) return;
    const { operationName = null, variables = null } = request;
    fastPath?.note(known, { operationName, variables });
  }

  const listener: GraphQLRequestListener<GatewayContext> = {
    // If a document is set here, Apollo Server neither parses nor validates the text.
    didResolveSource(resolved) {
      const { document } = resolved.contextValue.request;
      if (document !== null) Object.assign(resolved, { document });
      return Promise.resolve();
    },
    // Admission is in this hook, because Apollo Server turns errors of the other hooks into internal errors.
    async didResolveOperation({ source, document, queryHash, request, contextValue }) {
      const known = operations.find(source) ?? operations.add(document, queryHash);
      const operation = known.operation(request.operationName ?? null);
      await admit(operation, request.variables ?? null, contextValue);
      // The fast path may have begun the operation. Its reads, which may still end, have the original of this copy.
      contextValue.allowance = contextValue.allowance.again();
    },
    didEncounterErrors({ errors, contextValue }) {
      // A defect is logged once, even if it causes many errors in the answer.
      const causes = new Set(errors.filter(isDefect).map((error) => error.originalError ?? error));
      for (const cause of causes) logDefect(contextValue, cause);
      return Promise.resolve();
    },
    willSendResponse(answered) {
      finish(answered);
      return Promise.resolve();
    },
  };
  return {
    requestDidStart: () => Promise.resolve(listener),
    unexpectedErrorProcessingRequest({ requestContext, error }) {
      logDefect(requestContext.contextValue, error);
      return Promise.resolve();
    },
  };
}

const documentErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
]);

function setHead(
  http: Answered['response']['http'],
  error: GraphQLFormattedError | undefined,
  { documentErrorStatus, head }: GatewayContext['request'],
): void {
  const code = error?.extensions?.['code'] as ErrorCode | undefined;
  if (code === undefined) return;
  // For BAD_REQUEST, Apollo Server's status is kept, such as 405 for a mutation sent by GET.
  if (documentErrors.has(code)) http.status = documentErrorStatus;
  else if (code !== 'BAD_REQUEST') http.status = errorKinds[code].status;
  if (code === 'UNAUTHENTICATED') {
    http.headers.set('www-authenticate', challengeFor(head.headers.authorization));
  }
  const retryAfter = error?.extensions?.['retryAfter'];
  if (typeof retryAfter === 'number') http.headers.set('retry-after', String(retryAfter));
}
