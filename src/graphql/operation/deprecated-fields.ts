// The deprecated fields and arguments that an operation uses (docs/retiring-a-field.md).
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** The coordinates that an operation of a valid document uses, each once: `Type.field` or `Type.field(argument:)`. */
export type FindDeprecated = (
  operation: OperationDefinitionNode,
  document: DocumentNode,
) => readonly string[];

/** Null if the schema has nothing deprecated. */
export function createFindDeprecated(schema: GraphQLSchema): FindDeprecated | null {
  const isAnyDeprecated = Object.values(schema.getTypeMap())
    .flatMap(fieldsOf)
    .some((field) => [field, ...field.args].some(isDeprecated));
  if (!isAnyDeprecated) return null;
  return (operation, document) => {
    const used = new Set<string>();
    const info = new TypeInfo(schema);
    const Field = (node: FieldNode) => {
      for (const type of concrete(info.getParentType(), schema)) {
        for (const coordinate of deprecatedOf(type, node)) used.add(coordinate);
      }
    };
    const visitor = visitWithTypeInfo(info, { Field });
    const fragments = spreadBy(operation, document);
    for (const definition of document.definitions) {
      const isUsed = definition === operation || fragments.has(definition);
      if (isUsed) visit(definition, visitor);
    }
    return [...used];
  };
}

function fieldsOf(type: GraphQLNamedType): GraphQLField<unknown, unknown>[] {
  const hasFields = isObjectType(type) || isInterfaceType(type);
  return hasFields && !type.name.startsWith('__') ? Object.values(type.getFields()) : [];
}

function isDeprecated({
  deprecationReason,
}: Pick<GraphQLField<unknown, unknown>, 'deprecationReason'>) {
  return deprecationReason !== undefined && deprecationReason !== null;
}

/** A type and, if it is an interface, the types that implement it. */
function concrete(
  type: GraphQLNamedType | null | undefined,
  schema: GraphQLSchema,
): readonly GraphQLNamedType[] {
  if (!type) return [];
  return isAbstractType(type) ? [type, ...schema.getPossibleTypes(type)] : [type];
}

function deprecatedOf(
  type: GraphQLNamedType,
  { name, arguments: given = [] }: FieldNode,
): string[] {
  const field = fieldsOf(type).find((one) => one.name === name.value);
  if (field === undefined) return [];
  const coordinate = `${type.name}.${field.name}`;
  const names = new Set(given.map((argument) => argument.name.value));
  const args = field.args.filter((arg) => names.has(arg.name) && isDeprecated(arg));
  return [
    ...(isDeprecated(field) ? [coordinate] : []),
    ...args.map((arg) => `${coordinate}(${arg.name}:)`),
  ];
}

/** The fragments that an operation spreads, directly or through others. */
function spreadBy(
  operation: OperationDefinitionNode,
  document: DocumentNode,
): ReadonlySet<unknown> {
  const fragments = new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  const spread = new Set<unknown>();
  const look = (node: OperationDefinitionNode | FragmentDefinitionNode) => {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        if (fragment === undefined || spread.has(fragment)) return;
        spread.add(fragment);
        look(fragment);
      },
    });
  };
  look(operation);
  return spread;
}
