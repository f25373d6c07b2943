// Apollo Server over the schema, with its plugins in the order in which they see an operation.
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { GraphQLSchema } from 'graphql';
import type { Log } from '../telemetry/log.ts';
import type { CompiledExecution } from './compiled/compiled-execution.ts';
import { stringifyResult } from './compiled/written-data.ts';
import type { GatewayContext } from './context.ts';
import { defectLog } from './defect-log.ts';
import { type DocumentSettings, documentRules } from './document-rules.ts';
import { createDocumentStore } from './document-store.ts';
import { formatError } from './format-error.ts';
import { guard } from './guard.ts';
import { operationRecord } from './operation-record.ts';
import type { Operations } from './operations.ts';
import { requestErrorHead } from './request-error.ts';
import { createSandboxPage, type SampleCaller } from './sandbox-page.ts';

export type GraphQLServer = ApolloServer<GatewayContext>;

export interface GraphQLServerSettings extends DocumentSettings {
  readonly schema: GraphQLSchema;
  /** What the manifest lists. */
  readonly operations: Operations;
  /** Whether a browser gets Apollo Sandbox. */
  readonly explorer: boolean;
  /** The compiled path; null where graphql-js executes everything. */
  readonly compiled: CompiledExecution | null;
  /** Whom its page can ask as; none but where the sandbox bank answers. */
  readonly sampleCallers: readonly SampleCaller[];
  readonly log: Log;
}

/** Starts Apollo Server; HTTP is left to the caller of `executeHTTPGraphQLRequest`. */
export async function createGraphQLServer(settings: GraphQLServerSettings): Promise<GraphQLServer> {
  const { schema, operations, introspection, log } = settings;
  const { parseOptions, validationRules } = documentRules(settings);
  const server = new ApolloServer<GatewayContext>({
    schema,
    plugins: plugins(settings),
    formatError,
    stringifyResult,
    parseOptions,
    validationRules,
    // Among these rules is a stricter one than Apollo Server's.
    introspection: true,
    // No "Did you mean": it would tell the schema name by name.
    hideSchemaDetailsFromClientErrors: !introspection,
    // The text is found before: src/graphql/operation-request.ts.
    persistedQueries: false,
    documentStore: createDocumentStore(operations),
    csrfPrevention: { requestHeaders: [...preflightedHeaders] },
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    // Nothing is left to what Apollo Server would take from NODE_ENV.
    nodeEnv: 'production',
    logger: log,
  });
  await server.start();
  return server;
}

/** Headers that a browser sends to another origin only after a preflight (docs/http.md). */
export const preflightedHeaders = [
  'apollo-require-preflight',
  'x-apollo-operation-name',
  'authorization',
  'x-tenant-id',
] as const;

/** Those disabled would be there by default, and wrap every field, or report to Apollo GraphOS where its keys are set. */
function plugins(settings: GraphQLServerSettings): ApolloServerPlugin<GatewayContext>[] {
  const { explorer, sampleCallers, compiled, log } = settings;
  return [
    ApolloServerPluginCacheControlDisabled(),
    ApolloServerPluginInlineTraceDisabled(),
    ApolloServerPluginUsageReportingDisabled(),
    ApolloServerPluginSchemaReportingDisabled(),
    explorer ? createSandboxPage(sampleCallers[0]) : ApolloServerPluginLandingPageDisabled(),
    guard,
    requestErrorHead,
    defectLog(log),
    operationRecord,
    ...(compiled === null ? [] : [compiled.plugin]),
  ];
}
