// Whether a request comes from the federation router: by the secret that both were given (docs/operations.md).
import { hash, timingSafeEqual } from 'node:crypto';
import type { CallerHeaders } from './caller.ts';

/** Whether these headers are the router's. */
export type RouterCheck = (headers: CallerHeaders) => boolean;

/** Compares hashes, which are all of one length, in a time that says nothing of where they differ. */
export function createRouterCheck(secret: string): RouterCheck {
  const expected = digest(secret);
  return (headers) => {
    const [given, another] = headers['x-router-secret'] ?? [];
    return given !== undefined && another === undefined && timingSafeEqual(digest(given), expected);
  };
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
