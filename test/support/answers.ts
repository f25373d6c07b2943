// Reads answers: which errors are on which fields.
import type { Answer } from './query.ts';

/** `CODE at path.to.field` of each error, sorted, as their order is no promise. */
export function errorsOf({ errors = [] }: Answer): string[] {
  return errors
    .map(({ extensions, path = [] }) => `${extensions.code} at ${path.join('.')}`)
    .sort();
}
