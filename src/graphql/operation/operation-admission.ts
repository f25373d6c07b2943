// What has to hold before an operation runs: it is a query, the router's if need be, its caller is known, it is not too large.
import type { ApolloServerPlugin, GraphQLRequestListener } from '@apollo/server';
import { OperationTypeNode } from 'graphql';
import { GatewayError } from '../../errors.ts';
import type { GatewayContext } from '../context.ts';
import type { FindDeprecated } from './deprecated-fields.ts';
import { checkLines } from '../limits/limits.ts';
import type { KnownOperation } from './operation.ts';
import type { OperationCache } from './operation-cache.ts';
import type { Variables } from './operation-request.ts';

/**
 * Admits an operation with its caller: null if that was done at once, as it mostly is. Throws, or rejects with,
 * GRAPHQL_VALIDATION_FAILED, FORBIDDEN, what `GatewayContext.admit` rejects with, and OPERATION_TOO_COMPLEX. Called again
 * with the same context, it has the same outcome and counts nothing twice.
 */
export type Admit = (
  operation: KnownOperation | null,
  variables: Variables | null,
  context: GatewayContext,
) => Promise<void> | null;

export interface AdmissionSettings {
  /** MAX_REPRESENTATIONS, of one operation over all its `_entities`. */
  readonly maxRepresentations: number;
  /** Null if the schema has nothing that is deprecated. */
  readonly findDeprecated: FindDeprecated | null;
}

/** Fields that may be selected for each of MAX_REPRESENTATIONS: as many as an account has. */
const fieldsForEach = 10;

/** Both the fast path and Apollo Server admit by this. */
export function createAdmission(settings: AdmissionSettings): Admit {
  const { maxRepresentations, findDeprecated } = settings;

  function admitSize(
    operation: KnownOperation,
    variables: Variables | null,
    { request }: GatewayContext,
  ): void {
    if (operation.representations(variables) > maxRepresentations) {
      throw tooComplex(`it has more than ${maxRepresentations} representations`);
    }
    const maxFields = fieldsForEach * maxRepresentations;
    if (operation.representationFields(variables) > maxFields) {
      throw tooComplex(`it selects more than ${maxFields} fields of representations`);
    }
    request.register?.();
    if (findDeprecated !== null) request.record.uses(operation.deprecated(findDeprecated));
  }

  return (operation, variables, context) => {
    if (operation === null) throw invalid('The document has no operation of this name.');
    const { needs, node } = operation;
    if (node.operation !== OperationTypeNode.QUERY) {
      throw invalid(`There is no ${node.operation} here, only queries.`);
    }
    if (needs.router) context.checkRouter();
    const admitting = needs.caller ? context.admit() : null;
    if (admitting !== null) {
      return admitting.then(() => admitSize(operation, variables, context));
    }
    admitSize(operation, variables, context);
    return null;
  };
}

/**
 * Characters of a text that is parsed and validated for anyone who sends it: twice the ordinary introspection query, which
 * needs no caller.
 */
const maxAnonymousLength = 4096;

/**
 * Looks at a text that is not known, before it is parsed: null if that was done at once. Throws OPERATION_TOO_COMPLEX;
 * rejects as `GatewayContext.admit` does if a longer text comes without an accepted caller.
 */
export function checkUnknownText(
  text: string,
  maxTokens: number,
  context: GatewayContext,
): Promise<void> | null {
  checkLines(text, maxTokens);
  return text.length > maxAnonymousLength ? context.admit() : null;
}

function tooComplex(excess: string): GatewayError {
  const message = `The operation is too complex: ${excess}.`;
  return new GatewayError('OPERATION_TOO_COMPLEX', { message });
}

function invalid(message: string): GatewayError {
  return new GatewayError('GRAPHQL_VALIDATION_FAILED', { message });
}

/** The plugin by which Apollo Server admits operations; without it nothing of the service can be read. */
export function admissionPlugin(
  admit: Admit,
  operations: OperationCache,
): ApolloServerPlugin<GatewayContext> {
  const listener: GraphQLRequestListener<GatewayContext> = {
    // The one hook of Apollo Server that may throw before execution: errors of the others become internal ones.
    async didResolveOperation({ document, request, contextValue }) {
      const operation = operations.describe(document).operation(request.operationName ?? null);
      await admit(operation, request.variables ?? null, contextValue);
    },
  };
  return { requestDidStart: () => Promise.resolve(listener) };
}
