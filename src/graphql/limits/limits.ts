// The rules for parsing and validating documents, and their limits on size, repetition and introspection.
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { GatewayError } from '../../errors.ts';
import { documentSizes } from './document-size.ts';
import { repeatsTooMuch } from './response-keys.ts';

export interface DocumentSettings {
  /** The largest number of field levels from the root on; see `Size` for introspection. */
  readonly maxDepth: number;
  readonly maxAliases: number;
  readonly maxTokens: number;
  readonly introspection: boolean;
}

/** Returns the parse options, and the validation rules that are added to those of the specification. */
export function documentRules(settings: DocumentSettings) {
  const { introspection, maxTokens } = settings;
  const validationRules = [limitsRule(settings), ...(introspection ? [] : [hiddenSchemaRule])];
  return { parseOptions: { maxLexicalTokens: maxTokens }, validationRules };
}

/** Parses and validates an operation text of the manifest as Apollo Server does. Throws the first error. */
export function prepareDocument(
  text: string,
  schema: GraphQLSchema,
  settings: DocumentSettings,
): DocumentNode {
  const { parseOptions, validationRules } = documentRules(settings);
  checkLines(text, settings.maxTokens);
  const document = parse(text, parseOptions);
  const [error] = validate(schema, document, [...specifiedRules, ...validationRules]);
  if (error !== undefined) throw error;
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    if (definition.operation === OperationTypeNode.QUERY) continue;
    throw new Error(`There is no ${definition.operation} here, only queries.`);
  }
  return document;
}

type DocumentLimits = Pick<DocumentSettings, 'maxDepth' | 'maxAliases'>;

/** More than the code generators of clients usually emit. */
const maxDirectives = 50;

/** The largest number of operations and fragments, and of variables; validation visits each of them separately. */
const maxDefinitions = 200;

/** Lower than `maxDefinitions`: validating 200 operations that select a statement takes 20 ms. */
const maxOperations = 30;

/** The depth of graphql-js's introspection query, which is allowed even if MAX_DEPTH is lower. */
const introspectionDepth = 15;

/** Rejects documents that exceed a limit. The rule empties a rejected document, because it cannot stop other rules. */
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

/** graphql-js visits each definition again to find variables; here, definitions without a `$` are skipped. */
function searchVariablesIfAny(context: ValidationContext): void {
  const usagesIn = context.getVariableUsages.bind(context);
  context.getVariableUsages = (definition) => {
    const { start, end, source } = definition.loc ?? {};
    const mayHaveSome = source?.body.slice(start, end).includes('$') ?? true;
    return mayHaveSome ? usagesIn(definition) : [];
  };
}

const schemaFields: ReadonlySet<string> = new Set(['__schema', '__type', '_service']);

/** Rejects introspection and also `_service`, which Apollo Server's own rule allows. */
const hiddenSchemaRule: ValidationRule = (context) => ({
  Field(node) {
    if (!schemaFields.has(node.name.value)) return;
    context.reportError(new GraphQLError('The schema is not shown here.', { nodes: [node] }));
  },
});

/** The first limit that the document exceeds, in words; null if it exceeds none. */
export function findExcess(document: DocumentNode, limits: DocumentLimits): string | null {
  const { maxDepth, maxAliases } = limits;
  if (document.definitions.length > maxDefinitions) {
    return `it has more than ${maxDefinitions} operations and fragments`;
  }
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (operations.length > maxOperations) return `it has more than ${maxOperations} operations`;
  const variables = operations.flatMap((one) => one.variableDefinitions ?? []);
  if (variables.length > maxDefinitions) return `it has more than ${maxDefinitions} variables`;
  for (const { depth, introspection, aliases, directives } of documentSizes(document)) {
    if (depth > maxDepth) return `it is deeper than ${maxDepth} fields`;
    if (introspection > Math.max(maxDepth, introspectionDepth))
      return 'its introspection is too deep';
    if (aliases > maxAliases) return `it has more than ${maxAliases} aliases`;
    if (directives > maxDirectives) return `it has more than ${maxDirectives} directives`;
  }
  // Introspection has a depth limit of its own; no field of a valid document is deeper than this sum.
  return repeatsTooMuch(document, maxDepth + introspectionDepth)
    ? 'it repeats too many response keys'
    : null;
}

/** Throws if the text has too many lines, and comments: graphql-js takes 3 ms to locate an error after 100,000. */
export function checkLines(text: string, maxLines: number): void {
  const lineBreaks = /\r\n|[\n\r]/g;
  for (let lines = 1; lineBreaks.test(text); lines++) {
    if (lines >= maxLines) throw tooComplex(`its text has more than ${maxLines} lines`);
  }
}

export function tooComplex(excess: string): GatewayError {
  const message = `The operation is too complex: ${excess}.`;
  return new GatewayError('OPERATION_TOO_COMPLEX', { message });
}
