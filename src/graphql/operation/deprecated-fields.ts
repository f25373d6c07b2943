// The deprecated fields and arguments that an operation uses (docs/retiring-a-field.md).
import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLSchema,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  type OperationDefinitionNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/**
 * Their coordinates, each once: `Type.field` or `Type.field(argument:)`. The document must be valid; a field of an
 * abstract type counts for each of its types that has it deprecated.
 */
export function deprecatedFields(
  schema: GraphQLSchema,
  { name }: OperationDefinitionNode,
  document: DocumentNode,
): readonly string[] {
  const used = new Set<string>();
  const info = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(info, {
    Field(node) {
      const parent = info.getParentType();
      const possible = isAbstractType(parent) ? schema.getPossibleTypes(parent) : [];
      for (const type of [parent, ...possible]) {
        if (!isObjectType(type) && !isInterfaceType(type)) continue;
        const field = type.getFields()[node.name.value];
        const coordinate = `${type.name}.${node.name.value}`;
        if (isDeprecated(field)) used.add(coordinate);
        for (const { name: argument } of node.arguments ?? []) {
          const definition = field?.args.find((one) => one.name === argument.value);
          if (isDeprecated(definition)) used.add(`${coordinate}(${argument.value}:)`);
        }
      }
    },
  });
  // The operation with the fragments that it spreads.
  visit(separateOperations(document)[name?.value ?? ''] ?? document, visitor);
  return [...used];
}

function isDeprecated(definition: Pick<GraphQLArgument, 'deprecationReason'> | undefined): boolean {
  return typeof definition?.deprecationReason === 'string';
}
