// The schema as clients know it: without the directives between subgraph and router, which most code generators reject, and
// with the fields marked that are null only together with an error.
import { type ConstDirectiveNode, Kind, type NameNode, print, visit } from 'graphql';
import { readTypeDefs } from '../src/graphql/schema.ts';

/**
 * By coordinate, the levels that are null only if an error is on their path, or on a path above or below it: 0 is the field,
 * 1 the items of its list. All other nullable fields may also be null because the service sent nothing, or because the
 * caller has no such account. test/contract/nullability.test.ts holds both halves.
 */
const nullOnlyByError: Readonly<Record<string, readonly number[]>> = {
  'Query.accounts': [1],
  'Query.transactions': [0],
  'AccountHolder.accounts': [1],
  'Person.accounts': [1],
  'Company.accounts': [1],
  'Account.transactions': [0],
  'TransactionConnection.nodes': [1],
  'TransactionConnection.totalCount': [0],
  'TransactionEdge.node': [0],
};

/** As https://specs.apollo.dev/nullability/v0.4 defines it; Relay and graphql-codegen read it by its name. */
const definition = `"""
The field is null only together with an error on its path, or on a path above or below it. A client that throws on errors, or
catches them, can treat it as non-null. Level 0 is the field itself, level 1 the items of its list.
"""
directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION`;

/** The SDL of schema/, with descriptions, less `@link` and all other directives of federation, plus `@semanticNonNull`. */
export function clientSchema(): string {
  const unread = new Set(Object.keys(nullOnlyByError));
  let type = '';
  const document = visit(readTypeDefs(), {
    SchemaExtension: () => null,
    ObjectTypeDefinition: ({ name }) => void (type = name.value),
    InterfaceTypeDefinition: ({ name }) => void (type = name.value),
    Directive: ({ name }) => (name.value === 'specifiedBy' ? undefined : null),
    FieldDefinition: {
      leave(field) {
        const coordinate = `${type}.${field.name.value}`;
        const levels = nullOnlyByError[coordinate];
        if (levels === undefined) return undefined;
        unread.delete(coordinate);
        return { ...field, directives: [semanticNonNull(levels)] };
      },
    },
  });
  if (unread.size > 0) throw new Error(`schema/ has no ${[...unread].join(', ')}`);
  return `${definition}\n\n${print(document)}\n`;
}

function semanticNonNull(levels: readonly number[]): ConstDirectiveNode {
  const name = (value: string): NameNode => ({ kind: Kind.NAME, value });
  const values = levels.map((level) => ({ kind: Kind.INT, value: `${level}` }) as const);
  const value = { kind: Kind.LIST, values } as const;
  const isDefault = levels.join() === '0';
  const args = isDefault ? [] : [{ kind: Kind.ARGUMENT, name: name('levels'), value } as const];
  return { kind: Kind.DIRECTIVE, name: name('semanticNonNull'), arguments: args };
}
