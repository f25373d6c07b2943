// Whether a request comes from the federation router, by a secret that both share (docs/operations.md).
import { hash, timingSafeEqual } from 'node:crypto';
import { onlyValueOf, type RequestHead } from './request-head.ts';

export type RouterCheck = (head: RequestHead) => boolean;

/** Compares hashes, which all have the same length, in a time that does not reveal where they differ. */
export function createRouterCheck(secret: string): RouterCheck {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = digest(secret);
  return (head) => timingSafeEqual(digest(onlyValueOf(head, 'x-router-secret')), expected);
}
