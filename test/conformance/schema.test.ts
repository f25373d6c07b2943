// schema/ equals the contract below, and describes every type, field, argument and enum value. The built schema and the
// served SDL match schema/.
import { buildSubgraphSchema, printSubgraphSchema } from '@apollo/subgraph';
import {
  type ASTNode,
  buildSchema,
  type DocumentNode,
  getNullableType,
  graphql,
  type GraphQLField,
  introspectionFromSchema,
  isListType,
  isObjectType,
  isTypeDefinitionNode,
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  visit,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { countedLists, resolvers } from '../../src/graphql/resolvers/index.ts';
import { createSchema, readSchemaFiles, readTypeDefs } from '../../src/graphql/schema.ts';

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@shareable"])';

const holderFields = `
  id: ID!
  name: String document: String
  email: String emailConfirmation: Boolean
  phone: String phoneConfirmation: Boolean
  status: String onboardingStep: String hasPin: Boolean
  accounts: [Account] @semanticNonNull(levels: [1])
`;

/** The expected schema, including the URLs of @specifiedBy and the imports of @link. */
const contract = `
  ${link}

  type Query {
    me: Me
    accounts: [Account] @semanticNonNull(levels: [1])
    account(id: ID!): Account
    transactions(accountId: ID!, from: Date, to: Date,
                 first: Int, after: String, last: Int, before: String): TransactionConnection @semanticNonNull
  }

  union Me = Person | Company

  interface AccountHolder { ${holderFields} }
  type Person implements AccountHolder @key(fields: "id") {
    ${holderFields} individual: Individual address: Address
  }
  type Company implements AccountHolder @key(fields: "id") { ${holderFields} }

  type Individual {
    id: ID! birthDate: Date motherName: String fatherName: String income: Decimal nationality: String
    publiclyExposedPerson: Boolean documentType: String documentNumber: String documentUf: String
    documentIssuing: String documentDateIssue: DateTime documentExpiration: DateTime
  }
  type Address {
    id: ID! zipCode: String state: String city: String neighborhood: String street: String
    number: String complement: String
  }

  type Account @key(fields: "id") {
    id: ID! bank: String agency: String number: String balance: Decimal status: String
    isEscrow: Boolean investmentAccount: JSONObject
    transactions(from: Date, to: Date,
                 first: Int, after: String, last: Int, before: String): TransactionConnection @semanticNonNull
  }

  type Transaction @key(fields: "id", resolvable: false) {
    id: ID! amount: Decimal credit: Boolean signedAmount: Decimal
    status: TransactionStatus externalStatus: String category: String beneficiaryName: String
    type: String createdAt: DateTime
  }
  enum TransactionStatus { PROCESSING DONE CANCELED ERROR }

  type TransactionConnection {
    edges: [TransactionEdge!]! nodes: [Transaction]! @semanticNonNull(levels: [1])
    pageInfo: PageInfo! totalCount: Int @semanticNonNull
  }
  type TransactionEdge { cursor: String! node: Transaction @semanticNonNull }
  type PageInfo @shareable {
    hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String
  }

  scalar Date @specifiedBy(url: "https://scalars.graphql.org/andimarek/local-date.html")
  scalar DateTime @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc3339#section-5.6")
  scalar Decimal @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc8259#section-6")
  scalar JSONObject @specifiedBy(url: "https://www.rfc-editor.org/rfc/rfc8259#section-4")
`;

describe('schema/', () => {
  const typeDefs = readTypeDefs();

  test('has the types, fields, arguments, nullability and directives of the contract', () => {
    const expected = visit(parse(contract), {
      Directive: ({ name }) => (name.value === 'semanticNonNull' ? null : undefined),
    });
    expect(canonical(withoutDescriptions(typeDefs))).toBe(canonical(expected));
  });

  test('marks exactly the fields that the contract marks as semantically non-null', () => {
    expect(marksIn(readSchemaFiles())).toEqual(marksIn(parse(contract)));
  });

  test('links Federation 2.5, and imports only the directives that it uses', () => {
    const rest = typeDefs.definitions.filter((node) => !isTypeDefinitionNode(node));
    expect(rest.map(print).filter((text) => !text.startsWith('"""'))).toEqual([link]);
    expect(directivesOf(typeDefs)).toEqual(['key', 'link', 'shareable', 'specifiedBy']);
  });

  test('names the upstream source in the description of every field, argument, enum value and type except scalars', () => {
    const undescribed = describable(typeDefs).filter(({ text }) => !text.includes('Upstream: '));
    expect(undescribed.map(({ name }) => name)).toEqual([
      'Date',
      'DateTime',
      'Decimal',
      'JSONObject',
    ]);
  });

  test('gives an example of every field, argument and scalar', () => {
    const silent = describable(typeDefs).filter(
      ({ kind, text }) => shownByExample.has(kind) && !/Example:\s/.test(text),
    );
    expect(silent).toEqual([]);
  });
});

/** The name of a field's function with this resolver. Lists have a function that also counts their values. */
function expectedName(typeName: string, name: string, field?: GraphQLField<unknown, unknown>) {
  const isList = field !== undefined && isListType(getNullableType(field.type));
  return isList && !countedLists.has(`${typeName}.${name}`) ? 'resolveList' : `bound ${name}`;
}

describe('the built schema', () => {
  test('has every resolver, including the marks by which the fast path recognises some resolvers', () => {
    const schema = createSchema();
    for (const [typeName, resolversOfType] of Object.entries(resolvers)) {
      const type = schema.getType(typeName);
      if (!isObjectType(type)) continue;
      const fields = type.getFields();
      for (const [name, resolver] of Object.entries(resolversOfType)) {
        const field = fields[name];
        if (typeof resolver === 'object') expect(field, name).toMatchObject(resolver as object);
        else expect(field?.resolve?.name, typeName).toBe(expectedName(typeName, name, field));
      }
    }
    expect(Object.keys(schema.getTypeMap())).toEqual(
      expect.arrayContaining(Object.keys(resolvers)),
    );
  });

  test('equals schema/, apart from the federation types', () => {
    const printed = parse(printSubgraphSchema(createSchema()));
    expect(typesOf(printed)).toEqual(typesOf(readTypeDefs()));
  });

  test('serves schema/ as _service.sdl, with every description and directive', async () => {
    const sdl = parse(await readServiceSdl());
    expect(typesOf(sdl)).toEqual(typesOf(readTypeDefs()));
    expect(sdl.definitions.map(print)).toContain(link);
  });

  test('returns an SDL from which a router can build the same schema', async () => {
    const router = buildSchema(await readServiceSdl());
    expect(printSchema(router)).toBe(printSchema(createSchema()));
  });

  test('allows _entities to return Account, Company, Person and Transaction', () => {
    const union = introspect().types.find(({ name }) => name === '_Entity');
    const names = union?.kind === 'UNION' ? union.possibleTypes.map(({ name }) => name) : [];
    expect(names).toEqual(['Account', 'Company', 'Person', 'Transaction']);
  });

  test('links the specification of each custom scalar in introspection', () => {
    const urls = introspect().types.flatMap((type) =>
      type.kind === 'SCALAR' && type.specifiedByURL ? [[type.name, type.specifiedByURL]] : [],
    );
    expect(Object.fromEntries(urls)).toEqual({
      Date: 'https://scalars.graphql.org/andimarek/local-date.html',
      DateTime: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
      Decimal: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
      JSONObject: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
    });
  });

  test('has neither mutations nor subscriptions', () => {
    const { mutationType, subscriptionType } = introspect();
    expect([mutationType, subscriptionType]).toEqual([null, null]);
  });
});

/** A schema document as text, independent of the order of types, fields, arguments and values. */
function canonical(document: DocumentNode): string {
  return printSubgraphSchema(lexicographicSortSchema(buildSubgraphSchema(document)));
}

function withoutDescriptions(document: DocumentNode): DocumentNode {
  return visit(document, {
    enter: (node: ASTNode) =>
      'description' in node ? { ...node, description: undefined } : undefined,
  });
}

const shownByExample = new Set<string>([
  Kind.FIELD_DEFINITION,
  Kind.INPUT_VALUE_DEFINITION,
  Kind.SCALAR_TYPE_DEFINITION,
]);

/** Every type, field, argument and enum value, with the text of its description, which is empty if there is none. */
function describable(document: DocumentNode) {
  const found: { kind: string; name: string; text: string }[] = [];
  visit(document, {
    enter(node) {
      if (isTypeDefinitionNode(node) || isMember(node)) {
        found.push({
          kind: node.kind,
          name: node.name.value,
          text: node.description?.value ?? '',
        });
      }
    },
  });
  return found;
}

function isMember(node: ASTNode) {
  return (
    node.kind === Kind.FIELD_DEFINITION ||
    node.kind === Kind.INPUT_VALUE_DEFINITION ||
    node.kind === Kind.ENUM_VALUE_DEFINITION
  );
}

/** The @semanticNonNull of each marked field, by `Type.field`. */
function marksIn({ definitions }: DocumentNode): Record<string, string> {
  const fields = definitions.filter(isTypeDefinitionNode).flatMap((type) =>
    ('fields' in type ? (type.fields ?? []) : []).map((field) => {
      const mark = field.directives?.find(({ name }) => name.value === 'semanticNonNull');
      return [`${type.name.value}.${field.name.value}`, mark && print(mark)] as const;
    }),
  );
  return Object.fromEntries(fields.flatMap(([name, mark]) => (mark ? [[name, mark]] : [])));
}

function directivesOf(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, { Directive: (node) => void names.add(node.name.value) });
  return [...names].sort();
}

/** The definition of each type as text, by name, without the types and root fields that federation adds. */
function typesOf(document: DocumentNode): Record<string, string> {
  const own = visit(document, {
    FieldDefinition: (node) => (node.name.value.startsWith('_') ? null : undefined),
  });
  const types = own.definitions
    .filter((node) => isTypeDefinitionNode(node))
    .filter(({ name }) => !/^(_|federation__|link__)/.test(name.value));
  return Object.fromEntries(types.map((type) => [type.name.value, print(type)]));
}

async function readServiceSdl(): Promise<string> {
  const { data } = await graphql({ schema: createSchema(), source: '{ _service { sdl } }' });
  return (data as { _service: { sdl: string } })._service.sdl;
}

function introspect() {
  return introspectionFromSchema(createSchema()).__schema;
}
