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

/** The holder's page. */
export const profileDocument = graphql(`
  query Profile {
    me {
      __typename
      ... on AccountHolder {
        id
        name
        document
        email
        phone
      }
      ... on Person {
        individual {
          id
          documentType
          documentNumber
        }
        address {
          id
          city
          state
        }
      }
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
    totalCount
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
