// One execution of a plan: for whom, with which variables, and what was read so far.
import type { GraphQLResolveInfo } from 'graphql';
import type { GatewayContext } from '../context.ts';

/** Variables, coerced. */
export type Variables = Readonly<Record<string, unknown>>;

/** What a resolver is called with beside its parent and the context. */
export interface ResolverCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly info: GraphQLResolveInfo;
}

/** What the reads of a plan came to. Each read has a slot of its own, with a value for each parent that has its field. */
export class Run {
  readonly context: GatewayContext;
  readonly variables: Variables;
  readonly #slots: (Map<unknown, unknown> | undefined)[] = [];
  readonly #calls: (ResolverCall | undefined)[] = [];

  constructor(context: GatewayContext, variables: Variables) {
    this.context = context;
    this.variables = variables;
  }

  /** What the resolver of a read is called with for every parent, made for the first. */
  callOf(slot: number, make: (variables: Variables) => ResolverCall): ResolverCall {
    return (this.#calls[slot] ??= make(this.variables));
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
