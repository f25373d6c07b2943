// Reads headers that must not be repeated, such as those that identify the caller, and checks the router's secret.
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export type RequestHead = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

/** All values of the header with this lower-case name; `headersDistinct` of node:http takes four times as long. */
export function valuesOf({ rawHeaders }: RequestHead, name: string): string[] {
  const values: string[] = [];
  for (let k = 0; k < rawHeaders.length; k += 2) {
    const raw = rawHeaders[k] as string;
    if (raw.length === name.length && raw.toLowerCase() === name) {
      values.push(rawHeaders[k + 1] as string);
    }
  }
  return values;
}

/** The value of a header; empty if the header is absent or repeated. */
export function onlyValueOf(head: RequestHead, name: string): string {
  const [value = '', another] = valuesOf(head, name);
  return another === undefined ? value : '';
}

/** Whether a request has the federation router's secret (docs/operations.md). */
export type RouterCheck = (head: RequestHead) => boolean;

/** Compares hashes, because `timingSafeEqual` requires equal lengths. */
export function createRouterCheck(secret: string): RouterCheck {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = digest(secret);
  return (head) => timingSafeEqual(digest(onlyValueOf(head, 'x-router-secret')), expected);
}
