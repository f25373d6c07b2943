// The schema with some deprecated fields and arguments. The tests need these, because the real schema may have none.
import { type GraphQLSchema, isObjectType } from 'graphql';
import { createSchema } from '../../src/graphql/schema.ts';

/**
 * Returns the schema with these fields (`Type.field`) and arguments (`Type.field(argument:)`) deprecated; throws if one
 * does not exist.
 */
export function deprecating(...coordinates: readonly string[]): GraphQLSchema {
  const schema = createSchema();
  for (const coordinate of coordinates) {
    const [, typeName = '', fieldName = '', argument] =
      /^(\w+)\.(\w+)(?:\((\w+):\))?$/.exec(coordinate) ?? [];
    const type = schema.getType(typeName);
    const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
    const deprecated =
      argument === undefined ? field : field?.args.find(({ name }) => name === argument);
    if (deprecated === undefined) throw new Error(`schema/ has no ${coordinate}`);
    deprecated.deprecationReason = 'Removed after 2027-06-30.';
  }
  return schema;
}
