// Rejects introspection, and the SDL query of federation routers (docs/settings.md, INTROSPECTION).
import { GraphQLError, type ValidationRule } from 'graphql';

const schemaFields: ReadonlySet<string> = new Set(['__schema', '__type', '_service']);

/** A validation rule that rejects the fields that show the schema. Apollo Server's rule does not include `_service`. */
export const hiddenSchemaRule: ValidationRule = (context) => ({
  Field(node) {
    if (!schemaFields.has(node.name.value)) return;
    context.reportError(new GraphQLError('The schema is not shown here.', { nodes: [node] }));
  },
});
