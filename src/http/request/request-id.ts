// The id of a request: the client's if it is harmless, otherwise a new one (docs/http.md).
import { randomUUID } from 'node:crypto';

const harmless = /^[\w.-]{1,128}$/;

/** `header` is x-request-id as received. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && harmless.test(header) ? header : randomUUID();
}
