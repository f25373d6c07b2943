// The checks before execution: kind of operation, router fields, caller and size.
import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import { GatewayError } from '../../errors.ts';
import type { GatewayContext } from '../context.ts';
import { checkLines, tooComplex } from '../limits/limits.ts';
import { checkVariables } from '../limits/variable-values.ts';
import type { KnownOperation } from './operation.ts';
import type { Variables } from './operation-request.ts';

/** Returns null if no wait is needed. Throws or rejects with a GatewayError if the operation is not admitted. */
export type Admit = (
  operation: KnownOperation | null,
  variables: Variables | null,
  context: GatewayContext,
) => Promise<void> | null;

/** Per reference: enough for an account without `transactions` and `investmentAccount`, which count as 100 each. */
const fieldsForEach = 10;

/** A MAX_REPRESENTATIONS below this does not lower the limit on fields. */
const minReferences = 1000;

/** Creates the admission that the fast path and Apollo Server share. */
export function createAdmission(schema: GraphQLSchema, maxRepresentations: number): Admit {
  function admitSize(
    operation: KnownOperation,
    variables: Variables | null,
    { request }: GatewayContext,
  ): void {
    const { count, fields } = operation.representations(variables);
    if (count > maxRepresentations) {
      throw tooComplex(`it has more than ${maxRepresentations} representations`);
    }
    const maxFields = fieldsForEach * Math.max(maxRepresentations, minReferences);
    if (fields > maxFields) {
      throw tooComplex(`it selects more than ${maxFields} fields of representations`);
    }
    checkVariables(operation.node, variables);
    request.register?.();
    request.record.uses(operation.deprecated(schema));
  }

  return (operation, variables, context) => {
    if (operation === null) throw invalid('The request must name an operation of its document.');
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

/** In characters: about the length of two introspection queries of graphql-js. */
const maxAnonymousLength = 4096;

/** Whether a text is parsed, and a long answer to it sent, only for an admitted caller. */
export function isLong(text: string): boolean {
  return text.length > maxAnonymousLength;
}

/** Checks a text before it is parsed: a long one needs an admitted caller. Returns null if no wait is needed. */
export function checkUnknownText(
  text: string,
  maxTokens: number,
  context: GatewayContext,
): Promise<void> | null {
  checkLines(text, maxTokens);
  return isLong(text) ? context.admit() : null;
}

function invalid(message: string): GatewayError {
  return new GatewayError('GRAPHQL_VALIDATION_FAILED', { message });
}
