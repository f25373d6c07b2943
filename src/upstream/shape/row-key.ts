// Keys and fingerprints of transactions: hashes of their ids, used to compare rows and to name them in cursors.
import { SourceText } from '../../json/json-bytes.ts';

/** The number of different fingerprints, which have five base-36 digits. */
export const FINGERPRINTS = 36 ** 5;

/** A fast 53-bit hash that ignores the case of ASCII letters: two lanes like FNV-1a, and murmur3's final mix. */
export function hashOf(text: string): number {
  const isShort = 3 * text.length <= scratch.length;
  const source = isShort ? scratch : new SourceText(Buffer.from(text));
  return hashIn(source, 0, isShort ? scratch.bytes.write(text) : source.length);
}

/** The hash in base 36, in two parts: for numbers beyond 32 bits, V8's toString takes four times as long. */
export function hashText(text: string): string {
  const hash = hashOf(text);
  const low = fingerprintOf(hash);
  return ((hash - low) / FINGERPRINTS).toString(36) + low.toString(36).padStart(5, '0');
}

/** For the bytes of short texts, because creating a buffer takes as long as the hash. */
const scratch = new SourceText(Buffer.alloc(1024));

export function hashIn({ bytes, view }: SourceText, start: number, end: number): number {
  let low = lowStart;
  let high = highStart ^ (end - start);
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = view.getInt32(at, true) | fold;
    low = step(low, word, lowPrime);
    high = step(high, word, highPrime);
  }
  let rest = 0;
  for (; at < end; at++) rest = (rest << 8) | (bytes[at] ?? 0);
  low = step(low, rest | fold, lowPrime);
  high = step(high, rest | fold, highPrime);
  low = mix(low ^ Math.imul(high, 0xcc9e2d51));
  high = mix(high ^ Math.imul(low, 0xe6546b64));
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}

/**
 * Folds A-Z onto a-z in each of four bytes, and leaves digits and '-' as they are. Other bytes that differ only in this
 * bit are folded too, such as `_` and DEL, so the ids `a_` and `a\x7f` count as the same id. Folding only A-Z would make
 * the hash of a UUID 30 % slower, and change the fingerprints in cursors for ids with such characters.
 */
const fold = 0x20202020;

function step(lane: number, word: number, prime: number): number {
  const next = Math.imul(lane ^ word, prime);
  return next ^ (next >>> 15);
}

const [lowStart, lowPrime] = [0x811c9dc5, 0x01000193];
const [highStart, highPrime] = [0x1b873593, 0x85ebca6b];

function mix(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** The key of a row without a usable id; no id has this key. */
export const NO_KEY = 0;

/** The key of a transaction's id; `NO_KEY` for null. */
export function rowKey(id: string | null): number {
  return id === null ? NO_KEY : hashOf(id) || 1;
}

export function rowKeyIn(text: SourceText, start: number, end: number): number {
  return hashIn(text, start, end) || 1;
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
