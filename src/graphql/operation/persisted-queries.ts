// Texts by id: those of the manifest, and those that clients have registered with their hash.
import { hash } from 'node:crypto';
import { keyPrefix, type SharedStore } from '../../shared-store.ts';
import type { Operations } from './manifest-operations.ts';

export interface PersistedQueries {
  /** The text with this id, synchronously if this process knows it; undefined if it is unknown. Never rejects. */
  find(id: string): string | undefined | Promise<string | undefined>;
  /** Stores a text for all replicas under its SHA-256, which the caller has verified. */
  register(sha256: string, text: string): void;
}

const isSha256 = /^[\da-f]{64}$/;

/** The manifest comes first; registered texts are shared by all replicas. */
export function createPersistedQueries(
  operations: Pick<Operations, 'find'>,
  store: Pick<SharedStore, 'get' | 'set'>,
): PersistedQueries {
  return {
    find(id) {
      const listed = operations.find(id);
      if (listed !== undefined) return listed.body;
      // Only hashes are registered.
      if (!isSha256.test(id)) return undefined;
      return store.get(storeKey(id), (text) => hash('sha256', text) === id);
    },
    register: (sha256, text) => void store.set(storeKey(sha256), text),
  };
}

function storeKey(sha256: string): string {
  return `${keyPrefix}:apq:${sha256}`;
}
