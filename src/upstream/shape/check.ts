// The check of an answer: what it finds, and the results for its values.
import { contractViolation, type ContractViolationError, type GatewayError } from '../../errors.ts';
import type { AnswerObserver } from '../observer.ts';

/**
 * A field of an answer after its check: its value; null if the service left it out or sent null; or the
 * UPSTREAM_CONTRACT_VIOLATION that takes the value's place. graphql-js treats a property that is an Error as thrown by
 * its field, so default resolvers null exactly this field, with the error on its path (docs/exactness.md).
 */
export type Checked<T> = T | null | GatewayError;

/** A value that is a violation. The message says how, such as `is negative`. */
export class Wrong extends Error {}

/** The check of one answer: its findings, and the parts of its limits that were used. */
export class AnswerCheck {
  readonly observer: AnswerObserver | undefined;
  readonly violations = new Set<ContractViolationError>();
  /** Characters of the answer's investmentAccounts, and characters added to them by writing out exponents. */
  length = 0;
  gained = 0;

  constructor(observer?: AnswerObserver) {
    this.observer = observer;
  }

  /** The violation at a JSON pointer. It names the place and never the value. */
  violation(pointer: string, what: string): ContractViolationError {
    const violation = contractViolation(`${pointer} ${what}`, pointer);
    this.violations.add(violation);
    return violation;
  }
}
