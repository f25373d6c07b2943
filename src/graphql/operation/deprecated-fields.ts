// Finds the deprecated fields and arguments that an operation uses (docs/retiring-a-field.md).
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

/** Returns schema coordinates: `Type.field` or `Type.field(argument:)`. The document must be valid. */
export function deprecatedFields(
  schema: GraphQLSchema,
  { name }: OperationDefinitionNode,
  document: DocumentNode,
): readonly string[] {
  const text = document.loc?.source.body;
  const deprecated = deprecatedIn(schema);
  // The visit takes time, and most operation texts contain no deprecated name.
  if (text !== undefined && !deprecated.values().some((field) => text.includes(field))) return [];
  const used = new Set<string>();
  const info = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(info, {
    Field({ name: { value }, arguments: args = [] }) {
      const parent = info.getParentType();
      const possible = isAbstractType(parent) ? schema.getPossibleTypes(parent) : [];
      for (const type of [parent, ...possible]) {
        const field = `${String(type)}.${value}`;
        const coordinates = [field, ...args.map((one) => `${field}(${one.name.value}:)`)];
        for (const one of coordinates) if (deprecated.has(one)) used.add(one);
      }
    },
  });
  // Visits only the operation and the fragments that it spreads.
  visit(separateOperations(document)[name?.value ?? ''] ?? document, visitor);
  return [...used];
}

/** The schema coordinates of all deprecated fields and arguments. */
export function deprecatedCoordinates(schema: GraphQLSchema): readonly string[] {
  return [...deprecatedIn(schema).keys()];
}

const knownSchemas = new WeakMap<GraphQLSchema, ReadonlyMap<string, string>>();

/** The coordinates of deprecated fields and arguments, each with the name of its field. */
function deprecatedIn(schema: GraphQLSchema): ReadonlyMap<string, string> {
  const known = knownSchemas.get(schema);
  if (known !== undefined) return known;
  const found = new Map<string, string>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const { name, args, deprecationReason } of Object.values(type.getFields())) {
      const field = `${type.name}.${name}`;
      if (typeof deprecationReason === 'string') found.set(field, name);
      for (const one of args) {
        if (typeof one.deprecationReason === 'string') found.set(`${field}(${one.name}:)`, name);
      }
    }
  }
  knownSchemas.set(schema, found);
  return found;
}
