// The documents that Apollo Server parsed and validated, kept so that it need not do so again.
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** What Apollo Server asks of its `documentStore`. */
export interface DocumentStore {
  get(key: string): Promise<DocumentNode | undefined>;
  set(key: string, document: DocumentNode): Promise<void>;
  delete(key: string): Promise<boolean>;
}

/**
 * Characters of source text in all. A parsed document takes some 100 times its text, and Apollo Server's own store
 * would write each one out as JSON to measure it.
 */
const maxSourceLength = 512 * 1024;

/** A store that forgets the documents that were not used for longest. */
export function createDocumentStore(): DocumentStore {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: maxSourceLength,
    sizeCalculation: (document) => Math.max(1, document.loc?.source.body.length ?? 0),
  });
  return {
    get: (key) => Promise.resolve(documents.get(key)),
    set: (key, document) => Promise.resolve(void documents.set(key, document)),
    delete: (key) => Promise.resolve(documents.delete(key)),
  };
}
