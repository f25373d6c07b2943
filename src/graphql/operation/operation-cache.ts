// The cache of known operation texts, with their documents, requirements and plans. Its total weight is limited.
import { hash } from 'node:crypto';
import {
  type DocumentNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { OperationPlan } from '../compiled/compile.ts';
import { KnownOperation } from './operation.ts';
import type { Variables } from './operation-request.ts';

/** `answered`: graphql-js has answered without an error, so the next request compiles a plan. */
export type PlanState = 'answered' | 'unsupported' | 'defect' | OperationPlan;

/** Plan states per document: n conditions have 2^n combinations, but clients use few of them. */
const maxStates = 16;

export class KnownDocument {
  readonly text: string;
  /** The SHA-256 of the text, in hex. */
  readonly hash: string;
  readonly document: DocumentNode;
  readonly #ownWeight: number;
  readonly #operations = new Map<OperationDefinitionNode, KnownOperation>();
  /** By the key of `keyOf`, in order of last use. */
  readonly #states = new Map<string, PlanState>();
  readonly #conditions: ReadonlySet<string>;

  constructor(document: DocumentNode, sha256?: string) {
    this.document = document;
    this.text = document.loc?.source.body ?? '';
    this.hash = sha256 ?? hash('sha256', this.text);
    let nodes = 0;
    const conditions = new Set<string>();
    visit(document, {
      enter(node) {
        nodes++;
        if (node.kind !== Kind.DIRECTIVE) return;
        for (const { value } of node.arguments ?? []) {
          if (value.kind === Kind.VARIABLE) conditions.add(value.name.value);
        }
      },
    });
    this.#ownWeight = 1024 + 2 * this.text.length + nodeWeight * nodes;
    this.#conditions = conditions;
  }

  /** Returns the only operation if the name is null; null if there is no such operation. */
  operation(name: string | null): KnownOperation | null {
    const node = getOperationAST(this.document, name);
    if (!node) return null;
    const known = this.#operations.get(node) ?? new KnownOperation(node, this.document);
    this.#operations.set(node, known);
    return known;
  }

  /** The key of a plan, which depends on the operation and on the coerced variables in @skip and @include. */
  keyOf({ node }: KnownOperation, variables: Variables): string {
    let key = node.name?.value ?? '';
    for (const name of this.#conditions) key += ` ${String(variables[name])}`;
    return key;
  }

  stateOf(key: string): PlanState | undefined {
    const state = this.#states.get(key);
    if (state !== undefined && this.#states.size > 1) {
      this.#states.delete(key);
      this.#states.set(key, state);
    }
    return state;
  }

  setState(key: string, state: PlanState): void {
    this.#states.delete(key);
    this.#states.set(key, state);
    for (const oldest of this.#states.keys()) {
      if (this.#states.size <= maxStates && this.weight <= maxEntryWeight) return;
      this.#states.delete(oldest);
    }
  }

  /** Estimated bytes of memory. */
  get weight(): number {
    let weight = this.#ownWeight;
    for (const state of this.#states.values()) {
      if (typeof state === 'object') weight += state.weight;
    }
    return weight;
  }
}

/** Bytes per syntax node, including its tokens: more than the 120 to 300 measured in Node.js 24. */
const nodeWeight = 400;

/** In estimated bytes; test/security/operation-cache.test.ts measures the memory that the cache takes. */
const maxWeight = 32 * 1024 * 1024;

/** The share of `maxWeight` for documents that were requested once. */
const freshShare = 1 / 4;

/** Larger entries are not kept, because a few of them could evict all others. */
const maxEntryWeight = maxWeight / 16;

/** The largest number of hashes that are remembered, including those of evicted documents. */
const maxSeen = 10_000;

/** A segmented LRU, so that a flood of distinct documents evicts only documents that were requested once. */
export class OperationCache {
  readonly #fresh = segment(freshShare);
  readonly #inUse = segment(1 - freshShare);
  readonly #seen = new LRUCache<number, true>({ max: maxSeen });
  readonly #described = new WeakMap<DocumentNode, KnownDocument>();

  find(text: string): KnownDocument | null {
    const inUse = this.#inUse.get(text);
    if (inUse !== undefined) return inUse;
    const fresh = this.#fresh.peek(text);
    if (fresh === undefined) return null;
    this.#put(this.#inUse, fresh);
    return fresh;
  }

  /** Describes a document and keeps it, unless it is too large. */
  add(document: DocumentNode, sha256?: string): KnownDocument {
    const known = new KnownDocument(document, sha256);
    this.#described.set(document, known);
    // The first 48 bits of the hash as a number take less than half of the memory that the hash takes as a string.
    const seenKey = Number.parseInt(known.hash.slice(0, 12), 16);
    this.#put(this.#seen.has(seenKey) ? this.#inUse : this.#fresh, known);
    this.#seen.set(seenKey, true);
    return known;
  }

  /** Finds a document, even an evicted one; adds it if it is unknown. */
  describe(document: DocumentNode, sha256: string | undefined): KnownDocument {
    return this.#described.get(document) ?? this.add(document, sha256);
  }

  /** Updates the weight of a document in the cache; call it after plans have been added or removed. */
  reweigh(known: KnownDocument): void {
    if (this.#inUse.peek(known.text) === known) this.#put(this.#inUse, known);
  }

  #put(segment: LRUCache<string, KnownDocument>, known: KnownDocument): void {
    this.#fresh.delete(known.text);
    this.#inUse.delete(known.text);
    segment.set(known.text, known);
  }
}

function segment(share: number): LRUCache<string, KnownDocument> {
  return new LRUCache({
    maxSize: maxWeight * share,
    maxEntrySize: maxEntryWeight,
    sizeCalculation: ({ weight }) => weight,
  });
}
