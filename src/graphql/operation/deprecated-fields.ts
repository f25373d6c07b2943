// The deprecated fields and arguments that an operation uses (docs/retiring-a-field.md).
import {
  type DocumentNode,
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

/** The coordinates that an operation of a valid document uses, each once: `Type.field` or `Type.field(argument:)`. */
export type FindDeprecated = (
  operation: OperationDefinitionNode,
  document: DocumentNode,
) => readonly string[];

/** Null if the schema has nothing deprecated. */
export function createFindDeprecated(schema: GraphQLSchema): FindDeprecated | null {
  const deprecated = deprecatedIn(schema);
  if (deprecated.size === 0) return null;
  return ({ name }, document) => {
    // The operation with the fragments that it spreads.
    const own = separateOperations(document)[name?.value ?? ''] ?? document;
    const used = new Set<string>();
    const info = new TypeInfo(schema);
    const visitor = visitWithTypeInfo(info, {
      Field(node) {
        const parent = info.getParentType();
        if (!parent) return;
        const possible = isAbstractType(parent) ? schema.getPossibleTypes(parent) : [];
        for (const type of [parent, ...possible]) {
          const field = `${type.name}.${node.name.value}`;
          if (deprecated.has(field)) used.add(field);
          for (const argument of node.arguments ?? []) {
            const coordinate = `${field}(${argument.name.value}:)`;
            if (deprecated.has(coordinate)) used.add(coordinate);
          }
        }
      },
    });
    visit(own, visitor);
    return [...used];
  };
}

function deprecatedIn(schema: GraphQLSchema): ReadonlySet<string> {
  const coordinates = new Set<string>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const coordinate = `${type.name}.${field.name}`;
      if (typeof field.deprecationReason === 'string') coordinates.add(coordinate);
      for (const { name, deprecationReason } of field.args) {
        if (typeof deprecationReason === 'string') coordinates.add(`${coordinate}(${name}:)`);
      }
    }
  }
  return coordinates;
}
