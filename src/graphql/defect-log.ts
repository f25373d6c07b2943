// Logs defects, which the answer masks, with their cause and the request's id.
import type { ApolloServerPlugin, GraphQLRequestListener } from '@apollo/server';
import type { GatewayContext } from './context.ts';
import { isDefect } from './format-error.ts';

/** The part of pino's logger that is used. */
export interface DefectLog {
  error(fields: { readonly requestId: string; readonly err: unknown }, message: string): void;
}

/** A plugin that logs every error that `formatError` masks. */
export function defectLog(log: DefectLog): ApolloServerPlugin<GatewayContext> {
  const write = ({ request }: GatewayContext, err: unknown) =>
    log.error({ requestId: request.id, err }, 'an internal error was masked');
  const listener: GraphQLRequestListener<GatewayContext> = {
    didEncounterErrors({ errors, contextValue }) {
      for (const error of errors) {
        if (isDefect(error)) write(contextValue, error.originalError ?? error);
      }
      return Promise.resolve();
    },
  };
  return {
    requestDidStart: () => Promise.resolve(listener),
    unexpectedErrorProcessingRequest({ requestContext, error }) {
      write(requestContext.contextValue, error);
      return Promise.resolve();
    },
  };
}
