// One execution of a plan: its context, its variables, the values read so far, and the pending reads.
import type { GraphQLResolveInfo, SourceLocation } from 'graphql';
import type { GatewayError } from '../../errors.ts';
import type { GatewayContext } from '../context.ts';
import type { Variables } from '../operation/operation-request.ts';

/** The calls of one resolver: its arguments other than parent and context, and the value read for each parent. */
export interface Read {
  readonly args: Readonly<Record<string, unknown>>;
  readonly info: GraphQLResolveInfo;
  readonly values: Map<unknown, unknown>;
}

/** The error of a nullable root field, which does not affect other fields, as the client gets it. */
export interface FailedField extends Pick<GatewayError, 'message' | 'extensions'> {
  readonly locations: readonly SourceLocation[];
  readonly path: readonly [key: string];
}

export class Run {
  readonly context: GatewayContext;
  /** The coerced variables. */
  readonly variables: Variables;
  /** If several root fields fail, graphql-js answers, because it determines the order of the errors. */
  failed: FailedField | null = null;
  /** The reads that have begun, each at the slot of its field. */
  readonly reads: (Read | undefined)[] = [undefined];
  readonly #ended = Promise.withResolvers<undefined>();
  /** The number of unfinished steps; a failed step remains counted. */
  #steps = 0;

  constructor(context: GatewayContext, variables: Variables) {
    this.context = context;
    this.variables = variables;
  }

  /** Starts the reads; resolves when all have ended, or rejects as soon as graphql-js has to answer. Call it once. */
  loaded(load: (run: Run) => void): Promise<undefined> {
    this.#steps++;
    this.#end(load, this);
    return this.#ended.promise;
  }

  /** Calls `next` with the value, or `otherwise` with the error. Both throw if graphql-js has to answer. */
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
}

function rethrow(error: unknown): never {
  throw error;
}
