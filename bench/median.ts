// The median of several rounds, which hardly changes if other users of the machine disturb a single round.

/** The median of the finite values; NaN if no value is finite. */
export function median(values: readonly number[]): number {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below = NaN, above = NaN] = sorted.slice(middle - 1 + (sorted.length % 2));
  return sorted.length % 2 === 1 ? below : (below + above) / 2;
}
