// Generates src/graphql/generated.ts from schema/ (`npm run codegen`); `npm run check:codegen` compares them.
import type { CodegenConfig } from '@graphql-codegen/cli';

const shapes = '../upstream/shape/shapes.ts';
const statement = '../statement/statement.ts';

const config: CodegenConfig = {
  schema: ['schema/*.graphql', '!schema/{client,subgraph,subgraph-cost}.graphql'],
  importExtension: '.ts',
  generates: {
    'src/graphql/generated.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        federation: true,
        useTypeImports: true,
        enumsAsTypes: true,
        immutableTypes: true,
        contextType: './context.ts#GatewayContext',
        // A nullable field may also resolve to a GatewayError, which graphql-js reports on its path.
        maybeValue: `import('${shapes}').Checked<T>`,
        inputMaybeValue: 'T | null',
        strictScalars: true,
        scalars: {
          Date: 'string',
          DateTime: 'string',
          Decimal: 'string',
          JSONObject: 'Record<string, unknown>',
          // Added by `federation`: the type of the `fields` of @key.
          _FieldSet: 'string',
        },
        // The `parent` of each type's resolvers. Most fields are read from its property of the same name.
        mappers: {
          Person: `${shapes}#Profile`,
          Company: `${shapes}#Profile`,
          Individual: `${shapes}#Individual as IndividualShape`,
          Address: `${shapes}#Address as AddressShape`,
          Account: `${shapes}#Account as AccountShape`,
          Transaction: `${shapes}#Transaction as TransactionShape`,
          TransactionConnection: `${statement}#Slice`,
          TransactionEdge: `${statement}#SliceEdge`,
        },
      },
    },
  },
};

export default config;
