// Apollo Server over the schema, with its plugins in the order in which they see an operation.
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import type { Log } from '../telemetry/log.ts';
import type { GatewayContext } from './context.ts';
import { defectLog } from './defect-log.ts';
import { createDocumentStore } from './document-store.ts';
import { formatError } from './format-error.ts';
import { guard } from './guard.ts';
import { hiddenSchemaRule } from './introspection.ts';
import { type DocumentLimits, limitsRule } from './limits.ts';
import { requestErrorHead } from './request-error.ts';
import { createSchema } from './schema.ts';

export type GraphQLServer = ApolloServer<GatewayContext>;

export interface GraphQLServerSettings extends DocumentLimits {
  readonly maxTokens: number;
  /** Whether the schema may be asked for. */
  readonly introspection: boolean;
  /** Whether a browser gets Apollo Sandbox. */
  readonly explorer: boolean;
  readonly log: Log;
}

/** Starts Apollo Server; HTTP is left to the caller of `executeHTTPGraphQLRequest`. */
export async function createGraphQLServer(settings: GraphQLServerSettings): Promise<GraphQLServer> {
  const { introspection, log, maxTokens } = settings;
  const server = new ApolloServer<GatewayContext>({
    schema: createSchema(),
    plugins: plugins(settings),
    formatError,
    validationRules: [limitsRule(settings), ...(introspection ? [] : [hiddenSchemaRule])],
    // The rule above is stricter than Apollo Server's.
    introspection: true,
    // No "Did you mean": it would tell the schema name by name.
    hideSchemaDetailsFromClientErrors: !introspection,
    parseOptions: { maxLexicalTokens: maxTokens, maxComments: maxTokens },
    documentStore: createDocumentStore(),
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

/** Headers that a browser sends to another origin only after a preflight (contract.md 3). */
export const preflightedHeaders = [
  'apollo-require-preflight',
  'x-apollo-operation-name',
  'authorization',
  'x-tenant-id',
] as const;

/** Those disabled would be there by default, and wrap every field, or report to Apollo GraphOS where its keys are set. */
function plugins({ explorer, log }: GraphQLServerSettings): ApolloServerPlugin<GatewayContext>[] {
  return [
    ApolloServerPluginCacheControlDisabled(),
    ApolloServerPluginInlineTraceDisabled(),
    ApolloServerPluginUsageReportingDisabled(),
    ApolloServerPluginSchemaReportingDisabled(),
    explorer
      ? ApolloServerPluginLandingPageLocalDefault({ footer: false })
      : ApolloServerPluginLandingPageDisabled(),
    guard,
    requestErrorHead,
    defectLog(log),
  ];
}
