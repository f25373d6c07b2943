// Whether a request comes from the federation router, by a secret that both share (docs/operations.md).
import { hash, timingSafeEqual } from 'node:crypto';
import type { CallerHeaders } from './caller.ts';

/** Whether these headers carry the router's secret. */
export type RouterCheck = (headers: CallerHeaders) => boolean;

/** Compares hashes, which all have the same length, in a time that does not reveal where they differ. */
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
