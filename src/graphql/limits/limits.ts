// Limits for documents: lines, operations, depth, aliases, directives, response keys, introspection.
import {
  type DocumentNode,
  GraphQLError,
  Kind,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { GatewayError } from '../../errors.ts';
import { documentSizes } from './document-size.ts';
import { repeatsTooMuch } from './response-keys.ts';

/** Limits for one operation. A fragment counts at each place where it is spread. */
export interface DocumentLimits {
  /** Number of nested fields, from the root field. */
  readonly maxDepth: number;
  readonly maxAliases: number;
}

/** The largest number of directives: more than any client's code generator emits. */
const maxDirectives = 50;

/** The largest number of operations and fragments in a document, because validation visits each separately. */
const maxDefinitions = 200;

/** The largest number of operations in a document: validating 200 that each select a statement takes 20 ms. */
const maxOperations = 30;

/** The depth of the ordinary introspection query, which is allowed even if MAX_DEPTH is lower. */
const introspectionDepth = 15;

/**
 * A validation rule that rejects a document beyond the limits with OPERATION_TOO_COMPLEX. It checks the document before
 * other rules visit its parts. It then empties a rejected document, because a rule cannot stop the other rules.
 */
export function limitsRule(limits: DocumentLimits): ValidationRule {
  return (context) => {
    searchVariablesIfAny(context);
    return {
      Document(document) {
        const excess = findExcess(document, limits);
        if (excess === null) return;
        const originalError = tooComplex(excess);
        context.reportError(new GraphQLError(originalError.message, { originalError }));
        (document.definitions as unknown[]).length = 0;
      },
    };
  };
}

/** graphql-js visits each definition again for its rules about variables. This skips definitions without a `$`. */
function searchVariablesIfAny(context: ValidationContext): void {
  const usagesIn = context.getVariableUsages.bind(context);
  context.getVariableUsages = (definition) => {
    const { start, end, source } = definition.loc ?? {};
    const mayHaveSome = source?.body.slice(start, end).includes('$') ?? true;
    return mayHaveSome ? usagesIn(definition) : [];
  };
}

const schemaFields: ReadonlySet<string> = new Set(['__schema', '__type', '_service']);

/** Rejects the fields that reveal the schema, including `_service`, which Apollo Server's own rule allows. */
export const hiddenSchemaRule: ValidationRule = (context) => ({
  Field(node) {
    if (!schemaFields.has(node.name.value)) return;
    context.reportError(new GraphQLError('The schema is not shown here.', { nodes: [node] }));
  },
});

/** A description of the limit that a document exceeds; null if it exceeds none. */
export function findExcess(document: DocumentNode, limits: DocumentLimits): string | null {
  const { maxDepth, maxAliases } = limits;
  if (document.definitions.length > maxDefinitions) {
    return `it has more than ${maxDefinitions} operations and fragments`;
  }
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operations.length > maxOperations) return `it has more than ${maxOperations} operations`;
  for (const { depth, introspection, aliases, directives } of documentSizes(document)) {
    if (depth > maxDepth) return `it is deeper than ${maxDepth} fields`;
    if (introspection > Math.max(maxDepth, introspectionDepth))
      return 'its introspection is too deep';
    if (aliases > maxAliases) return `it has more than ${maxAliases} aliases`;
    if (directives > maxDirectives) return `it has more than ${maxDirectives} directives`;
  }
  // Introspection has a depth limit of its own, so the sum of both limits bounds the depth.
  return repeatsTooMuch(document, maxDepth + introspectionDepth)
    ? 'it repeats too many response keys'
    : null;
}

/** Throws OPERATION_TOO_COMPLEX for too many lines: graphql-js takes 3 ms to locate an error after 100,000 lines. */
export function checkLines(text: string, maxLines: number): void {
  const lineBreaks = /[\n\r]/g;
  for (let lines = 1; lineBreaks.test(text); lines++) {
    if (lines >= maxLines) throw tooComplex(`its text has more than ${maxLines} lines`);
  }
}

/** An OPERATION_TOO_COMPLEX error; `excess` describes the exceeded limit. */
export function tooComplex(excess: string): GatewayError {
  const message = `The operation is too complex: ${excess}.`;
  return new GatewayError('OPERATION_TOO_COMPLEX', { message });
}
