// Limits the number of errors that one execution raises for invalid values of the service, and their memory.
import { GatewayError, noMemory } from '../../errors.ts';
import type { GatewayContext } from '../context.ts';

export const maxErrors = 1000;

/** The message of the error that stands for all that are not listed. */
export const moreErrors = 'The operation has more errors than this answer lists.';

/** The memory for an error of graphql-js, with its stack trace, as measured. */
const bytesPerError = 2048;

/** The number of errors raised so far; the key is the execution's context. */
const raised = new WeakMap<object, number>();

/**
 * Returns the value, with null for each error beyond the limit: graphql-js takes about 20 µs for an error. Throws
 * `noMemory` if the errors take too much memory.
 */
export function boundErrors<T>(value: T, context: Pick<GatewayContext, 'keep'>): T | null {
  if (value instanceof GatewayError) {
    const before = raised.get(context) ?? 0;
    raised.set(context, before + 1);
    if (before <= maxErrors && !context.keep(bytesPerError)) throw noMemory;
    // One error more than `maxErrors` is kept, so that format-error.ts can tell that errors were dropped.
    return before <= maxErrors ? value : null;
  }
  if (!Array.isArray(value) || !value.some((item) => item instanceof GatewayError)) return value;
  return value.map((item: unknown) => boundErrors(item, context)) as T;
}
