// The subgraph schema for routers with demand control: Federation 2.9, with the cost of each field in calls to the
// account service.
import { parse, print, visit } from 'graphql';
import { readTypeDefs } from '../src/graphql/schema.ts';
import { type Annotations, annotate } from './annotate.ts';

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@cost", "@listSize"])';

/** A slice of up to 100 rows. Its rows are charged by the items of `edges` and `nodes`, `first` or `last` of them. */
const statement =
  '@cost(weight: 20) @listSize(slicingArguments: ["first", "last"], sizedFields: ["edges", "nodes"], requireOneSlicingArgument: false)';
const accounts = '@listSize(assumedSize: 5)';

/**
 * Directives by coordinate. A weight of 20 is one call, because one call reads 20 rows: a row weighs 1. The sum is at
 * least the number of calls for a holder with at most 5 accounts, pages of 20 rows, and a statement that does not move or
 * gets new rows at its head (docs/federation.md). Weights are on the types of list items, where every router multiplies
 * by the size of the list.
 */
const costs: Annotations = {
  // The profile: one call, or two if the token does not state whether it belongs to a person or a company.
  'Query.me': '@cost(weight: 40)',
  'Query.account': '@cost(weight: 40)',
  'Query.accounts': accounts,
  'AccountHolder.accounts': accounts,
  'Person.accounts': accounts,
  'Company.accounts': accounts,
  // 5 accounts have the weight of the profile of Query.accounts.
  Account: '@cost(weight: 8)',
  // One call covers the rest of a page. With a cursor, 1 page more (a slice rarely begins at the start of a page) and 2
  // after arrivals; from the end, 1 for the head, which states the length of the statement.
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
  // If selected alone, it also reads the rows of the slice, which nothing else charges then.
  'TransactionConnection.pageInfo': '@cost(weight: 80)',
  // Already read; an object without a weight would count as 1.
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
