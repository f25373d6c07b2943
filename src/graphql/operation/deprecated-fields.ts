// Finds the deprecated fields and arguments that an operation uses (docs/retiring-a-field.md).
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

/** Returns schema coordinates: `Type.field` or `Type.field(argument:)`. The document must be valid. */
export function deprecatedFields(
  schema: GraphQLSchema,
  { name }: OperationDefinitionNode,
  document: DocumentNode,
): readonly string[] {
  const text = document.loc?.source.body;
  const names = deprecatedNames(schema);
  // The visit takes a third of the time of validation, and most operation texts contain no deprecated name.
  if (text !== undefined && !names.some((one) => text.includes(one))) return [];
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
  // Visits only the operation and the fragments that it spreads.
  visit(separateOperations(document)[name?.value ?? ''] ?? document, visitor);
  return [...used];
}

const namesBySchema = new WeakMap<GraphQLSchema, readonly string[]>();

/** The names of the fields that are deprecated in some type, or have a deprecated argument. */
function deprecatedNames(schema: GraphQLSchema): readonly string[] {
  const known = namesBySchema.get(schema);
  if (known !== undefined) return known;
  const types = Object.values(schema.getTypeMap());
  const fields = types
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .flatMap((type) => Object.values(type.getFields()));
  const names = fields
    .filter((field) => isDeprecated(field) || field.args.some(isDeprecated))
    .map(({ name }) => name);
  namesBySchema.set(schema, names);
  return names;
}

function isDeprecated(definition: Pick<GraphQLArgument, 'deprecationReason'> | undefined): boolean {
  return typeof definition?.deprecationReason === 'string';
}
