// Rules for parsing and validation, applied by Apollo Server to clients' documents, and here to the manifest's.
import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  OperationTypeNode,
  parse,
  type ParseOptions,
  specifiedRules,
  validate,
} from 'graphql';
import { checkLines, type DocumentLimits, hiddenSchemaRule, limitsRule } from '../limits/limits.ts';

export interface DocumentSettings extends DocumentLimits {
  readonly maxTokens: number;
  readonly introspection: boolean;
}

/** Returns the parse options, and the validation rules that are added to those of the specification. */
export function documentRules(settings: DocumentSettings) {
  const { introspection, maxTokens } = settings;
  const parseOptions: ParseOptions = { maxLexicalTokens: maxTokens, maxComments: maxTokens };
  const validationRules = [limitsRule(settings), ...(introspection ? [] : [hiddenSchemaRule])];
  return { parseOptions, validationRules };
}

/** Parses and validates an operation text of the manifest. Throws the first error. */
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
