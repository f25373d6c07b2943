// Creates Apollo Server for the schema, with its plugins.
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
  /** Empty unless the sandbox bank is the service. */
  readonly sampleCallers: readonly SampleCaller[];
  readonly log: Log;
}

export async function createGraphQLServer(settings: GraphQLServerSettings): Promise<GraphQLServer> {
  const { schema, introspection, explorer, sampleCallers, log } = settings;
  const { parseOptions, validationRules } = documentRules(settings);
  const server = new ApolloServer<GatewayContext>({
    schema,
    plugins: [
      // Apollo Server may enable these features by default. They wrap every field, or report to Apollo GraphOS.
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
    // Always allowed here: if introspection is off, `validationRules` contains a stricter rule than Apollo Server's.
    introspection: true,
    // No "Did you mean" suggestions if introspection is off: they would reveal the schema one name at a time.
    hideSchemaDetailsFromClientErrors: !introspection,
    // Off, because operation-request.ts finds the texts of persisted queries.
    persistedQueries: false,
    // Off, because operation-plugin.ts provides known documents.
    documentStore: null,
    // Off, because graphql-endpoint.ts itself rejects requests that browsers send without a preflight.
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
const maxRequestErrors = 10;
