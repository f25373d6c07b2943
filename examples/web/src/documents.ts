// The operations of the app. Types of these documents are in generated/.
import { graphql } from './generated/gql.ts';

/**
 * The operation of the first screen. It costs one call to the service, whichever fields of the holder and the accounts
 * it selects.
 */
export const homeDocument = graphql(`
  query Home {
    me {
      __typename
      ... on AccountHolder {
        id
        name
        document
      }
      ... on Person {
        address {
          id
          state
        }
      }
    }
    accounts {
      id
      bank
      agency
      number
      balance
    }
  }
`);

/** A slice of a statement, towards older transactions. */
export const statementDocument = graphql(`
  query Statement($accountId: ID!, $from: Date, $to: Date, $first: Int, $after: String) {
    transactions(accountId: $accountId, from: $from, to: $to, first: $first, after: $after) {
      ...Slice
    }
  }

  fragment Slice on TransactionConnection {
    edges {
      cursor
      node {
        ...Line
      }
    }
    pageInfo {
      startCursor
      endCursor
      hasNextPage
      hasPreviousPage
    }
  }

  fragment Line on Transaction {
    id
    amount
    credit
    signedAmount
    status
    externalStatus
    type
    category
    beneficiaryName
    createdAt
  }
`);

/** The transactions that are newer than the cursor `newest`, and the current balance. */
export const newSinceDocument = graphql(`
  query NewSince($accountId: ID!, $from: Date, $to: Date, $newest: String!) {
    account(id: $accountId) {
      id
      balance
    }
    transactions(accountId: $accountId, from: $from, to: $to, last: 100, before: $newest) {
      ...Slice
    }
  }
`);

/**
 * The newest transactions, read again because their values may have changed. The query selects no edges: with them,
 * `relayStylePagination` would replace the list.
 */
export const newestDocument = graphql(`
  query Newest($accountId: ID!, $from: Date, $to: Date) {
    transactions(accountId: $accountId, from: $from, to: $to, first: 20) {
      nodes {
        ...Line
      }
    }
  }
`);

/** A slice of an export. It selects no cursor except endCursor. */
export const exportDocument = graphql(`
  query Export($accountId: ID!, $from: Date, $to: Date, $after: String) {
    transactions(accountId: $accountId, from: $from, to: $to, first: 100, after: $after) {
      nodes {
        ...Line
      }
      pageInfo {
        endCursor
        hasNextPage
      }
      totalCount
    }
  }
`);

export const balanceDocument = graphql(`
  query Balance($accountId: ID!) {
    account(id: $accountId) {
      id
      balance
    }
  }
`);
