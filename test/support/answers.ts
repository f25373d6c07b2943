// Reads the errors of an answer.
import type { Answer } from './query.ts';

/** `CODE at path.to.field` of each error, sorted, because their order is not defined. */
export function errorsOf({ errors = [] }: Answer): string[] {
  return errors
    .map(({ extensions, path = [] }) => `${extensions.code} at ${path.join('.')}`)
    .sort();
}
