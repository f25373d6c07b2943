// The schema as the documentation shows it: without the parts that only federation routers use.
import type {
  IntrospectionObjectType,
  IntrospectionQuery,
  IntrospectionSchema,
  IntrospectionType,
} from 'graphql';

/** Names of types, fields and directives for routers; GraphQL's own begin with two underscores. */
const forRouters = /^(?:_(?!_)|link__|federation__|(?:key|link|shareable)$)/;

/** Returns the answer to an introspection query without parts for routers; any other answer unchanged. */
export function withoutFederation<Answer>(answer: Answer): Answer {
  const { data } = answer as { readonly data?: IntrospectionQuery | null };
  return data?.__schema === undefined
    ? answer
    : { ...answer, data: { __schema: clientPartOf(data.__schema) } };
}

function clientPartOf(schema: IntrospectionSchema): IntrospectionSchema {
  return {
    ...schema,
    directives: schema.directives.filter(isForClients),
    types: schema.types
      .filter(isForClients)
      .map((type) => (type.name === schema.queryType.name ? withClientFields(type) : type)),
  };
}

function withClientFields(type: IntrospectionType): IntrospectionType {
  const query = type as IntrospectionObjectType;
  return { ...query, fields: query.fields.filter(isForClients) };
}

function isForClients({ name }: { readonly name: string }): boolean {
  return !forRouters.test(name);
}
