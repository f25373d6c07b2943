// The checks before execution: the operation is a query, comes from the router if it uses router fields, has an
// accepted caller, and is within the size limits.
import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import { GatewayError } from '../../errors.ts';
import type { GatewayContext } from '../context.ts';
import { checkLines, tooComplex } from '../limits/limits.ts';
import type { KnownOperation } from './operation.ts';
import type { Variables } from './operation-request.ts';

/**
 * Admits an operation with its caller; returns null if admission is synchronous, which is usual. Throws, or rejects
 * with, GRAPHQL_VALIDATION_FAILED, FORBIDDEN, the errors of `GatewayContext.admit`, and OPERATION_TOO_COMPLEX.
 * Repeated calls with the same context have the same outcome and count nothing twice.
 */
export type Admit = (
  operation: KnownOperation | null,
  variables: Variables | null,
  context: GatewayContext,
) => Promise<void> | null;

export interface AdmissionSettings {
  /** MAX_REPRESENTATIONS: the limit for all `_entities` fields of an operation together. */
  readonly maxRepresentations: number;
  readonly schema: GraphQLSchema;
}

/** The number of fields that may be selected for each of MAX_REPRESENTATIONS: as many as an account has. */
const fieldsForEach = 10;

/** Creates the admission that the fast path and Apollo Server share. */
export function createAdmission(settings: AdmissionSettings): Admit {
  const { maxRepresentations, schema } = settings;

  function admitSize(
    operation: KnownOperation,
    variables: Variables | null,
    { request }: GatewayContext,
  ): void {
    const { count, fields } = operation.representations(variables);
    if (count > maxRepresentations) {
      throw tooComplex(`it has more than ${maxRepresentations} representations`);
    }
    const maxFields = fieldsForEach * maxRepresentations;
    if (fields > maxFields) {
      throw tooComplex(`it selects more than ${maxFields} fields of representations`);
    }
    request.register?.();
    request.record.uses(operation.deprecated(schema));
  }

  return (operation, variables, context) => {
    if (operation === null) throw invalid('The document has no operation of this name.');
    const { needsCaller, needsRouter, node } = operation;
    if (node.operation !== OperationTypeNode.QUERY) {
      throw invalid(`There is no ${node.operation} here, only queries.`);
    }
    if (needsRouter) context.checkRouter();
    const admitting = needsCaller ? context.admit() : null;
    if (admitting !== null) {
      return admitting.then(() => admitSize(operation, variables, context));
    }
    admitSize(operation, variables, context);
    return null;
  };
}

/**
 * The longest text, in characters, that is parsed and validated without a caller: twice the length of the ordinary
 * introspection query, which needs no caller.
 */
const maxAnonymousLength = 4096;

/**
 * Checks an unknown text before it is parsed; returns null if the check is synchronous. Throws OPERATION_TOO_COMPLEX
 * for too many lines. A text longer than `maxAnonymousLength` requires a caller: rejects as `GatewayContext.admit`
 * does.
 */
export function checkUnknownText(
  text: string,
  maxTokens: number,
  context: GatewayContext,
): Promise<void> | null {
  checkLines(text, maxTokens);
  return text.length > maxAnonymousLength ? context.admit() : null;
}

function invalid(message: string): GatewayError {
  return new GatewayError('GRAPHQL_VALIDATION_FAILED', { message });
}
