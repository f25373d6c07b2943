// What the app asks for. Types of these documents are in generated/.
import { graphql } from './generated/gql.ts';

/** The first screen: one call to the service, whatever is asked of holder and accounts. */
export const homeDocument = graphql(`
  query Home {
    me {
      ... on AccountHolder {
        id
        name
        document
      }
    }
    accounts {
      id
      agency
      number
      balance
    }
  }
`);

/** A slice of a statement: towards older transactions with first and after. */
export const statementDocument = graphql(`
  query Statement($accountId: ID!, $first: Int, $after: String) {
    transactions(accountId: $accountId, first: $first, after: $after) {
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
    signedAmount
    status
    type
    category
    beneficiaryName
    createdAt
  }
`);

/** What is new since a slice that began with `newest`, and the balance that goes with it. */
export const newSinceDocument = graphql(`
  query NewSince($accountId: ID!, $newest: String!) {
    account(id: $accountId) {
      id
      balance
    }
    transactions(accountId: $accountId, last: 100, before: $newest) {
      ...Slice
    }
  }
`);
