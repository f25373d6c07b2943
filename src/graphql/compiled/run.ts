// One execution of a plan: its context, its variables, the values read so far, and the pending reads.
import type { GraphQLResolveInfo, SourceLocation } from 'graphql';
import type { GatewayError } from '../../errors.ts';
import type { GatewayContext } from '../context.ts';
import type { Variables } from '../operation/operation-request.ts';

/** The calls of one resolver: its arguments other than parent and context, and the value read for each parent. */
export interface Read {
  readonly args: Readonly<Record<string, unknown>>;
  readonly info: GraphQLResolveInfo;
  values: Map<unknown, unknown> | null;
}

/** The error of a nullable root field, which does not affect other fields, as the client gets it. */
export interface FailedField extends Pick<GatewayError, 'message' | 'extensions'> {
  readonly locations: readonly SourceLocation[];
  readonly path: readonly [key: string];
}

type Load = (run: Run) => void;
type OnError = (error: unknown) => void;

export class Run {
  readonly context: GatewayContext;
  /** The coerced variables. */
  readonly variables: Variables;
  /** If several root fields fail, graphql-js answers, because it determines the order of the errors. */
  failed: FailedField | null = null;
  /** The reads that have begun, each at the slot of its field. */
  readonly reads: (Read | undefined)[] = [undefined];
  readonly #onLoaded: Load;
  readonly #onFailed: OnError;
  #hasFailed = false;
  /** The number of unfinished steps; a failed step remains counted. */
  #steps = 0;

  /** Calls `onLoaded` when all reads have ended, or `onFailed` once, as soon as graphql-js has to answer. */
  constructor(context: GatewayContext, variables: Variables, onLoaded: Load, onFailed: OnError) {
    this.context = context;
    this.variables = variables;
    this.#onLoaded = onLoaded;
    this.#onFailed = onFailed;
  }

  /** Starts the reads. Call it once. */
  start(load: Load): void {
    this.#steps++;
    this.#end(load, this);
  }

  /** Calls `next` with the value, or `otherwise` with the error. Both throw if graphql-js has to answer. */
  after<T>(value: T | Promise<T>, next: (value: T) => void, otherwise: OnError = rethrow): void {
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

  /** After a failure, nothing more is done: graphql-js reads the rest itself, and each read counts as a call. */
  #end<T>(step: (value: T) => void, value: T): void {
    if (this.#hasFailed) return;
    try {
      step(value);
      if (--this.#steps === 0) this.#onLoaded(this);
    } catch (error) {
      this.#hasFailed = true;
      this.#onFailed(error);
    }
  }
}

function rethrow(error: unknown): never {
  throw error;
}
