// The result of checking an answer: its violations, and the type of a checked value.
import { contractViolation, type GatewayError } from '../../errors.ts';
import type { TimeZone } from './time-zone.ts';

/** Observes the answers of the service. Called on the hot path: must not throw or wait. */
export interface AnswerObserver {
  /** A value contradicts the API description. `pointer` is its JSON pointer, '' for the whole answer. */
  violation(pointer: string): void;
  /** A value of an open set, such as `account.status`, that the API description does not name. */
  value(field: string, value: string): void;
}

/** The value, null, or a violation: graphql-js treats a property that is an Error as thrown by the field. */
export type Checked<T> = T | null | GatewayError;

/** A wrong value. The message says what is wrong, such as `is negative`. */
export class Wrong extends Error {}

/** The check of one answer, with the JSON pointers (RFC 6901) of its wrong values so far. */
export class AnswerCheck {
  readonly observer: AnswerObserver | undefined;
  /** The time zone of timestamps that name none; null if such timestamps are wrong values. */
  readonly timeZone: TimeZone | null;
  readonly violations: string[] = [];
  /** The characters in the answer's investmentAccounts, and the characters that written-out exponents add to them. */
  length = 0;
  gained = 0;
  /** The memory for the copies of the answer's investmentAccounts, without their characters. */
  copiedBytes = 0;
  /** The number of items in the answer's lists, plus that of objects with values that had to be decoded. */
  objects = 0;

  constructor(observer?: AnswerObserver, timeZone: TimeZone | null = null) {
    this.observer = observer;
    this.timeZone = timeZone;
  }

  /** Records and returns a violation at a JSON pointer. The message names the place, never the value. */
  violation(pointer: string, what: string): GatewayError {
    this.violations.push(pointer);
    return contractViolation(`${pointer || 'the body'} ${what}`);
  }
}
