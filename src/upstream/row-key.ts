// Short names for transactions: numbers made from ids, by which rows are compared and cursors name them.

/** How many print values there are: five digits of base 36. */
export const PRINTS = 36 ** 5;

/**
 * A 53-bit hash of a text that is spelled the same in any case (ids compare without regard to case). Not for
 * secrets: two lanes of FNV-1a with murmur3's final mix, chosen because it costs a fraction of a microsecond where
 * a cryptographic hash costs one, and every row of every slice needs it.
 */
export function hashOf(text: string): number {
  let low = lowStart;
  let high = highStart;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i) | 0x20; // folds A-Z onto a-z, leaves digits and '-' as they are
    low = Math.imul(low ^ code, lowPrime);
    high = Math.imul(high ^ code, highPrime);
  }
  return finish(low, high);
}

/** The same of an ASCII text that is there as bytes, from `start` to the one before `end`. */
export function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let low = lowStart;
  let high = highStart;
  for (let i = start; i < end; i++) {
    const code = (bytes[i] ?? 0) | 0x20;
    low = Math.imul(low ^ code, lowPrime);
    high = Math.imul(high ^ code, highPrime);
  }
  return finish(low, high);
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

/** The same of an id that is there as bytes, all of them ASCII. */
export function rowKeyOfBytes(bytes: Uint8Array, start: number, end: number): number {
  return hashOfBytes(bytes, start, end) || 1;
}

/** A key cut short, for neighbours and ties in a cursor: 1 in 60 million rows shares it. */
export function printOf(key: number): number {
  // Of two doubles, % takes as long as a hash does.
  const rest = key - Math.floor(key / PRINTS) * PRINTS;
  return rest < 0 ? rest + PRINTS : rest;
}
