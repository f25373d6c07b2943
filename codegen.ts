// Generates src/graphql/generated.ts from schema/ (`npm run codegen`); `npm run check:codegen` checks that it is up to
// date.
import { readdirSync, readFileSync } from 'node:fs';
import type { CodegenConfig } from '@graphql-codegen/cli';

const shapes = '../upstream/shape/shapes.ts';
const profile = '../profile/profile.ts';
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
        // The type of `parent` in each type's resolvers. Most fields are read from the parent's property of the same
        // name.
        mappers: {
          Person: `${profile}#ProfileHolder`,
          Company: `${profile}#ProfileHolder`,
          ...shapeMappers(),
          TransactionConnection: `${statement}#Slice`,
          TransactionEdge: `${statement}#SliceEdge`,
        },
      },
    },
  },
};

export default config;

/** Maps each type of the schema to the type of the same name in shapes.ts, if there is one. */
function shapeMappers(): Record<string, string> {
  const source = readFileSync('src/upstream/shape/shapes.ts', 'utf8');
  const files = readdirSync('schema').filter((name) => name.endsWith('.graphql'));
  const sdl = files.map((name) => readFileSync(`schema/${name}`, 'utf8')).join('\n');
  const types = new Set(sdl.match(/(?<=^type )\w+/gm));
  const names = source.match(/(?<=^export (?:type|interface) )\w+/gm) ?? [];
  return Object.fromEntries(
    names
      .filter((name) => types.has(name))
      .map((name) => [name, `${shapes}#${name} as ${name}Shape`]),
  );
}
