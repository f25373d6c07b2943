// The documents that Apollo Server parsed and validated, kept so that it need not do so again.
import type { DocumentNode } from 'graphql';
import { createDocumentCache } from './document-cache.ts';
import type { Operations } from './operations.ts';

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

/** A store that forgets what was not used for longest, first of all what was used but once; never what the manifest lists. */
export function createDocumentStore(operations: Pick<Operations, 'find'>): DocumentStore {
  const documents = createDocumentCache(maxSourceLength);

  function find(key: string): DocumentNode | undefined {
    // Apollo Server puts a hash of the schema in front.
    const listed = operations.find(key.slice(key.indexOf(':') + 1));
    if (listed === undefined) return documents.get(key);
    if (listed.document !== null) return listed.document;
    const document = documents.get(key);
    // An id of the manifest's own making may have meant another text before the manifest changed.
    return document?.loc?.source.body === listed.body ? document : undefined;
  }

  return {
    get: (key) => Promise.resolve(find(key)),
    set(key, document) {
      documents.set(key, document);
      return Promise.resolve();
    },
    delete: (key) => Promise.resolve(documents.delete(key)),
  };
}
