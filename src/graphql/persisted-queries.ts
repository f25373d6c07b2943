// The texts that clients name by a hash: those of the manifest, and those that some client has sent before.
import { hash } from 'node:crypto';
import { keyPrefix, type SharedStore } from '../shared-store.ts';
import type { Operations } from './operations.ts';

/** What Apollo Server asks of `persistedQueries.cache`. */
export interface PersistedQueries {
  get(key: string): Promise<string | undefined>;
  set(key: string, text: string): Promise<void>;
  delete(key: string): Promise<boolean>;
}

/** Apollo Server puts this in front of every hash. */
const apolloPrefix = 'apq:';

const isSha256 = /^[\da-f]{64}$/;

/** The manifest answers first, at no cost; the rest is shared by all replicas. */
export function createPersistedQueries(
  operations: Pick<Operations, 'find'>,
  store: Pick<SharedStore, 'get' | 'set'>,
): PersistedQueries {
  return {
    async get(key) {
      const id = key.slice(apolloPrefix.length);
      const listed = operations.find(id);
      if (listed !== undefined) return listed.body;
      // Nothing else was ever stored, so that there is no need to ask.
      if (!isSha256.test(id)) return undefined;
      return store.get(storeKey(id), (text) => hash('sha256', text) === id);
    },
    // Apollo Server has compared hash and text, and admitted the caller.
    set: (key, text) => store.set(storeKey(key.slice(apolloPrefix.length)), text),
    // Asked by nobody: what a hash names does not change.
    delete: () => Promise.resolve(false),
  };
}

function storeKey(sha256: string): string {
  return `${keyPrefix}:apq:${sha256}`;
}
