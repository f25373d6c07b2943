// Lint rules for the code and the schema, and the table of who may import whom.
import { existsSync } from 'node:fs';
import js from '@eslint/js';
import graphqlPlugin from '@graphql-eslint/eslint-plugin';
import tseslint from 'typescript-eslint';

/**
 * Folder or root file of `src`, or `doctor` -> what it may import of the others. `types:` before a name allows types only.
 * src/README.md has the same table; test/conformance/import-table.test.ts compares them.
 */
export const mayImport = {
  cli: ['main', 'settings', 'describe-cursor', 'doctor'],
  'describe-cursor': ['statement', 'errors'],
  main: ['gateway', 'settings', 'telemetry', 'sandbox', 'v8-flags'],
  'v8-flags': [],
  http: [
    'graphql',
    'errors',
    'received-body',
    'telemetry',
    'turn-queue',
    'types:byte-budget',
    'types:identity',
  ],
  graphql: [
    'profile',
    'statement',
    'errors',
    'shared-store',
    'settings',
    'json',
    'telemetry',
    'types:identity',
    'types:upstream',
  ],
  profile: ['upstream', 'errors', 'types:identity'],
  statement: ['upstream', 'errors', 'json'],
  upstream: ['errors', 'json', 'received-body', 'settings', 'turn-queue', 'types:byte-budget'],
  json: [],
  identity: ['errors', 'json', 'shared-store', 'types:settings', 'types:upstream'],
  errors: [],
  'byte-budget': [],
  'received-body': [],
  'turn-queue': [],
  settings: [],
  'shared-store': [],
  telemetry: ['upstream', 'errors', 'types:settings', 'types:statement'],
  doctor: ['gateway', 'settings', 'identity', 'upstream', 'telemetry', 'errors'],
  sandbox: [],
};

const everything = [...Object.keys(mayImport), 'gateway'];

/** Whether a name of the table is that of a file directly below src. */
const isFile = (name) => existsSync(`${import.meta.dirname}/src/${name}.ts`);

/** Patterns that reach `name` from the root of `src`, from its folders, or from `doctor`, which is beside `src`. */
function importPatterns(name, from) {
  const target = isFile(name) ? `${name}.ts` : `${name}/**`;
  const prefixes =
    from === 'doctor' ? ['../src/', '../../src/'] : ['./', '../', '../../', '../../../'];
  return prefixes.map((prefix) => prefix + target);
}

function importRules([name, allowed]) {
  const forbidden = everything.filter((other) => other !== name && !allowed.includes(other));
  const patterns = forbidden.map((other) => ({
    group: importPatterns(other, name),
    allowTypeImports: allowed.includes(`types:${other}`),
    message: `${name} may not import ${other}: see src/README.md.`,
  }));
  const folder = name === 'doctor' ? name : `src/${name}`;
  const files = isFile(name) ? [`${folder}.ts`] : [`${folder}/**/*.ts`];
  return { files, rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] } };
}

/**
 * The SDL, with its directives declared here instead of linked: graphql-eslint 4 hands a linked schema to
 * `buildSubgraphSchema` in a form that @apollo/subgraph 2.15 no longer accepts. To be removed when graphql-eslint supports it.
 */
const lintedSchema = [
  'schema/*.graphql',
  '!schema/federation.graphql',
  '!schema/{client,subgraph,subgraph-cost}.graphql',
  'directive @key(fields: String!, resolvable: Boolean) on OBJECT directive @shareable on OBJECT',
  'directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION',
  'directive @cost(weight: Int!) on OBJECT | FIELD_DEFINITION | ARGUMENT_DEFINITION',
  'directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean) on FIELD_DEFINITION',
];

/** Separate packages, whose dependencies check:explorer, check:web, check:federation and check:session install; types need these. */
const packages = ['explorer', 'examples/web', 'deploy/federation', 'deploy/session'];
const notInstalled = packages.filter(
  (folder) => !existsSync(`${import.meta.dirname}/${folder}/node_modules`),
);

export default tseslint.config(
  {
    ignores: [
      '**/node_modules',
      '**/dist',
      '.cache',
      'src/graphql/generated.ts',
      'explorer/built',
      'examples/web/src/generated',
      ...notInstalled,
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.js'],
    extends: [js.configs.recommended],
    languageOptions: {
      globals: Object.fromEntries(
        ['process', 'console', 'Buffer', 'fetch', 'Response', 'URL'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/settings/settings.ts reads it.' },
      ],
    },
  },
  {
    files: [
      'src/settings/settings.ts',
      'doctor/doctor.ts',
      'test/**',
      'bench/**',
      'deploy/**',
      'scripts/**',
      'examples/**',
      '*.ts',
    ],
    rules: { 'no-restricted-properties': 'off' },
  },
  ...Object.entries(mayImport).map(importRules),
  {
    files: ['schema/*.graphql'],
    ignores: ['schema/{client,subgraph,subgraph-cost}.graphql'],
    languageOptions: {
      parser: graphqlPlugin.parser,
      parserOptions: { graphQLConfig: { schema: lintedSchema } },
    },
    plugins: { '@graphql-eslint': graphqlPlugin },
    rules: {
      '@graphql-eslint/require-description': [
        'error',
        {
          types: true,
          FieldDefinition: true,
          InputValueDefinition: true,
          EnumValueDefinition: true,
          rootField: true,
        },
      ],
      '@graphql-eslint/naming-convention': [
        'error',
        {
          types: 'PascalCase',
          FieldDefinition: 'camelCase',
          InputValueDefinition: 'camelCase',
          Argument: 'camelCase',
          DirectiveDefinition: 'camelCase',
          EnumValueDefinition: 'UPPER_CASE',
        },
      ],
      '@graphql-eslint/no-hashtag-description': 'error',
      '@graphql-eslint/unique-type-names': 'error',
    },
  },
);
