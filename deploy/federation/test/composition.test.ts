// What composes with account-bff, and what collides: docs/federation.md says so.
import { readFileSync } from 'node:fs';
import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { forwardedHeaders } from '../routers/forwarded.ts';
import { readSubgraph } from '../subgraphs/subgraph.ts';
import { accountSdl, compose, composeSupergraph } from '../supergraph.ts';

const account = { url: 'http://account/', typeDefs: parse(readFileSync(accountSdl, 'utf8')) };
const link = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@shareable", "@external"])
`;

/** What comes of account-bff with another subgraph of this SDL: nothing, or why it does not compose. */
function composeWith(sdl: string): string | null {
  try {
    compose({ account, other: { url: 'http://other/', typeDefs: parse(link + sdl) } });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the subgraphs compose', () => {
  const urls = { account: 'http://account/', cards: 'http://cards/', insights: 'http://insights/' };

  test('with the open composer', () => {
    const sdl = composeSupergraph(urls);
    for (const name of ['account', 'cards', 'insights']) {
      expect(sdl).toContain(`@join__graph(name: "${name}", url: "http://${name}/")`);
    }
  });

  test('with Apollo’s', () => {
    const { errors } = composeServices([
      { name: 'account', ...account },
      { name: 'cards', url: urls.cards, typeDefs: readSubgraph('cards') },
      { name: 'insights', url: urls.insights, typeDefs: readSubgraph('insights') },
    ]);
    expect(errors).toBeUndefined();
  });
});

describe('another subgraph', () => {
  const pageInfo = `{
    hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String
  } type Query { x: PageInfo }`;

  test.each([
    ['adds a field to Person', 'type Person @key(fields: "id") { id: ID! loans: [ID] }'],
    ['shares PageInfo', `type PageInfo @shareable ${pageInfo}`],
    ['has a scalar of the same name', 'scalar Date type Query { today: Date }'],
    ['adds a member to Me', 'type Robot { a: Int } union Me = Robot'],
    [
      'keys Transaction by fields of account-bff',
      `type Transaction @key(fields: "id amount") { id: ID! amount: Decimal @external note: String }
       scalar Decimal`,
    ],
  ])('may compose: %s', (_name, sdl) => {
    expect(composeWith(sdl)).toBeNull();
  });

  test.each([
    ['has a PageInfo of its own', `type PageInfo ${pageInfo}`, 'PageInfo.hasNextPage'],
    [
      'has an Address of its own',
      'type Address { street: String } type Query { at: Address }',
      'Address.street',
    ],
    ['adds a root field of the same name', 'type Query { account(id: ID!): ID }', 'Query.account'],
    [
      'has an enum where there is a scalar',
      'enum Decimal { A } type Query { x: Decimal }',
      'Decimal',
    ],
    [
      'needs a transaction by its id alone',
      'type Transaction @key(fields: "id") { id: ID! } type Query { t: Transaction }',
      'Transaction',
    ],
  ])('does not compose where it %s', (_name, sdl, place) => {
    expect(composeWith(sdl)).toContain(place);
  });
});

describe('every kit', () => {
  const read = (name: string) =>
    parseYaml(readFileSync(new URL(`../routers/${name}.yaml`, import.meta.url), 'utf8')) as Kit;

  test('of Apollo Router forwards the same, and lets the same through', () => {
    const { headers, include_subgraph_errors: errors } = read('apollo-router');
    expect(headers.all.request.map((rule) => rule.propagate?.named)).toEqual(forwardedHeaders);
    expect(errors?.all.allow_extensions_keys).toEqual(['code', 'retryAfter']);
  });

  test('of Cosmo Router does too', () => {
    const { headers, subgraph_error_propagation: errors } = read('cosmo-router');
    expect(headers.all.request.map(({ op, named }) => (op === 'propagate' ? named : op))).toEqual(
      forwardedHeaders,
    );
    expect(errors?.allowed_extension_fields).toEqual(['code', 'retryAfter']);
  });
});

interface Kit {
  readonly headers: { readonly all: { readonly request: readonly Rule[] } };
  readonly include_subgraph_errors?: { readonly all: { readonly allow_extensions_keys: string[] } };
  readonly subgraph_error_propagation?: { readonly allowed_extension_fields: string[] };
}

interface Rule {
  readonly op?: string;
  readonly named?: string;
  readonly propagate?: { readonly named: string };
}
