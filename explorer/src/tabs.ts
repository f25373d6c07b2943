// The initial tabs: one operation each, which runs unchanged with the sandbox bank.
import type { GraphiQLProps } from 'graphiql';
import { type Caller, jsonOf } from './callers.ts';
import newSince from './operations/new-since.graphql?raw';
import profile from './operations/profile.graphql?raw';
import statement from './operations/statement.graphql?raw';
import walk from './operations/walk.graphql?raw';

type Tabs = NonNullable<GraphiQLProps['defaultTabs']>;

/** Without headers, which are then those of the caller. `newest` is the current first cursor of the caller's first account. */
export function tabsOf(caller: Caller, newest: string): Tabs {
  const accountId = caller.accounts[0] ?? '<id of an account>';
  return [
    // GraphiQL omits the variables of the first tab.
    { query: profile },
    { query: statement, variables: jsonOf({ accountId, from: null, to: null }) },
    { query: walk, variables: jsonOf({ accountId, after: null }) },
    { query: newSince, variables: jsonOf({ accountId, newest }) },
  ];
}
