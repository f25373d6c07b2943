// What one execution of an operation may use: calls to the service, and what makes its answer long or costly.
import { GatewayError } from '../../errors.ts';
import type { CallBudget } from '../../upstream/client.ts';
import { maxAnswerLength } from './answer-size.ts';

/** Enough for 45 slices of 100 transactions with ten fields; `nodes` itself counts as an eleventh. */
const maxValues = 50_000;

/** A slice counts as at least this many values, so an operation has at most 500 slices. */
export const minOfSlice = 100;

const excess = `The operation selects more than ${maxValues} field values in lists.`;

/** The largest number of errors in an answer. */
export const maxErrors = 1000;

/** The message of the error that stands for all that are not listed. */
export const moreErrors = 'The operation has more errors than this answer lists.';

export class Allowance {
  /** The calls to the service and the memory for its answers. */
  readonly calls: CallBudget;
  /** The error that takes the place of the whole answer; null if the answer is within its limits. */
  failure: GatewayError | null = null;
  /** By the path of an item's error: indexes of items with the same error, which graphql-js need not handle: 3 µs each. */
  sharers: Map<readonly (string | number)[], readonly number[]> | null = null;
  #valuesLeft = maxValues;
  #errorsLeft = maxErrors;
  #charactersLeft = maxAnswerLength;

  constructor(calls: CallBudget) {
    this.calls = calls;
  }

  /** For another execution of the same operation: it continues to count calls, and all else from the start. */
  again(): Allowance {
    return new Allowance(this.calls);
  }

  /**
   * Counts the field values of a list before they are read. Throws OPERATION_TOO_COMPLEX beyond `maxValues`. After 500
   * such errors and one that states that there are more, returns false for a field that is to be null, because errors
   * take time.
   */
  takeValues(values: number): boolean {
    if (values <= this.#valuesLeft) {
      this.#valuesLeft -= values;
      return true;
    }
    const left = Math.min(this.#valuesLeft, 0) - minOfSlice;
    this.#valuesLeft = left;
    if (left < -maxValues - minOfSlice) return false;
    const message = left < -maxValues ? moreErrors : excess;
    throw new GatewayError('OPERATION_TOO_COMPLEX', { message });
  }

  /**
   * Counts an error for a wrong value of the service. Returns false if it is to be dropped. One error more than
   * `maxErrors` is kept, so that format-error.ts can tell that errors were dropped.
   */
  takeError(): boolean {
    return this.#errorsLeft-- >= 0;
  }

  /** Counts characters of the answer; returns false if the answer would be too long. */
  takeCharacters(characters: number): boolean {
    this.#charactersLeft -= characters;
    return this.#charactersLeft >= 0;
  }
}
