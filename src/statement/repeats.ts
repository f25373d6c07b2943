// Detects rows that were read twice. Every slice needs this, so no set is created for it.
import { NO_KEY } from '../upstream/shape/row-key.ts';
import type { PageView } from './page-view.ts';

/** A power of two, so that the low bits of a key select its slot; at most half of the slots are used. */
const slots = 1024;
const maxRows = slots / 2;

/** The inserted keys and their rounds; entries of earlier rounds count as empty. */
const keys = new Float64Array(slots);
const rounds = new Uint32Array(slots);
let round = 0;

/** Whether any row is on these pages twice. */
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
  // The round number wraps after four billion rounds.
  rounds.fill(0);
  round = 1;
}

/** False if the key is already present. */
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
