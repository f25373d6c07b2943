// One execution of a plan: for whom, with which variables, and what was read so far.
import type { GatewayContext } from '../context.ts';

/** Variables, coerced. */
export type Variables = Readonly<Record<string, unknown>>;

/** What the reads of a plan came to. Each read has a slot of its own, with a value for each parent that has its field. */
export class Run {
  readonly context: GatewayContext;
  readonly variables: Variables;
  readonly #slots: (Map<unknown, unknown> | undefined)[] = [];

  constructor(context: GatewayContext, variables: Variables) {
    this.context = context;
    this.variables = variables;
  }

  keep(slot: number, parent: unknown, value: unknown): void {
    const values = this.#slots[slot];
    if (values === undefined) this.#slots[slot] = new Map([[parent, value]]);
    else values.set(parent, value);
  }

  /** A value that was kept. */
  valueOf(slot: number, parent: unknown): unknown {
    return this.#slots[slot]?.get(parent);
  }
}
