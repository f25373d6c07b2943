// Limits the number of errors that one execution raises for invalid values of the service, and their memory.
import { GatewayError, noMemory } from '../../errors.ts';
import type { GatewayContext } from '../context.ts';

/** The memory for an error of graphql-js, with its stack trace, as measured. */
const bytesPerError = 2048;

/**
 * Returns the value, with null for each error beyond the limit: graphql-js takes about 20 µs for an error. Throws
 * `noMemory` if the errors take too much memory.
 */
export function boundErrors<T>(
  value: T,
  context: Pick<GatewayContext, 'allowance' | 'keep'>,
): T | null {
  if (value instanceof GatewayError) {
    if (!context.allowance.takeError()) return null;
    if (!context.keep(bytesPerError)) throw noMemory;
    return value;
  }
  if (!Array.isArray(value) || !value.some((item) => item instanceof GatewayError)) return value;
  return value.map((item: unknown) => boundErrors(item, context)) as T;
}
