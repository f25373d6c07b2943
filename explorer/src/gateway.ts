// Requests of the page to its gateway.
import type { GraphiQLProps } from 'graphiql';
import type { Caller } from './callers.ts';
import { withoutFederation } from './introspection.ts';

type Fetcher = GraphiQLProps['fetcher'];

/** Returns the gateway's answer, even for a rejected request, because it has the format of GraphQL errors. */
export const fetcher: Fetcher = async (operation, { headers = {} } = {}) => {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(withItsOwnName(operation)),
  });
  return withoutFederation((await response.json()) as Awaited<ReturnType<Fetcher>>);
};

type Operation = Parameters<Fetcher>[0];

/**
 * Omits an operation name that the document does not have. For half a second after a change of tabs, GraphiQL passes
 * the operation name of the previous tab.
 */
function withItsOwnName({ operationName, ...operation }: Operation): Operation {
  const names = [...operation.query.matchAll(/\bquery\s+(\w+)/g)].map(([, name]) => name);
  return operationName != null && names.includes(operationName)
    ? { ...operation, operationName }
    : operation;
}

/** The first cursor in the statement of a caller's first account; a placeholder if there is none. */
export async function readNewest({ token, tenant, accounts }: Caller): Promise<string> {
  const [accountId] = accounts;
  if (accountId === undefined) return '<startCursor of a slice>';
  const query = `query Newest($accountId: ID!) {
    transactions(accountId: $accountId, first: 1) { pageInfo { startCursor } }
  }`;
  const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': tenant };
  const answer = await fetcher({ query, variables: { accountId } }, { headers });
  return startCursorIn(answer) ?? '<startCursor of a slice>';
}

interface NewestAnswer {
  readonly data?: {
    readonly transactions?: { readonly pageInfo: { readonly startCursor: string | null } } | null;
  } | null;
}

function startCursorIn(answer: unknown): string | null | undefined {
  return (answer as NewestAnswer).data?.transactions?.pageInfo.startCursor;
}
