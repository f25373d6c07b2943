// GraphiQL's storage of tabs and queries: the browser's storage, separate for each caller and without tokens.
import type { GraphiQLProps } from 'graphiql';
import { type Caller, headersOf } from './callers.ts';

type Storage = Exclude<GraphiQLProps['storage'], null | undefined>;

interface KeptTabs {
  readonly tabs: readonly { readonly headers: string | null }[];
}

/** GraphiQL stores its tabs here without headers. The caller's headers are added when the tabs are read. */
export function storageOf(caller: Caller): Storage {
  const prefix = `${caller.tenant}/${caller.name}/`;
  return {
    getItem(key) {
      const kept = localStorage.getItem(prefix + key);
      return kept !== null && key.endsWith(':tabState') ? withHeaders(kept, caller) : kept;
    },
    setItem: (key, value) => localStorage.setItem(prefix + key, value),
    removeItem: (key) => localStorage.removeItem(prefix + key),
    clear() {
      for (const key of Object.keys(localStorage)) {
        if (key.startsWith(prefix)) localStorage.removeItem(key);
      }
    },
    get length() {
      return Object.keys(localStorage).filter((key) => key.startsWith(prefix)).length;
    },
  };
}

function withHeaders(kept: string, caller: Caller): string {
  const state = JSON.parse(kept) as KeptTabs;
  const tabs = state.tabs.map((tab) => ({ ...tab, headers: tab.headers ?? headersOf(caller) }));
  return JSON.stringify({ ...state, tabs });
}
