// Detects rows that were read twice. It runs for every slice, so it uses fixed arrays instead of a new set.
import { NO_KEY } from '../upstream/shape/row-key.ts';
import type { PageView } from './page-view.ts';

/** A power of two, so that the low bits of a key select its slot; at most half of the slots are used. */
const slots = 1024;
const maxRows = slots / 2;

/** A hash table: keys, and the call of `haveRepeats` that inserted each. Entries of earlier calls count as empty. */
const keys = new Float64Array(slots);
const calls = new Float64Array(slots);
let call = 0;

/** Whether any row occurs twice on these pages. */
export function haveRepeats(reads: readonly PageView[]): boolean {
  call++;
  let count = 0;
  for (const { rows } of reads) {
    count += rows.length;
    if (count > maxRows) return haveRepeatsOfMany(reads);
    for (const { key } of rows) if (key !== NO_KEY && !put(key)) return true;
  }
  return false;
}

/** Inserts the key; returns false if it is already present. */
function put(key: number): boolean {
  let slot = key & (slots - 1);
  while (calls[slot] === call) {
    if (keys[slot] === key) return false;
    slot = (slot + 1) & (slots - 1);
  }
  calls[slot] = call;
  keys[slot] = key;
  return true;
}

function haveRepeatsOfMany(reads: readonly PageView[]): boolean {
  const all = reads.flatMap(({ rows }) => rows.map(({ key }) => key));
  const known = all.filter((key) => key !== NO_KEY);
  return new Set(known).size < known.length;
}
