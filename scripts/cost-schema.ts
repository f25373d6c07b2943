// The subgraph for routers with demand control: Federation 2.9, and what each field costs in calls to the account service.
import { parse, print, visit } from 'graphql';
import { readTypeDefs } from '../src/graphql/schema.ts';
import { type Annotations, annotate } from './annotate.ts';

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@cost", "@listSize"])';

/** A slice of up to 100 rows. Its rows are charged by the items of `edges` and `nodes`, as many as `first` or `last` says. */
const statement =
  '@cost(weight: 20) @listSize(slicingArguments: ["first", "last"], sizedFields: ["edges", "nodes"], requireOneSlicingArgument: false)';
const accounts = '@listSize(assumedSize: 5)';

/**
 * Directives by coordinate. A weight of 20 is one call, since one call reads 20 rows: a row weighs 1. The sum is at least the
 * calls for a holder with at most 5 accounts, pages of 20 rows, and a statement that stands still or gets new rows at
 * its head (docs/federation.md). Weights stand where every router multiplies by the size of a list: on the type of its items.
 */
const costs: Annotations = {
  // The profile: one call, or two if the token does not say whether it is a person's or a company's.
  'Query.me': '@cost(weight: 40)',
  'Query.account': '@cost(weight: 40)',
  'Query.accounts': accounts,
  'AccountHolder.accounts': accounts,
  'Person.accounts': accounts,
  'Company.accounts': accounts,
  // 5 of them are the profile of Query.accounts.
  Account: '@cost(weight: 8)',
  // One call covers what is left of a page. With a cursor, 1 page more (a slice rarely begins where a page does) and 2 after
  // arrivals; from the end, 1 for the head, which says how long the statement is.
  'Query.transactions': statement,
  'Query.transactions(after:)': '@cost(weight: 60)',
  'Query.transactions(last:)': '@cost(weight: 40)',
  'Query.transactions(before:)': '@cost(weight: 20)',
  'Account.transactions': statement,
  'Account.transactions(after:)': '@cost(weight: 60)',
  'Account.transactions(last:)': '@cost(weight: 40)',
  'Account.transactions(before:)': '@cost(weight: 20)',
  TransactionEdge: '@cost(weight: 1)',
  Transaction: '@cost(weight: 1)',
  // Charged with its edge.
  'TransactionEdge.node': '@cost(weight: 0)',
  // Alone it reads the rows of the slice as well, which then nothing else charges.
  'TransactionConnection.pageInfo': '@cost(weight: 80)',
  // Part of what was read already; an object without a weight would be 1.
  TransactionConnection: '@cost(weight: 0)',
  Person: '@cost(weight: 0)',
  Company: '@cost(weight: 0)',
  Individual: '@cost(weight: 0)',
  Address: '@cost(weight: 0)',
};

/** The SDL of schema/, linked to Federation 2.9, with `@cost` and `@listSize`. */
export function costSchema(): string {
  const [extension] = parse(link).definitions;
  const document = visit(annotate(readTypeDefs(), costs), { SchemaExtension: () => extension });
  return `${print(document)}\n`;
}
