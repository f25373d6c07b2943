// Random numbers, choices and ids that a seed determines.
import { createHash } from 'node:crypto';

/** A source of randomness that is fully determined by its seed. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** An integer from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  /** One of the choices; throws if there are none. */
  pick<T>(choices: readonly T[]): T;
  /** The same elements in random order; the list itself is unchanged. */
  shuffled<T>(list: readonly T[]): T[];
  /** A string of `count` random decimal digits. */
  digits(count: number): string;
  /** A random UUID in the form of version 4. */
  uuid(): string;
  /** Starts again, so that the same values follow as after the creation. */
  reset(): void;
}

/**
 * Creates a source of randomness. Its state has 128 bits (the sfc32 generator). With only 32 bits, two of the many
 * thousands of accounts that property tests open could get the same id.
 */
export function createRandom(seed: string): Random {
  let words = createWords(seed);
  const word = () => words();
  const next = () => word() / 2 ** 32;
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    integer,
    pick: (choices) => pickFrom(choices, integer(0, choices.length - 1)),
    shuffled: (list) => shuffle([...list], integer),
    digits: (count) => Array.from({ length: count }, () => integer(0, 9)).join(''),
    uuid: () => uuidFrom([word(), word(), word(), word()]),
    reset: () => void (words = createWords(seed)),
  };
}

/** The generator: returns 32 random bits per call. */
function createWords(seed: string): () => number {
  const state = new Uint32Array(4);
  const digest = createHash('sha256').update(seed).digest();
  state.forEach((_, index) => (state[index] = digest.readUInt32LE(index * 4)));
  let [a = 0, b = 0, c = 0, counter = 0] = state;
  return () => {
    const result = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return result >>> 0;
  };
}

function pickFrom<T>(choices: readonly T[], index: number): T {
  if (choices.length === 0) throw new Error('There is nothing to pick from.');
  return choices[index] as T;
}

/** Shuffles the list in place (Fisher-Yates), and returns it. */
function shuffle<T>(list: T[], integer: Random['integer']): T[] {
  for (let last = list.length - 1; last > 0; last -= 1) {
    const other = integer(0, last);
    [list[last], list[other]] = [list[other] as T, list[last] as T];
  }
  return list;
}

function uuidFrom(words: readonly number[]): string {
  const hex = words.map((word) => word.toString(16).padStart(8, '0')).join('');
  const variant = '89ab'.charAt(parseInt(hex.charAt(16), 16) % 4);
  const groups = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ];
  return groups.join('-');
}
