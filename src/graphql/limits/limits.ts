// How complex a document may be: lines, depth, aliases, directives, response keys; counted before validation.
import { type DocumentNode, GraphQLError, type ValidationRule } from 'graphql';
import { GatewayError } from '../../errors.ts';
import { documentSizes } from './document-size.ts';
import { repeatsTooMuch } from './response-keys.ts';

/** Of one operation, with each fragment counted wherever it is spread. */
export interface DocumentLimits {
  /** Fields within one another, the root field being the first. */
  readonly maxDepth: number;
  readonly maxAliases: number;
}

/** More than any client's code generator writes; there is no setting for it. */
const maxDirectives = 50;

/** Operations and fragments of a document, each of which validation visits for itself; no client sends so many. */
const maxDefinitions = 200;

/** What the ordinary introspection query needs, so that a lower MAX_DEPTH does not forbid it. */
const introspectionDepth = 15;

/**
 * A validation rule that refuses what exceeds the limits with OPERATION_TOO_COMPLEX. Apollo Server runs it beside the
 * rules of the specification, whose work the limits are to bound: so it looks at the whole document when that is
 * entered, and of one that exceeds them it leaves the others nothing to visit.
 */
export function limitsRule(limits: DocumentLimits): ValidationRule {
  return (context) => ({
    Document(document) {
      const excess = findExcess(document, limits);
      if (excess === null) return;
      context.reportError(tooComplex(excess));
      emptyOut(document);
    },
  });
}

/** What of a document exceeds the limits, in words; null where nothing does. */
export function findExcess(document: DocumentNode, limits: DocumentLimits): string | null {
  const { maxDepth, maxAliases } = limits;
  if (document.definitions.length > maxDefinitions) {
    return `it has more than ${maxDefinitions} operations and fragments`;
  }
  for (const { depth, introspection, aliases, directives } of documentSizes(document)) {
    if (depth > maxDepth) return `it is deeper than ${maxDepth} fields`;
    if (introspection > Math.max(maxDepth, introspectionDepth))
      return 'its introspection is too deep';
    if (aliases > maxAliases) return `it has more than ${maxAliases} aliases`;
    if (directives > maxDirectives) return `it has more than ${maxDirectives} directives`;
  }
  // A field of introspection begins a depth of its own.
  return repeatsTooMuch(document, maxDepth + introspectionDepth)
    ? 'it repeats too many response keys'
    : null;
}

/**
 * Throws OPERATION_TOO_COMPLEX for a text of more than `maxLines` lines. To place an error graphql-js counts lines from the
 * start of the text: 100,000 of them take 3 ms an error.
 */
export function checkLines(text: string, maxLines: number): void {
  const lineBreaks = /[\n\r]/g;
  for (let lines = 1; lineBreaks.test(text); lines++) {
    if (lines >= maxLines) throw tooComplexError(`its text has more than ${maxLines} lines`);
  }
}

function tooComplexError(excess: string): GatewayError {
  const message = `The operation is too complex: ${excess}.`;
  return new GatewayError('OPERATION_TOO_COMPLEX', { message });
}

function tooComplex(excess: string): GraphQLError {
  const originalError = tooComplexError(excess);
  return new GraphQLError(originalError.message, { originalError });
}

/** graphql-js has no way for one rule to stop the others; a document that is refused is not used again. */
function emptyOut(document: DocumentNode): void {
  (document.definitions as unknown[]).length = 0;
}
