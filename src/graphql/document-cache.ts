// Parsed documents within a room: those that were asked for again stay, however many come that nobody asks for twice.
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

export interface DocumentCache {
  get(key: string): DocumentNode | undefined;
  set(key: string, document: DocumentNode): void;
  delete(key: string): boolean;
}

/** Of the room, what is for documents that came for the first time. */
const freshShare = 1 / 4;

/** The largest document that is kept, as a share of the room: a few of those could else take the place of all others. */
const largestShare = 1 / 16;

/** Keys that are known to have come before, whether their documents are still there or not. */
const maxSeen = 10_000;

/**
 * A cache for documents of `maxLength` characters in all. Whoever may ask at all can send documents without end, each of
 * them another, and long by a comment, so that it costs next to nothing: were there but one list, of which the least
 * recently used goes first, 18 of 30,000 characters would drive out all that clients use. Here they drive out one
 * another, as the larger room is for what comes again, be it long after its document had to make way. Who sends each of
 * them twice can still do it, for twice the work.
 */
export function createDocumentCache(maxLength: number): DocumentCache {
  const common = { sizeCalculation: lengthOf, maxEntrySize: maxLength * largestShare };
  const fresh = new LRUCache<string, DocumentNode>({ ...common, maxSize: maxLength * freshShare });
  const known = new LRUCache<string, DocumentNode>({
    ...common,
    maxSize: maxLength * (1 - freshShare),
  });
  const seen = new LRUCache<string, true>({ max: maxSeen });

  function set(key: string, document: DocumentNode): void {
    (seen.has(key) ? known : fresh).set(key, document);
    seen.set(key, true);
  }

  return {
    get(key) {
      const document = known.get(key) ?? fresh.get(key);
      if (document !== undefined && fresh.delete(key)) set(key, document);
      return document;
    },
    set,
    delete(key) {
      const wasKnown = known.delete(key);
      return fresh.delete(key) || wasKnown;
    },
  };
}

function lengthOf(document: DocumentNode): number {
  return Math.max(1, document.loc?.source.body.length ?? 0);
}
