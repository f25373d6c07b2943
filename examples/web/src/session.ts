// Who is signed in, and the client that asks in their name.
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

/** One client and one cache for one token and tenant: the same person has other data in another tenant. */
export function createClient({ token, tenant }: Customer): ApolloClient {
  return new ApolloClient({
    link: new HttpLink({
      uri: '/graphql',
      headers: { authorization: `Bearer ${token}`, 'x-tenant-id': tenant },
    }),
    cache: new InMemoryCache({
      possibleTypes: possibleTypes.possibleTypes,
      typePolicies: {
        // One list an account, whichever way it grows: `after` at its end, `before` in front.
        Query: { fields: { transactions: relayStylePagination(['accountId']) } },
      },
    }),
  });
}
