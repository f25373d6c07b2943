// Parsing and validation: of clients' documents by Apollo Server, and of the manifest's in advance.
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
  parse,
  type ParseOptions,
  specifiedRules,
  validate,
  type ValidationRule,
} from 'graphql';
import { checkLines, type DocumentLimits, hiddenSchemaRule, limitsRule } from '../limits/limits.ts';

export interface DocumentSettings extends DocumentLimits {
  readonly maxTokens: number;
  readonly introspection: boolean;
}

export interface DocumentRules {
  readonly maxTokens: number;
  readonly parseOptions: ParseOptions;
  /** The rules in addition to the specification's. */
  readonly validationRules: ValidationRule[];
}

export function documentRules(settings: DocumentSettings): DocumentRules {
  const { introspection, maxTokens } = settings;
  return {
    maxTokens,
    parseOptions: { maxLexicalTokens: maxTokens, maxComments: maxTokens },
    validationRules: [limitsRule(settings), ...(introspection ? [] : [hiddenSchemaRule])],
  };
}

/** Parses and validates a document; throws the first error. */
export function prepareDocument(
  text: string,
  schema: GraphQLSchema,
  { maxTokens, parseOptions, validationRules }: DocumentRules,
): DocumentNode {
  checkLines(text, maxTokens);
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
