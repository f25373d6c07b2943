// Known operation texts: their documents, what their operations need, and their plans; bounded by weight.
import { hash } from 'node:crypto';
import type { ApolloServerOptions } from '@apollo/server';
import { type DocumentNode, Kind, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import { PlanSet } from '../compiled/plan-set.ts';
import { KnownOperation } from './operation.ts';

/** A document that was parsed and is valid. */
export class KnownDocument {
  readonly text: string;
  /** SHA-256 of the text, in hex. */
  readonly hash: string;
  readonly document: DocumentNode;
  readonly plans: PlanSet;
  readonly #weight: number;
  #operations: ReadonlyMap<string | null, KnownOperation> | undefined;

  constructor(document: DocumentNode, sha256?: string) {
    this.document = document;
    this.text = document.loc?.source.body ?? '';
    this.hash = sha256 ?? hash('sha256', this.text);
    this.#weight = weightOf(this.text, document);
    this.plans = new PlanSet(document, maxWeight * largestShare - this.#weight);
  }

  /** The operation of this name, or the only operation for null; null if there is none. */
  operation(name: string | null): KnownOperation | null {
    this.#operations ??= operationsOf(this.document);
    return this.#operations.get(name) ?? null;
  }

  /** Bytes that it takes, by estimate. */
  get weight(): number {
    return this.#weight + this.plans.weight;
  }
}

/**
 * Bytes of memory for a node of a document with its tokens: 120 to 300 were measured in V8 of Node.js 24. Texts take one
 * or two bytes per character, and a KnownOperation less than its nodes.
 */
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

function operationsOf(document: DocumentNode): ReadonlyMap<string | null, KnownOperation> {
  const nodes = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const operations = new Map<string | null, KnownOperation>();
  for (const node of nodes) {
    const operation = new KnownOperation(node, document);
    if (node.name !== undefined) operations.set(node.name.value, operation);
    if (nodes.length === 1) operations.set(null, operation);
  }
  return operations;
}

/** Documents by text and by hash, in separate indexes. */
export interface OperationCache {
  /** The document of exactly this text. */
  find(text: string): KnownDocument | undefined;
  /** Keeps a valid document, if it is not too large. */
  add(document: DocumentNode, sha256?: string): KnownDocument;
  /** The entry of a document that was added, even if it is no longer kept. */
  describe(document: DocumentNode): KnownDocument;
  /** Call it when plans were added or removed, which changes the weight. */
  reweigh(known: KnownDocument): void;
  /** For Apollo Server, whose keys are its own prefix and the SHA-256. */
  readonly documentStore: NonNullable<ApolloServerOptions<object>['documentStore']>;
}

/** Bytes in all, by estimate; measured in test/security/operation-cache.test.ts. */
const maxWeight = 32 * 1024 * 1024;

/** The share for documents that were requested once. */
const freshShare = 1 / 4;

/** The share of the largest entry: a few larger ones could evict all others. */
const largestShare = 1 / 16;

/** Hashes of earlier documents, including evicted ones. */
const maxSeen = 10_000;

/**
 * A segmented LRU. A flood of distinct documents evicts only documents that were requested once, because those have a
 * separate segment. A document that is requested again moves to the larger segment, even if it was evicted in between.
 * To evict from that segment, a client has to send each of its documents twice.
 */
export function createOperationCache(): OperationCache {
  const byText = new Map<string, KnownDocument>();
  const described = new WeakMap<DocumentNode, KnownDocument>();
  const [fresh, inUse] = [freshShare, 1 - freshShare].map(
    (share) =>
      new LRUCache<string, KnownDocument>({
        maxSize: maxWeight * share,
        sizeCalculation: ({ weight }) => weight,
        dispose(known, _hash, reason) {
          if (reason === 'evict') byText.delete(known.text);
        },
      }),
  ) as [LRUCache<string, KnownDocument>, LRUCache<string, KnownDocument>];
  const seen = new LRUCache<string, true>({ max: maxSeen });

  function put(segment: typeof fresh, known: KnownDocument): void {
    fresh.delete(known.hash);
    inUse.delete(known.hash);
    byText.set(known.text, known);
    segment.set(known.hash, known);
  }

  function find(text: string): KnownDocument | undefined {
    const known = byText.get(text);
    // Marks the document as used, which may move it.
    if (known !== undefined && inUse.get(known.hash) === undefined) put(inUse, known);
    return known;
  }

  function add(document: DocumentNode, sha256?: string): KnownDocument {
    const known = new KnownDocument(document, sha256);
    described.set(document, known);
    if (known.weight <= maxWeight * largestShare) {
      put(seen.has(known.hash) ? inUse : fresh, known);
    }
    seen.set(known.hash, true);
    return known;
  }

  return {
    find,
    add,
    describe: (document) => described.get(document) ?? add(document),
    reweigh(known) {
      if (byText.get(known.text) === known) put(inUse, known);
    },
    documentStore: {
      get(key) {
        const sha256 = key.slice(key.indexOf(':') + 1);
        const known = fresh.peek(sha256) ?? inUse.peek(sha256);
        return Promise.resolve(known?.document);
      },
      set(key, document) {
        add(document, key.slice(key.indexOf(':') + 1));
        return Promise.resolve();
      },
      delete: () => Promise.resolve(false),
    },
  };
}
