// Hides the schema: introspection, and the SDL that subgraphs tell their router (docs/settings.md, INTROSPECTION).
import { GraphQLError, type ValidationRule } from 'graphql';

const schemaFields: ReadonlySet<string> = new Set(['__schema', '__type', '_service']);

/** A validation rule that refuses every field that tells the schema. Apollo Server's own does not know `_service`. */
export const hiddenSchemaRule: ValidationRule = (context) => ({
  Field(node) {
    if (!schemaFields.has(node.name.value)) return;
    context.reportError(new GraphQLError('The schema is not shown here.', { nodes: [node] }));
  },
});
