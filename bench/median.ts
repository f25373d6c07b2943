// The middle of several rounds, which one that the machine's other users were in the way of does not move.

/** Of those that are numbers; NaN where there is none. */
export function median(values: readonly number[]): number {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below = NaN, above = NaN] = sorted.slice(middle - 1 + (sorted.length % 2));
  return sorted.length % 2 === 1 ? below : (below + above) / 2;
}
