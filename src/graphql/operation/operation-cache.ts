// The cache of known operation texts, with their documents, requirements and plans. It is limited by weight.
import { hash } from 'node:crypto';
import type { ApolloServerOptions } from '@apollo/server';
import { type DocumentNode, getOperationAST, type OperationDefinitionNode, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import { PlanSet } from '../compiled/plan-set.ts';
import { KnownOperation } from './operation.ts';

/** A parsed and valid document. */
export class KnownDocument {
  readonly text: string;
  /** SHA-256 of the text, in hex. */
  readonly hash: string;
  readonly document: DocumentNode;
  readonly plans: PlanSet;
  readonly #weight: number;
  readonly #operations = new Map<OperationDefinitionNode, KnownOperation>();

  constructor(document: DocumentNode, sha256?: string) {
    this.document = document;
    this.text = document.loc?.source.body ?? '';
    this.hash = sha256 ?? hash('sha256', this.text);
    this.#weight = weightOf(this.text, document);
    this.plans = new PlanSet(document, maxWeight * largestShare - this.#weight);
  }

  /** The operation with this name, or the only operation if the name is null. Null if there is no such operation. */
  operation(name: string | null): KnownOperation | null {
    const node = getOperationAST(this.document, name);
    if (!node) return null;
    const known = this.#operations.get(node) ?? new KnownOperation(node, this.document);
    this.#operations.set(node, known);
    return known;
  }

  /** The estimated bytes of memory of the document and its plans. */
  get weight(): number {
    return this.#weight + this.plans.weight;
  }
}

/** Bytes of memory per node of a document, with its tokens: 120 to 300 were measured in V8 of Node.js 24. */
const nodeWeight = 400;

function weightOf(text: string, document: DocumentNode): number {
  let nodes = 0;
  visit(document, {
    enter() {
      nodes++;
    },
  });
  return 1024 + 2 * text.length + nodeWeight * nodes;
}

/** The estimated bytes of memory for the whole cache; measured in test/security/operation-cache.test.ts. */
const maxWeight = 32 * 1024 * 1024;

/** The share of `maxWeight` for documents that were requested once. */
const freshShare = 1 / 4;

/** The largest share of `maxWeight` for one entry: a few larger ones could evict all others. */
const largestShare = 1 / 16;

/** The largest number of remembered hashes of earlier documents, including evicted ones. */
const maxSeen = 10_000;

type Segment = LRUCache<string, KnownDocument>;

/**
 * Documents by text and by hash, in a segmented LRU. A document moves to the larger segment when it is requested again,
 * even if it was evicted in between, so a flood of distinct documents evicts only those requested once.
 */
export class OperationCache {
  readonly #byText = new Map<string, KnownDocument>();
  readonly #described = new WeakMap<DocumentNode, KnownDocument>();
  readonly #fresh = this.#segment(freshShare);
  readonly #inUse = this.#segment(1 - freshShare);
  readonly #seen = new LRUCache<number, true>({ max: maxSeen });

  /** The document store for Apollo Server, whose keys consist of a prefix and the SHA-256. */
  readonly documentStore: NonNullable<ApolloServerOptions<object>['documentStore']> = {
    get: (key) => {
      const sha256 = hashIn(key);
      const known = this.#fresh.peek(sha256) ?? this.#inUse.peek(sha256);
      return Promise.resolve(known?.document);
    },
    set: (key, document) => {
      this.add(document, hashIn(key));
      return Promise.resolve();
    },
    delete: () => Promise.resolve(false),
  };

  find(text: string): KnownDocument | undefined {
    const known = this.#byText.get(text);
    // `get` marks the document as used. A second use moves it to the larger segment.
    if (known !== undefined && this.#inUse.get(known.hash) === undefined) {
      this.#put(this.#inUse, known);
    }
    return known;
  }

  /** Adds a valid document; it is kept only if it is not too large. */
  add(document: DocumentNode, sha256?: string): KnownDocument {
    const known = new KnownDocument(document, sha256);
    this.#described.set(document, known);
    // A part of the hash, as a number, takes less than half of the memory of its text.
    const seenKey = Number.parseInt(known.hash.slice(0, 12), 16);
    if (known.weight <= maxWeight * largestShare) {
      this.#put(this.#seen.has(seenKey) ? this.#inUse : this.#fresh, known);
    }
    this.#seen.set(seenKey, true);
    return known;
  }

  /** The entry of a document, even if it has been evicted; adds an unknown document. */
  describe(document: DocumentNode): KnownDocument {
    return this.#described.get(document) ?? this.add(document);
  }

  /** Updates the weight of a document. Call it after plans were added or removed. */
  reweigh(known: KnownDocument): void {
    if (this.#byText.get(known.text) === known) this.#put(this.#inUse, known);
  }

  #segment(share: number): Segment {
    return new LRUCache({
      maxSize: maxWeight * share,
      sizeCalculation: ({ weight }) => weight,
      dispose: (known, _hash, reason) => {
        if (reason === 'evict') this.#byText.delete(known.text);
      },
    });
  }

  #put(segment: Segment, known: KnownDocument): void {
    this.#fresh.delete(known.hash);
    this.#inUse.delete(known.hash);
    this.#byText.set(known.text, known);
    segment.set(known.hash, known);
  }
}

function hashIn(key: string): string {
  return key.slice(key.indexOf(':') + 1);
}
