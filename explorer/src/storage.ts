// GraphiQL's storage of tabs and queries: the browser's storage, separate for each caller and without tokens.
import type { GraphiQLProps } from 'graphiql';
import type { Caller } from './callers.ts';

type Storage = Exclude<GraphiQLProps['storage'], null | undefined>;

interface KeptTabs {
  readonly activeTabIndex: number;
  readonly tabs: readonly { readonly query: string | null; readonly variables: string | null }[];
}

/**
 * GraphiQL stores its tabs here without headers, and beside them the query and the variables of the open tab. They are
 * read from the tabs instead: if the two differed, GraphiQL would open another tab at each load of the page.
 */
export function storageOf(caller: Caller): Storage {
  const prefix = `${caller.tenant}/${caller.name}/`;
  return {
    getItem(key) {
      const name = key.replace(/^.*:/, '');
      const tabs = localStorage.getItem(prefix + key.replace(/\w+$/, 'tabState'));
      if (tabs !== null && (name === 'query' || name === 'variables')) return openTab(tabs)[name];
      return localStorage.getItem(prefix + key);
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

function openTab(kept: string) {
  const { tabs, activeTabIndex } = JSON.parse(kept) as KeptTabs;
  return tabs[activeTabIndex] ?? { query: null, variables: null };
}
