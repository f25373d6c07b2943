// What the process knows of operation texts: a valid document, what its operations need, their plans. Bounded by weight.
import { hash } from 'node:crypto';
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

  /** The operation of this name; of the only operation for null. Null if there is none. */
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
 * Bytes of memory for a node of a document with its tokens, measured: 120 to 300 in V8 of Node.js 24. Texts take a byte
 * or two a character, and what is known of operations less than the nodes they are of.
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

/** By text and by hash, which are never looked up as one another. */
export interface OperationCache {
  /** Of this text, to the character. */
  find(text: string): KnownDocument | undefined;
  /** Keeps a valid document, if it is not too large. */
  add(document: DocumentNode, sha256?: string): KnownDocument;
  /** Of a document that was added, also if it is no longer kept. */
  describe(document: DocumentNode): KnownDocument;
  /** To be called when the weight of a document changed: plans came or went. */
  reweigh(known: KnownDocument): void;
  /** As Apollo Server asks for documents: by SHA-256 behind a prefix of its own. */
  readonly documentStore: DocumentStore;
}

/** What Apollo Server asks of its `documentStore`. */
export interface DocumentStore {
  get(key: string): Promise<DocumentNode | undefined>;
  set(key: string, document: DocumentNode): Promise<void>;
  delete(key: string): Promise<boolean>;
}

/** Bytes in all, by estimate; measured in test/security/operation-cache.test.ts. */
const maxWeight = 32 * 1024 * 1024;

/** Of that, for documents that were asked for once. */
const freshShare = 1 / 4;

/** The largest document that is kept with its plans: a few of those could take the place of all others. */
const largestShare = 1 / 16;

/** Hashes of documents that came before, whether they are still kept or not. */
const maxSeen = 10_000;

/**
 * A segmented LRU. Anybody may send documents without end, no two alike, so what came once has a segment of its own: it
 * pushes out its like. What is asked for again moves to the larger segment, also if it had to make way in between. To push
 * something out of that, a client has to send each of its documents twice.
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

  /** Marks a document as used, which may move it. */
  function use(known: KnownDocument): KnownDocument {
    if (inUse.get(known.hash) === undefined) put(inUse, known);
    return known;
  }

  function find(text: string): KnownDocument | undefined {
    const known = byText.get(text);
    return known && use(known);
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
