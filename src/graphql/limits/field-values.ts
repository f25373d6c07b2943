// Limits the field values of accounts and transactions in an answer, because aliases and references can repeat a list.
import { GatewayError } from '../../errors.ts';
import { moreErrors } from './field-errors.ts';

/** Enough for 45 slices of 100 transactions with all ten fields; `nodes` itself counts as an eleventh. */
const maxValues = 50_000;

/** A slice counts as at least this many values, so an operation has at most 500 slices. */
export const minOfSlice = 100;

const excess = `The operation selects more than ${maxValues} field values of accounts and transactions.`;

/** After a fallback, graphql-js counts from the start, because Apollo Server passes on a copy of the context. */
const valuesLeft = new WeakMap<object, number>();

/**
 * Counts the values of a field before they are read. Throws OPERATION_TOO_COMPLEX beyond `maxValues`. After 500 such
 * errors and one that states that there are more, returns false for a field that is to be null, because errors take
 * time.
 */
export function countValues(values: number, context: object): boolean {
  const before = valuesLeft.get(context) ?? maxValues;
  if (values <= before) {
    valuesLeft.set(context, before - values);
    return true;
  }
  const left = Math.min(before, 0) - minOfSlice;
  valuesLeft.set(context, left);
  if (left < -maxValues - minOfSlice) return false;
  const message = left < -maxValues ? moreErrors : excess;
  throw new GatewayError('OPERATION_TOO_COMPLEX', { message });
}
