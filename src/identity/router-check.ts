// Recognises the federation router by its secret (docs/operations.md).
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A header that was sent twice has both values, joined with a comma and a space. */
export type RequestHead = Pick<IncomingMessage, 'headers'>;

/** Whether a request has the router's secret. */
export type RouterCheck = (head: RequestHead) => boolean;

/** Compares hashes, because `timingSafeEqual` requires equal lengths. */
export function createRouterCheck(secret: string): RouterCheck {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = digest(secret);
  return ({ headers }) =>
    timingSafeEqual(digest(String(headers['x-router-secret'] ?? '')), expected);
}
