// Who is signed in, and the client that asks in their name. All of it is in memory, and gone after signing out.
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import possibleTypes from './generated/possible-types.ts';

/** A customer of the sandbox bank. A real app would get the token from the bank's sign-in page. */
export interface Customer {
  readonly name: string;
  readonly tenant: string;
  readonly token: string;
}

/** Those that `npm run example` knows of. */
export const customers = JSON.parse(
  String(import.meta.env['VITE_CUSTOMERS'] ?? '[]'),
) as readonly Customer[];

export interface Session {
  readonly client: ApolloClient;
  /** When the gateway last answered; null before. */
  readonly answeredAt: () => Date | null;
  /** Drops requests that are under way, and everything that was loaded. */
  readonly end: () => void;
}

/** One client and one cache for one token and tenant: the same person has other data in another tenant. */
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
      // A list for each account and period, which grows both ways: `after` at its end, `before` in front.
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
