// A hash of texts, computed from their bytes.
import { SourceText } from './json-bytes.ts';

/**
 * A fast 53-bit hash that ignores the case of ASCII letters and is never 0: two lanes like FNV-1a, and murmur3's final
 * mix.
 */
export function hashOf(text: string): number {
  const isShort = 3 * text.length <= scratch.length;
  const source = isShort ? scratch : new SourceText(Buffer.from(text));
  return hashIn(source, 0, isShort ? scratch.bytes.write(text) : source.length);
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
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0) || 1;
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
