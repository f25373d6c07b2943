// Apollo Server over the schema, with its plugins in the order in which they are called.
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { GraphQLSchema } from 'graphql';
import type { Log } from '../telemetry/log/log.ts';
import type { GatewayContext } from './context.ts';
import { type DocumentSettings, documentRules } from './operation/document-rules.ts';
import { resolveField } from './limits/field-errors.ts';
import { formatError } from './format-error.ts';
import { createOperationPlugin, type OperationPluginParts } from './operation-plugin.ts';
import { createSandboxPage, type SampleCaller } from './sandbox-page.ts';

export type GraphQLServer = ApolloServer<GatewayContext>;

export interface GraphQLServerSettings extends DocumentSettings, OperationPluginParts {
  readonly schema: GraphQLSchema;
  readonly explorer: boolean;
  /** The callers that the page offers; empty unless the sandbox bank answers. */
  readonly sampleCallers: readonly SampleCaller[];
  readonly log: Log;
}

/** Starts Apollo Server; HTTP is left to the caller. */
export async function createGraphQLServer(settings: GraphQLServerSettings): Promise<GraphQLServer> {
  const { schema, operations, introspection, explorer, sampleCallers, log } = settings;
  const { parseOptions, validationRules } = documentRules(settings);
  const server = new ApolloServer<GatewayContext>({
    schema,
    plugins: [
      // These are on by default; they wrap every field, or report to Apollo GraphOS if its keys are set.
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      explorer ? createSandboxPage(sampleCallers[0]) : ApolloServerPluginLandingPageDisabled(),
      createOperationPlugin(settings),
    ],
    formatError,
    fieldResolver: resolveField,
    parseOptions,
    validationRules,
    validationOptions: { maxErrors: maxRequestErrors },
    executionOptions: { maxCoercionErrors: maxRequestErrors },
    // `validationRules` has a stricter rule than Apollo Server's.
    introspection: true,
    // No "Did you mean", which would reveal the schema name by name.
    hideSchemaDetailsFromClientErrors: !introspection,
    // operation-request.ts finds the text.
    persistedQueries: false,
    documentStore: operations.documentStore,
    // graphql-endpoint.ts rejects requests without a preflight itself.
    csrfPrevention: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    // Apollo Server must not change its defaults by NODE_ENV.
    nodeEnv: 'production',
    logger: log,
  });
  await server.start();
  return server;
}

/** The most errors of a document or of its variables that are listed: each takes time and space in the answer. */
const maxRequestErrors = 10;
