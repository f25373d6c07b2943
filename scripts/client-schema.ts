// The schema for clients: without the directives between subgraph and router, which most code generators reject, and with
// a mark on fields that are null only together with an error.
import { print, visit } from 'graphql';
import { readTypeDefs } from '../src/graphql/schema.ts';
import { type Annotations, annotate } from './annotate.ts';

/**
 * Null only if an error is on the path, or on a path above or below it; level 1 is the items of the list. All other
 * nullable fields may also be null because the service sent nothing, or because the caller has no such account.
 * test/contract/nullability.test.ts checks both statements.
 */
const nullOnlyByError: Annotations = {
  'Query.accounts': '@semanticNonNull(levels: [1])',
  'Query.transactions': '@semanticNonNull',
  'AccountHolder.accounts': '@semanticNonNull(levels: [1])',
  'Person.accounts': '@semanticNonNull(levels: [1])',
  'Company.accounts': '@semanticNonNull(levels: [1])',
  'Account.transactions': '@semanticNonNull',
  'TransactionConnection.nodes': '@semanticNonNull(levels: [1])',
  'TransactionConnection.totalCount': '@semanticNonNull',
  'TransactionEdge.node': '@semanticNonNull',
};

/** As defined by https://specs.apollo.dev/nullability/v0.4; Relay and graphql-codegen recognise it by its name. */
const definition = `"""
The field is null only together with an error on its path, or on a path above or below it. A client that throws on errors, or
catches them, can treat it as non-null. Level 0 is the field itself, level 1 the items of its list.
"""
directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION`;

/**
 * The SDL of schema/, with descriptions, without `@link` and all other directives of federation, plus `@semanticNonNull`.
 */
export function clientSchema(): string {
  const plain = visit(readTypeDefs(), {
    SchemaExtension: () => null,
    Directive: ({ name }) => (name.value === 'specifiedBy' ? undefined : null),
  });
  return `${definition}\n\n${print(annotate(plain, nullOnlyByError))}\n`;
}
