// Fingerprints of transactions for cursors, from the keys of their rows, and the search for repeated keys.
import { hashOf } from '../json/text-hash.ts';
import { NO_KEY } from '../upstream/shape/shapes.ts';

/** The number of different fingerprints, which have five base-36 digits. */
export const FINGERPRINTS = 36 ** 5;

/** The hash in base 36, in two parts: for numbers beyond 32 bits, V8's toString takes four times as long. */
export function hashText(text: string): string {
  const hash = hashOf(text);
  const low = fingerprintOf(hash);
  return ((hash - low) / FINGERPRINTS).toString(36) + low.toString(36).padStart(5, '0');
}

/** A shortened key for cursors. On average, one in 60 million other rows has the same fingerprint. */
export function fingerprintOf(key: number): number {
  // For two doubles, the operator % would take as long as the hash itself. The quotient of a key of 53 bits is never
  // rounded up to a whole number: its distance from the next one is at least 1 / FINGERPRINTS, and its error is less.
  return key - Math.floor(key / FINGERPRINTS) * FINGERPRINTS;
}

/** By the last 16 bits of a key, the number of the search that saw such a key last. In bytes, to fit into caches. */
const searches = new Uint8Array(65_536);
let search = 0;

/** Whether two rows have the same key. Most pages have no keys with the same last bits, and then need no set of keys. */
export function hasRepeatedKey(pages: readonly { readonly rows: readonly Keyed[] }[]): boolean {
  search = (search + 1) % 256;
  // After 256 searches, the numbers repeat.
  if (search === 0) searches.fill(search++);
  for (const { rows } of pages) {
    for (const { key } of rows) {
      const bits = key & 0xffff;
      if (searches[bits] === search) return isKeyRepeated(pages.flatMap((page) => page.rows));
      if (key !== NO_KEY) searches[bits] = search;
    }
  }
  return false;
}

interface Keyed {
  readonly key: number;
}

function isKeyRepeated(rows: readonly Keyed[]): boolean {
  const keys = new Set<number>();
  return rows.some(({ key }) => key !== NO_KEY && keys.size === keys.add(key).size);
}
