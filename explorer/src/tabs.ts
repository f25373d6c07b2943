// The tabs that a new visitor finds: one operation each, that runs as it stands against the sandbox bank.
import type { GraphiQLProps } from 'graphiql';
import { type Caller, headersOf, jsonOf } from './callers.ts';
import newSince from './operations/new-since.graphql?raw';
import profile from './operations/profile.graphql?raw';
import statement from './operations/statement.graphql?raw';
import walk from './operations/walk.graphql?raw';

type Tabs = NonNullable<GraphiQLProps['defaultTabs']>;

/** `newest` is where the statement of the caller's first account begins at the moment. */
export function tabsOf(caller: Caller, newest: string): Tabs {
  const headers = headersOf(caller);
  const accountId = caller.accounts[0] ?? '<id of an account>';
  return [
    // GraphiQL leaves the variables of the first tab out.
    { query: profile, headers },
    { query: statement, headers, variables: jsonOf({ accountId, from: null, to: null }) },
    { query: walk, headers, variables: jsonOf({ accountId, after: null }) },
    { query: newSince, headers, variables: jsonOf({ accountId, newest }) },
  ];
}
