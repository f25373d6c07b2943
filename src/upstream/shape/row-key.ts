// Short names for transactions: numbers made from ids, by which rows are compared and cursors name them.
import { SourceText } from '../../json/source-text.ts';

/** How many fingerprints there are: five digits of base 36. */
export const FINGERPRINTS = 36 ** 5;

/**
 * A 53-bit hash of a text that is spelled the same in any case (ids compare without regard to case). Not for
 * secrets: two lanes of FNV-1a over four bytes at a time, each with a shift that carries its high bits down, and
 * murmur3's final mix, chosen because it costs a fraction of what a cryptographic hash costs, and every row of every
 * slice needs it.
 */
export function hashOf(text: string): number {
  const source = new SourceText(Buffer.from(text));
  return hashIn(source, 0, source.length);
}

/** The same of a part of a text, from `start` to the byte before `end`. */
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
  return finish(low, high);
}

/** Folds A-Z onto a-z in each of four bytes, and leaves digits and '-' as they are. */
const fold = 0x20202020;

function step(lane: number, word: number, prime: number): number {
  const next = Math.imul(lane ^ word, prime);
  return next ^ (next >>> 15);
}

const [lowStart, lowPrime] = [0x811c9dc5, 0x01000193];
const [highStart, highPrime] = [0x1b873593, 0x85ebca6b];

function finish(lowLane: number, highLane: number): number {
  const low = mix(lowLane ^ Math.imul(highLane, 0xcc9e2d51));
  const high = mix(highLane ^ Math.imul(low, 0xe6546b64));
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}

function mix(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** The key of a row without a usable id: equal to no other row's. */
export const NO_KEY = 0;

/** The number that stands for a transaction's id; `NO_KEY` where it has none. */
export function rowKey(id: string | null): number {
  return id === null ? NO_KEY : hashOf(id) || 1;
}

/** The same of an id that is a part of a text. */
export function rowKeyIn(text: SourceText, start: number, end: number): number {
  return hashIn(text, start, end) || 1;
}

/** A key cut short, for neighbours and ties in a cursor: 1 in 60 million rows shares it. */
export function fingerprintOf(key: number): number {
  // Of two doubles, % takes as long as a hash does.
  const rest = key - Math.floor(key / FINGERPRINTS) * FINGERPRINTS;
  return rest < 0 ? rest + FINGERPRINTS : rest;
}
