// The plans of one document: one for each operation and each combination of the variables in @skip and @include.
import { type DocumentNode, Kind, visit } from 'graphql';
import type { Variables } from '../operation/operation-request.ts';
import type { KnownOperation } from '../operation/operation.ts';
import type { OperationPlan } from './compile.ts';

/** A plan, or why there is none. `answered`: graphql-js answered without an error; the next request compiles a plan. */
export type PlanState = 'answered' | 'unsupported' | 'defect' | OperationPlan;

/** The largest number of states. An operation with n conditions has 2^n combinations, but clients use few of them. */
const maxStates = 16;

/** The most recently used states, bounded by number and weight. */
export class PlanSet {
  readonly #document: DocumentNode;
  readonly #maxWeight: number;
  /** The states, in order of their last use. */
  readonly #states = new Map<string, PlanState>();
  #conditions: readonly string[] | undefined;

  constructor(document: DocumentNode, maxWeight: number) {
    this.#document = document;
    this.#maxWeight = maxWeight;
  }

  get weight(): number {
    let weight = 0;
    for (const state of this.#states.values()) {
      if (typeof state === 'object') weight += state.weight;
    }
    return weight;
  }

  get isEmpty(): boolean {
    return this.#states.size === 0;
  }

  /** The key of a combination: the operation's name and the values of its conditions. The variables must be coerced. */
  keyOf({ node }: KnownOperation, variables: Variables): string {
    this.#conditions ??= conditionNames(this.#document);
    let key = node.name?.value ?? '';
    for (const name of this.#conditions) key += ` ${String(variables[name])}`;
    return key;
  }

  get(key: string): PlanState | undefined {
    const state = this.#states.get(key);
    if (state !== undefined && this.#states.size > 1) {
      this.#states.delete(key);
      this.#states.set(key, state);
    }
    return state;
  }

  set(key: string, state: PlanState): void {
    this.#states.delete(key);
    this.#states.set(key, state);
    for (const oldest of this.#states.keys()) {
      if (this.#states.size <= maxStates && this.weight <= this.#maxWeight) return;
      this.#states.delete(oldest);
    }
  }
}

function conditionNames(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive({ arguments: args = [] }) {
      for (const { value } of args) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      return false;
    },
  });
  return [...names];
}
