// The signed-in customer and the client for their requests. Both are only in memory and are dropped on sign-out.
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import possibleTypes from './generated/possible-types.ts';

/** A customer of the sandbox bank. A real app would get the token from the bank's sign-in page. */
export interface Customer {
  readonly name: string;
  readonly tenant: string;
  readonly token: string;
}

/** The customers that `npm run example` provides. */
export const customers = JSON.parse(
  String(import.meta.env['VITE_CUSTOMERS'] ?? '[]'),
) as readonly Customer[];

export interface Session {
  readonly client: ApolloClient;
  /** The time of the gateway's last answer; null before the first. */
  readonly answeredAt: () => Date | null;
  /** Drops requests in progress and all loaded data. */
  readonly end: () => void;
}

/** Creates a client with its own cache for a token and a tenant, because a person has different data in each tenant. */
export function createSession({ token, tenant }: Customer): Session {
  let answeredAt: Date | null = null;
  const link = new HttpLink({
    uri: '/graphql',
    headers: { authorization: `Bearer ${token}`, 'x-tenant-id': tenant },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (response.ok) answeredAt = new Date();
      return response;
    },
  });
  const cache = new InMemoryCache({
    possibleTypes: possibleTypes.possibleTypes,
    typePolicies: {
      // One list per account and period, which grows in both directions: `after` at its end, `before` at its start.
      Query: { fields: { transactions: relayStylePagination(['accountId', 'from', 'to']) } },
    },
  });
  const client = new ApolloClient({ link, cache });
  return {
    client,
    answeredAt: () => answeredAt,
    end() {
      client.stop();
      void client.clearStore();
    },
  };
}
