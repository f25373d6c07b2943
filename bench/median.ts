// The median of several rounds, which one round disturbed by other users of the machine does not change.

/** The median; values that are not finite are ignored, and without any other it is NaN. */
export function median(values: readonly number[]): number {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below = NaN, above = NaN] = sorted.slice(middle - 1 + (sorted.length % 2));
  return sorted.length % 2 === 1 ? below : (below + above) / 2;
}
