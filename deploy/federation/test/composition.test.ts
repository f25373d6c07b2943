// Which subgraphs compose with account-bff and which collide with it, as docs/federation.md describes.
import { readFileSync } from 'node:fs';
import { composeServices } from '@apollo/composition';
import { federateSubgraphs, ROUTER_COMPATIBILITY_VERSION_ONE } from '@wundergraph/composition';
import { composeServices as composeWith25 } from 'composition-2.5';
import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { forwardedHeaders } from '../routers/forwarded.ts';
import { readSubgraph } from '../subgraphs/subgraph.ts';
import { accountSdl, compose, composeSupergraph } from '../supergraph.ts';

const account = { url: 'http://account/', typeDefs: parse(readFileSync(accountSdl.plain, 'utf8')) };
const link = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@shareable", "@external"])
`;

/** Composes account-bff with another subgraph that has this SDL. Returns the reason if this fails, otherwise null. */
function composeWith(sdl: string): string | null {
  try {
    compose({ account, other: { url: 'http://other/', typeDefs: parse(link + sdl) } });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

describe.each(['plain', 'priced'] as const)('the subgraphs compose (%s)', (sdl) => {
  const urls = { account: 'http://account/', cards: 'http://cards/', insights: 'http://insights/' };
  const typeDefs = parse(readFileSync(accountSdl[sdl], 'utf8'));
  const services = [
    { name: 'account', url: urls.account, typeDefs },
    { name: 'cards', url: urls.cards, typeDefs: readSubgraph('cards') },
    { name: 'insights', url: urls.insights, typeDefs: readSubgraph('insights') },
  ];

  test('with the composer of The Guild', () => {
    const supergraph = composeSupergraph(urls, sdl);
    for (const name of ['account', 'cards', 'insights']) {
      expect(supergraph).toContain(`@join__graph(name: "${name}", url: "http://${name}/")`);
    }
    expect(supergraph.includes('@cost(weight: 40)')).toBe(sdl === 'priced');
  });

  test('with Apollo’s composer', () => {
    const { errors, supergraphSdl } = composeServices(services);
    expect(errors).toBeUndefined();
    expect(supergraphSdl?.includes('@cost(weight: 40)')).toBe(sdl === 'priced');
  });

  test('with Cosmo’s composer', () => {
    const subgraphs = services.map(({ typeDefs: definitions, ...rest }) => ({
      ...rest,
      definitions,
    }));
    const result = federateSubgraphs({ subgraphs, version: ROUTER_COMPATIBILITY_VERSION_ONE });
    expect(result.success ? [] : result.errors).toEqual([]);
  });

  test('with a composer limited to Federation 2.5, except for the priced SDL', () => {
    const { errors = [] } = composeWith25(services);
    if (sdl === 'plain') expect(errors).toEqual([]);
    else expect(String(errors[0])).toContain('@listSize');
  });
});

describe('another subgraph', () => {
  test('that requires edges of the priced SDL composes with Apollo’s composer if it requires nodes too', () => {
    const composes = (sdl: 'plain' | 'priced', fields: string, required: string) => {
      const other = `${link.replace('"@external"', '"@external", "@requires"')}
        scalar Date
        type Transaction @key(fields: "id") { id: ID! }
        type TransactionEdge { node: Transaction @external }
        type TransactionConnection { ${fields} }
        type Account @key(fields: "id") {
          id: ID!
          transactions(
            from: Date, to: Date, first: Int, after: String, last: Int, before: String
          ): TransactionConnection @external
          latest: ID @requires(fields: "transactions(first: 1) { ${required} }")
        }`;
      const typeDefs = parse(readFileSync(accountSdl[sdl], 'utf8'));
      const { errors } = composeServices([
        { name: 'account', url: 'http://account/', typeDefs },
        { name: 'other', url: 'http://other/', typeDefs: parse(other) },
      ]);
      return errors ?? [];
    };
    const [edges, nodes] = [
      ['edges: [TransactionEdge!]! @external', 'edges { node { id } }'],
      ['nodes: [Transaction]! @external', 'nodes { id }'],
    ] as const;
    expect(composes('plain', ...edges)).toEqual([]);
    expect(() => composes('priced', ...edges)).toThrow('Sized field "nodes" is not a field');
    expect(composes('priced', `${edges[0]} ${nodes[0]}`, `${edges[1]} ${nodes[1]}`)).toEqual([]);
  });

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
  ])('composes if it %s', (_name, sdl) => {
    expect(composeWith(sdl)).toBeNull();
  });

  test.each([
    ['adds a field to AccountHolder, Person and Company', ['Person', 'Company'], null],
    ['adds a field to AccountHolder, but not to Company', ['Person'], 'AccountHolder.loans'],
  ])('that %s', (_name, types, place) => {
    const objects = types.map(
      (type) => `type ${type} implements AccountHolder @key(fields: "id") { id: ID! loans: Int }`,
    );
    const reason = composeWith(
      `interface AccountHolder { id: ID! loans: Int } ${objects.join(' ')}`,
    );
    if (place === null) expect(reason).toBeNull();
    else expect(reason).toContain(place);
  });

  test('that provides a field of Account composes, but not with Apollo’s composer', () => {
    const sdl = `type Query { blocked: Blocked }
      type Blocked { account: Account @provides(fields: "number") }
      type Account @key(fields: "id") { id: ID! number: String @external }`;
    const other = parse(link.replace('"@external"', '"@external", "@provides"') + sdl);
    const parts = { account, other: { url: 'http://other/', typeDefs: other } };
    expect(() => compose(parts)).not.toThrow();
    const services = Object.entries(parts).map(([name, part]) => ({ name, ...part }));
    const [error] = composeServices(services).errors ?? [];
    expect(error?.extensions['code']).toBe('INVALID_FIELD_SHARING');
  });

  test.each([
    ['defines its own PageInfo', `type PageInfo ${pageInfo}`, 'PageInfo.hasNextPage'],
    [
      'defines its own Address',
      'type Address { street: String } type Query { at: Address }',
      'Address.street',
    ],
    ['adds a root field of the same name', 'type Query { account(id: ID!): ID }', 'Query.account'],
    ['has an enum in place of a scalar', 'enum Decimal { A } type Query { x: Decimal }', 'Decimal'],
    [
      'needs a transaction by its id alone',
      'type Transaction @key(fields: "id") { id: ID! } type Query { t: Transaction }',
      'Transaction',
    ],
  ])('does not compose if it %s', (_name, sdl, place) => {
    expect(composeWith(sdl)).toContain(place);
  });
});

const read = (name: string) =>
  parseYaml(readFileSync(new URL(`../routers/${name}.yaml`, import.meta.url), 'utf8')) as Kit;

/** The default of account-bff, and the weight of a call in schema/subgraph-cost.graphql. */
const maxUpstreamCalls = 50;
const callWeight = 20;

describe('the router configuration', () => {
  test('of Apollo Router forwards the same headers, and passes on the same error extensions', () => {
    const { headers, include_subgraph_errors: errors } = read('apollo-router');
    expect(headers.all.request.map((rule) => rule.propagate?.named)).toEqual(forwardedHeaders);
    expect(errors?.all.allow_extensions_keys).toEqual(['code', 'retryAfter']);
  });

  test('of Hive Router forwards the same headers, and passes on the same error extensions', () => {
    const { headers, error_masking: masking } = read('hive-router');
    expect(headers.all.request.map((rule) => rule.propagate?.named)).toEqual(forwardedHeaders);
    const extensions = { mode: 'allow', keys: ['code', 'retryAfter'] };
    expect(masking).toEqual({
      all: { error_message: true, extensions },
      subgraphs: { account: { error_message: false, extensions } },
    });
  });

  test('of Cosmo Router forwards the same headers, and passes on the same error extensions', () => {
    const { headers, subgraph_error_propagation: errors } = read('cosmo-router');
    expect(headers.all.request.map(({ op, named }) => (op === 'propagate' ? named : op))).toEqual(
      forwardedHeaders,
    );
    expect(errors?.allowed_extension_fields).toEqual(['code', 'retryAfter']);
  });
});

describe('configurations of routers that no test runs disable deduplication and caching', () => {
  test('Apollo Router', () => {
    const { traffic_shaping: shaping, response_cache: cache } = read('apollo-router');
    expect(shaping?.all).toHaveProperty('deduplicate_query', false);
    expect(cache).toEqual({ enabled: false, subgraph: { all: { enabled: false } } });
  });

  test('Hive Router', () => {
    const { traffic_shaping: shaping } = read('hive-router');
    expect(shaping?.all).toHaveProperty('dedupe_enabled', false);
    expect(shaping?.router).toHaveProperty('dedupe', { enabled: false });
  });

  test('Cosmo Router', () => {
    expect(read('cosmo-router').engine).toEqual({
      enable_single_flight: false,
      enable_inbound_request_deduplication: false,
    });
  });
});

test('the limits of cost follow from MAX_UPSTREAM_CALLS', () => {
  const most = callWeight * (maxUpstreamCalls - 2);
  for (const name of ['apollo-router', 'hive-router']) {
    const { strategy } = read(name).demand_control ?? {};
    expect(strategy?.static_estimated).toEqual({ list_size: 5, max: most });
  }
  const { security: cosmo } = read('cosmo-router');
  expect(cosmo?.cost_control).toMatchObject({ mode: 'enforce', max_estimated_limit: most - 40 });
});

interface Kit {
  readonly headers: { readonly all: { readonly request: readonly Rule[] } };
  readonly include_subgraph_errors?: { readonly all: { readonly allow_extensions_keys: string[] } };
  readonly subgraph_error_propagation?: { readonly allowed_extension_fields: string[] };
  readonly error_masking?: object;
  readonly traffic_shaping?: { readonly all: object; readonly router?: object };
  readonly response_cache?: object;
  readonly engine?: object;
  readonly demand_control?: { readonly strategy: { readonly static_estimated: object } };
  readonly security?: { readonly cost_control: object };
}

interface Rule {
  readonly op?: string;
  readonly named?: string;
  readonly propagate?: { readonly named: string };
}
