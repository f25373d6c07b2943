// The result of a check, and the violation for a wrong value.
import { contractViolation, type GatewayError } from '../../errors.ts';

/**
 * A field of an answer after its check: its value; null if the service left it out or sent null; or the
 * UPSTREAM_CONTRACT_VIOLATION that takes the value's place. graphql-js treats a property that is an Error as thrown by
 * its field, so default resolvers null exactly this field, with the error on its path (docs/exactness.md).
 */
export type Checked<T> = T | null | GatewayError;

/**
 * `at` is the JSON pointer of the object and `key` the field in it. They are two arguments so that a good value costs no
 * concatenation. A violation names the place and never the value.
 */
export function violation(at: string, key: string, what: string): GatewayError {
  const pointer = `${at}/${key}`;
  return contractViolation(`${pointer} ${what}`, pointer);
}

/** A violation before its place in the answer is known; the message describes the value. */
export class Wrong extends Error {}
