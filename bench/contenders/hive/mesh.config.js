// Creates Hive Gateway's supergraph from the service's OpenAPI document, and adds the statement to accounts.
import { defineConfig } from '@graphql-mesh/compose-cli';
import { loadOpenAPISubgraph } from '@omnigraph/openapi';

export const composeConfig = defineConfig({
  subgraphs: [
    {
      sourceHandler: loadOpenAPISubgraph('service', {
        source: './openapi.json',
        endpoint: process.env.UPSTREAM_URL,
        operationHeaders: {
          authorization: '{context.headers["authorization"]}',
          'x-tenant-id': '{context.headers["x-tenant-id"]}',
        },
      }),
    },
  ],
  additionalTypeDefs: /* GraphQL */ `
    extend type Account {
      statement: Statement
        @resolveTo(
          sourceName: "service"
          sourceTypeName: "Query"
          sourceFieldName: "statement"
          requiredSelectionSet: "{ id }"
          sourceArgs: { accountId: "{root.id}", page: "0" }
        )
    }
  `,
});
