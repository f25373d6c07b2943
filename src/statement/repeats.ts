// Whether any row was read twice: asked of each slice, so without a set that is made for it.
import { NO_KEY } from '../upstream/shape/row-key.ts';
import type { PageView } from './page-view.ts';

/** A power of two, so that the low bits of a key select its slot; at most half of the slots are used. */
const slots = 1024;
const maxRows = slots / 2;

/** The keys that were put in, and in which round; those of earlier rounds count as empty. */
const keys = new Float64Array(slots);
const rounds = new Uint32Array(slots);
let round = 0;

/** Whether a row is among these pages twice, on one of them or on several. */
export function haveRepeats(reads: readonly PageView[]): boolean {
  let count = 0;
  for (const { rows } of reads) count += rows.length;
  if (count > maxRows) return haveRepeatsOfMany(reads);
  beginRound();
  for (const { rows } of reads) {
    for (const { key } of rows) {
      if (key !== NO_KEY && !put(key)) return true;
    }
  }
  return false;
}

function beginRound(): void {
  round = (round + 1) >>> 0;
  if (round > 0) return;
  // Once in four thousand million times the numbers of rounds begin anew.
  rounds.fill(0);
  round = 1;
}

/** False where it is there already. */
function put(key: number): boolean {
  let slot = key & (slots - 1);
  while (rounds[slot] === round) {
    if (keys[slot] === key) return false;
    slot = (slot + 1) & (slots - 1);
  }
  rounds[slot] = round;
  keys[slot] = key;
  return true;
}

function haveRepeatsOfMany(reads: readonly PageView[]): boolean {
  const seen = new Set<number>();
  for (const { rows } of reads) {
    for (const { key } of rows) {
      if (key !== NO_KEY && seen.size === seen.add(key).size) return true;
    }
  }
  return false;
}
