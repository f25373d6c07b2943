/* eslint-disable */
import * as types from './graphql';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query Home {\n    me {\n      __typename\n      ... on AccountHolder {\n        id\n        name\n        document\n      }\n      ... on Person {\n        address {\n          id\n          state\n        }\n      }\n    }\n    accounts {\n      id\n      bank\n      agency\n      number\n      balance\n    }\n  }\n": typeof types.HomeDocument,
    "\n  query Profile {\n    me {\n      __typename\n      ... on AccountHolder {\n        id\n        name\n        document\n        email\n        phone\n      }\n      ... on Person {\n        individual {\n          id\n          documentType\n          documentNumber\n        }\n        address {\n          id\n          city\n          state\n        }\n      }\n    }\n  }\n": typeof types.ProfileDocument,
    "\n  query Statement($accountId: ID!, $from: Date, $to: Date, $first: Int, $after: String) {\n    transactions(accountId: $accountId, from: $from, to: $to, first: $first, after: $after) {\n      ...Slice\n    }\n  }\n\n  fragment Slice on TransactionConnection {\n    edges {\n      cursor\n      node {\n        ...Line\n      }\n    }\n    pageInfo {\n      startCursor\n      endCursor\n      hasNextPage\n      hasPreviousPage\n    }\n    totalCount\n  }\n\n  fragment Line on Transaction {\n    id\n    amount\n    credit\n    signedAmount\n    status\n    externalStatus\n    type\n    category\n    beneficiaryName\n    createdAt\n  }\n": typeof types.StatementDocument,
    "\n  query NewSince($accountId: ID!, $from: Date, $to: Date, $newest: String!) {\n    account(id: $accountId) {\n      id\n      balance\n    }\n    transactions(accountId: $accountId, from: $from, to: $to, last: 100, before: $newest) {\n      ...Slice\n    }\n  }\n": typeof types.NewSinceDocument,
    "\n  query Export($accountId: ID!, $from: Date, $to: Date, $after: String) {\n    transactions(accountId: $accountId, from: $from, to: $to, first: 100, after: $after) {\n      nodes {\n        ...Line\n      }\n      pageInfo {\n        endCursor\n        hasNextPage\n      }\n      totalCount\n    }\n  }\n": typeof types.ExportDocument,
    "\n  query Balance($accountId: ID!) {\n    account(id: $accountId) {\n      id\n      balance\n    }\n  }\n": typeof types.BalanceDocument,
};
const documents: Documents = {
    "\n  query Home {\n    me {\n      __typename\n      ... on AccountHolder {\n        id\n        name\n        document\n      }\n      ... on Person {\n        address {\n          id\n          state\n        }\n      }\n    }\n    accounts {\n      id\n      bank\n      agency\n      number\n      balance\n    }\n  }\n": types.HomeDocument,
    "\n  query Profile {\n    me {\n      __typename\n      ... on AccountHolder {\n        id\n        name\n        document\n        email\n        phone\n      }\n      ... on Person {\n        individual {\n          id\n          documentType\n          documentNumber\n        }\n        address {\n          id\n          city\n          state\n        }\n      }\n    }\n  }\n": types.ProfileDocument,
    "\n  query Statement($accountId: ID!, $from: Date, $to: Date, $first: Int, $after: String) {\n    transactions(accountId: $accountId, from: $from, to: $to, first: $first, after: $after) {\n      ...Slice\n    }\n  }\n\n  fragment Slice on TransactionConnection {\n    edges {\n      cursor\n      node {\n        ...Line\n      }\n    }\n    pageInfo {\n      startCursor\n      endCursor\n      hasNextPage\n      hasPreviousPage\n    }\n    totalCount\n  }\n\n  fragment Line on Transaction {\n    id\n    amount\n    credit\n    signedAmount\n    status\n    externalStatus\n    type\n    category\n    beneficiaryName\n    createdAt\n  }\n": types.StatementDocument,
    "\n  query NewSince($accountId: ID!, $from: Date, $to: Date, $newest: String!) {\n    account(id: $accountId) {\n      id\n      balance\n    }\n    transactions(accountId: $accountId, from: $from, to: $to, last: 100, before: $newest) {\n      ...Slice\n    }\n  }\n": types.NewSinceDocument,
    "\n  query Export($accountId: ID!, $from: Date, $to: Date, $after: String) {\n    transactions(accountId: $accountId, from: $from, to: $to, first: 100, after: $after) {\n      nodes {\n        ...Line\n      }\n      pageInfo {\n        endCursor\n        hasNextPage\n      }\n      totalCount\n    }\n  }\n": types.ExportDocument,
    "\n  query Balance($accountId: ID!) {\n    account(id: $accountId) {\n      id\n      balance\n    }\n  }\n": types.BalanceDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Home {\n    me {\n      __typename\n      ... on AccountHolder {\n        id\n        name\n        document\n      }\n      ... on Person {\n        address {\n          id\n          state\n        }\n      }\n    }\n    accounts {\n      id\n      bank\n      agency\n      number\n      balance\n    }\n  }\n"): (typeof documents)["\n  query Home {\n    me {\n      __typename\n      ... on AccountHolder {\n        id\n        name\n        document\n      }\n      ... on Person {\n        address {\n          id\n          state\n        }\n      }\n    }\n    accounts {\n      id\n      bank\n      agency\n      number\n      balance\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Profile {\n    me {\n      __typename\n      ... on AccountHolder {\n        id\n        name\n        document\n        email\n        phone\n      }\n      ... on Person {\n        individual {\n          id\n          documentType\n          documentNumber\n        }\n        address {\n          id\n          city\n          state\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query Profile {\n    me {\n      __typename\n      ... on AccountHolder {\n        id\n        name\n        document\n        email\n        phone\n      }\n      ... on Person {\n        individual {\n          id\n          documentType\n          documentNumber\n        }\n        address {\n          id\n          city\n          state\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Statement($accountId: ID!, $from: Date, $to: Date, $first: Int, $after: String) {\n    transactions(accountId: $accountId, from: $from, to: $to, first: $first, after: $after) {\n      ...Slice\n    }\n  }\n\n  fragment Slice on TransactionConnection {\n    edges {\n      cursor\n      node {\n        ...Line\n      }\n    }\n    pageInfo {\n      startCursor\n      endCursor\n      hasNextPage\n      hasPreviousPage\n    }\n    totalCount\n  }\n\n  fragment Line on Transaction {\n    id\n    amount\n    credit\n    signedAmount\n    status\n    externalStatus\n    type\n    category\n    beneficiaryName\n    createdAt\n  }\n"): (typeof documents)["\n  query Statement($accountId: ID!, $from: Date, $to: Date, $first: Int, $after: String) {\n    transactions(accountId: $accountId, from: $from, to: $to, first: $first, after: $after) {\n      ...Slice\n    }\n  }\n\n  fragment Slice on TransactionConnection {\n    edges {\n      cursor\n      node {\n        ...Line\n      }\n    }\n    pageInfo {\n      startCursor\n      endCursor\n      hasNextPage\n      hasPreviousPage\n    }\n    totalCount\n  }\n\n  fragment Line on Transaction {\n    id\n    amount\n    credit\n    signedAmount\n    status\n    externalStatus\n    type\n    category\n    beneficiaryName\n    createdAt\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query NewSince($accountId: ID!, $from: Date, $to: Date, $newest: String!) {\n    account(id: $accountId) {\n      id\n      balance\n    }\n    transactions(accountId: $accountId, from: $from, to: $to, last: 100, before: $newest) {\n      ...Slice\n    }\n  }\n"): (typeof documents)["\n  query NewSince($accountId: ID!, $from: Date, $to: Date, $newest: String!) {\n    account(id: $accountId) {\n      id\n      balance\n    }\n    transactions(accountId: $accountId, from: $from, to: $to, last: 100, before: $newest) {\n      ...Slice\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Export($accountId: ID!, $from: Date, $to: Date, $after: String) {\n    transactions(accountId: $accountId, from: $from, to: $to, first: 100, after: $after) {\n      nodes {\n        ...Line\n      }\n      pageInfo {\n        endCursor\n        hasNextPage\n      }\n      totalCount\n    }\n  }\n"): (typeof documents)["\n  query Export($accountId: ID!, $from: Date, $to: Date, $after: String) {\n    transactions(accountId: $accountId, from: $from, to: $to, first: 100, after: $after) {\n      nodes {\n        ...Line\n      }\n      pageInfo {\n        endCursor\n        hasNextPage\n      }\n      totalCount\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Balance($accountId: ID!) {\n    account(id: $accountId) {\n      id\n      balance\n    }\n  }\n"): (typeof documents)["\n  query Balance($accountId: ID!) {\n    account(id: $accountId) {\n      id\n      balance\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;