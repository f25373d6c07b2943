// How the page asks the gateway that it came from.
import type { GraphiQLProps } from 'graphiql';
import type { Caller } from './callers.ts';

type Fetcher = GraphiQLProps['fetcher'];

/** Answers with what the gateway answered, refusals too: they are GraphQL's errors. */
export const fetcher: Fetcher = async (operation, { headers = {} } = {}) => {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(withItsOwnName(operation)),
  });
  return (await response.json()) as Awaited<ReturnType<Fetcher>>;
};

type Operation = Parameters<Fetcher>[0];

/** For half a second after a change of tabs, GraphiQL gives a document with the name of the other tab's operation. */
function withItsOwnName({ operationName, ...operation }: Operation): Operation {
  const names = [...operation.query.matchAll(/\bquery\s+(\w+)/g)].map(([, name]) => name);
  return operationName != null && names.includes(operationName)
    ? { ...operation, operationName }
    : operation;
}

/** The cursor that the statement of a caller's first account begins with; a placeholder where there is none. */
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
