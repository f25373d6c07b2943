// Generates the types of the app's documents, and the list of possible types of its unions and interfaces: `npm run
// codegen`.
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: '../../schema/client.graphql',
  documents: 'src/documents.ts',
  generates: {
    'src/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        enumsAsTypes: true,
        strictScalars: true,
        // All scalars are text, so that a decimal never becomes a number.
        scalars: {
          Date: 'string',
          DateTime: 'string',
          Decimal: 'string',
          JSONObject: 'Record<string, unknown>',
        },
      },
    },
    'src/generated/possible-types.ts': {
      plugins: ['fragment-matcher'],
      config: { useExplicitTyping: true },
    },
  },
};

export default config;
