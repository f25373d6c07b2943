// Refuses an operation before it runs: none to run, not a query, a stranger's that is for routers, or one without a caller.
import type { ApolloServerPlugin, GraphQLRequestListener } from '@apollo/server';
import { type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { GatewayError } from '../errors.ts';
import type { GatewayContext } from './context.ts';
import { needsOf } from './operation.ts';

const listener: GraphQLRequestListener<GatewayContext> = {
  // The one hook of Apollo Server that may throw before execution: the others would make it an internal error.
  async didResolveOperation({ operation, document, contextValue }) {
    checkOperation(operation);
    const needs = needsOf(operation, document);
    if (needs.router) contextValue.checkRouter();
    if (needs.caller) await contextValue.admit();
    contextValue.request.register?.();
  },
};

/** A plugin without which nothing of the service can be read: it is what admits the caller to the context. */
export const guard: ApolloServerPlugin<GatewayContext> = {
  requestDidStart: () => Promise.resolve(listener),
};

/** graphql-js finds neither wrong before it executes. */
function checkOperation(
  operation: OperationDefinitionNode | undefined,
): asserts operation is OperationDefinitionNode {
  if (operation === undefined) throw invalid('The document has no operation of this name.');
  if (operation.operation !== OperationTypeNode.QUERY) {
    throw invalid(`There is no ${operation.operation} here, only queries.`);
  }
}

function invalid(message: string): GatewayError {
  return new GatewayError('GRAPHQL_VALIDATION_FAILED', { message });
}
