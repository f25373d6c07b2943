// One execution of a plan: its context, its variables, the values read so far, and the reads that it waits for.
import type { GraphQLResolveInfo, SourceLocation } from 'graphql';
import type { GatewayError } from '../../errors.ts';
import type { GatewayContext } from '../context.ts';
import type { Variables } from '../operation/operation-request.ts';

/** The arguments of a resolver other than its parent and the context. */
export interface ResolverCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly info: GraphQLResolveInfo;
}

/** A nullable root field that failed, which does not affect other fields. */
export interface FailedField {
  readonly key: string;
  readonly locations: readonly SourceLocation[];
  readonly error: GatewayError;
}

/** The values that a plan has read. Each read has its own slot, with a value for each parent that has its field. */
export class Run {
  readonly context: GatewayContext;
  /** Coerced. */
  readonly variables: Variables;
  /** The root field that failed. If several fail, graphql-js answers, because it knows the order of their errors. */
  failed: FailedField | null = null;
  readonly #slots: (Map<unknown, unknown> | undefined)[] = [];
  readonly #calls: (ResolverCall | undefined)[] = [];
  readonly #ended = Promise.withResolvers<undefined>();
  /** The number of steps that have not ended; a failed step stays counted. */
  #steps = 0;

  constructor(context: GatewayContext, variables: Variables) {
    this.context = context;
    this.variables = variables;
  }

  /** Begins reads by `load`; resolves when all have ended, and rejects with the first error. Called once. */
  loaded(load: (run: Run) => void): Promise<undefined> {
    this.#steps++;
    this.#end(load, this);
    return this.#ended.promise;
  }

  /** Continues with a value once it is available; `next` and `otherwise` throw errors that graphql-js has to answer. */
  after<T>(
    value: T | Promise<T>,
    next: (value: T) => void,
    otherwise: (error: unknown) => void = rethrow,
  ): void {
    if (!(value instanceof Promise)) {
      next(value);
      return;
    }
    this.#steps++;
    value.then(
      (found) => this.#end(next, found),
      (error: unknown) => this.#end(otherwise, error),
    );
  }

  #end<T>(step: (value: T) => void, value: T): void {
    try {
      step(value);
      if (--this.#steps === 0) this.#ended.resolve(undefined);
    } catch (error) {
      this.#ended.reject(error);
    }
  }

  /** The arguments of a read's resolver, the same for every parent; made for the first one. */
  callOf(slot: number, make: (variables: Variables) => ResolverCall): ResolverCall {
    return (this.#calls[slot] ??= make(this.variables));
  }

  keep(slot: number, parent: unknown, value: unknown): void {
    const values = this.#slots[slot];
    if (values === undefined) this.#slots[slot] = new Map([[parent, value]]);
    else values.set(parent, value);
  }

  /** The value that was read for a parent. */
  valueOf(slot: number, parent: unknown): unknown {
    return this.#slots[slot]?.get(parent);
  }
}

function rethrow(error: unknown): never {
  throw error;
}
