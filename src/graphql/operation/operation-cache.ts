// The cache of known operation texts, with their documents, requirements and plans. Its total weight is limited.
import { hash } from 'node:crypto';
import { type DocumentNode, getOperationAST, type OperationDefinitionNode } from 'graphql';
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
  /** By the key of `keyOf`; null until the first state, because most texts of a flood are never repeated. */
  #states: LRUCache<string, PlanState> | null = null;

  constructor(document: DocumentNode, sha256?: string) {
    this.document = document;
    this.text = document.loc?.source.body ?? '';
    this.hash = sha256 ?? hash('sha256', this.text);
    const { tokenCount = this.text.length } = document;
    this.#ownWeight = 1024 + 2 * this.text.length + tokenWeight * tokenCount;
  }

  /** Returns the only operation if the name is null; null if there is no such operation. */
  operation(name: string | null): KnownOperation | null {
    const node = getOperationAST(this.document, name);
    if (!node) return null;
    const known = this.#operations.get(node) ?? new KnownOperation(node, this.document);
    this.#operations.set(node, known);
    return known;
  }

  /** The key of a plan: the operation and its Boolean variables, which serve only @skip and @include. */
  keyOf({ node }: KnownOperation, variables: Variables): string {
    // Without names, because a name may have 100,000 characters.
    let key = String(node.loc?.start);
    for (const { variable } of node.variableDefinitions ?? []) {
      const value = variables[variable.name.value];
      key += value === true ? 't' : value === false ? 'f' : '-';
    }
    return key;
  }

  stateOf(key: string): PlanState | undefined {
    return this.#states?.get(key);
  }

  setState(key: string, state: PlanState): void {
    this.#states ??= new LRUCache({
      max: maxStates,
      maxSize: Math.max(maxEntryWeight - this.#ownWeight, 1),
      sizeCalculation: (one) => (typeof one === 'object' ? one.weight : 1),
    });
    this.#states.set(key, state);
    // Otherwise a plan that is too large to be kept would be compiled again and again.
    if (!this.#states.has(key)) this.#states.set(key, 'unsupported');
  }

  /** Estimated bytes of memory. */
  get weight(): number {
    return this.#ownWeight + (this.#states?.calculatedSize ?? 0);
  }
}

/** Bytes per token, with its syntax nodes: more than the 240 to 490 measured in Node.js 24. */
const tokenWeight = 512;

/** In estimated bytes; test/security/operation-cache.test.ts measures the memory that the cache takes. */
const maxWeight = 32 * 1024 * 1024;

/** Up to this weight, texts are kept when they are sent for the first time; beyond it, from the second time on. */
const maxFreshWeight = (3 / 4) * maxWeight;

/** Larger entries are not kept, because a few of them could evict all others. */
const maxEntryWeight = maxWeight / 16;

/** The largest number of hashes that are remembered, including those of evicted documents. */
const maxSeen = 10_000;

/** An LRU, in which a text that was sent only once evicts no other, so that a flood of distinct texts does no harm. */
export class OperationCache {
  readonly #kept = new LRUCache<string, KnownDocument>({
    maxSize: maxWeight,
    maxEntrySize: maxEntryWeight,
    sizeCalculation: ({ weight }) => weight,
  });
  readonly #seen = new LRUCache<number, true>({ max: maxSeen });

  find(text: string): KnownDocument | null {
    return this.#kept.get(text) ?? null;
  }

  /** Describes a document, and keeps it unless it is too large, or too new in a full cache. */
  add(document: DocumentNode, sha256?: string): KnownDocument {
    const known = new KnownDocument(document, sha256);
    // The first 48 bits of the hash as a number take less than half of the memory that the hash takes as a string.
    const seenKey = Number.parseInt(known.hash.slice(0, 12), 16);
    const hasRoom = this.#kept.calculatedSize < maxFreshWeight;
    if (hasRoom || this.#seen.has(seenKey)) this.#kept.set(known.text, known);
    this.#seen.set(seenKey, true);
    return known;
  }

  /** Updates the weight of a document in the cache; call it after plans have been added or removed. */
  reweigh(known: KnownDocument): void {
    if (this.#kept.peek(known.text) !== known) return;
    // `set` alone would keep the old weight, because the value is the same.
    this.#kept.delete(known.text);
    this.#kept.set(known.text, known);
  }
}
