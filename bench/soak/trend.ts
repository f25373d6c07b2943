// Fits a straight line to a series of measurements, to determine whether the series grows. The standard error of the
// line shows whether the growth may be due to chance.

export interface Trend {
  readonly mean: number;
  /** The growth along the line from the first measurement to the last. */
  readonly growth: number;
  /** The standard error of the growth. */
  readonly error: number;
}

/** The least-squares line through at least three equidistant measurements. */
export function trendOf(values: readonly number[]): Trend {
  const last = values.length - 1;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const offset = (index: number) => index - last / 2;
  const spread = values.reduce((sum, _value, index) => sum + offset(index) ** 2, 0);
  const slope = values.reduce((sum, value, i) => sum + offset(i) * (value - mean), 0) / spread;
  const rest = values.reduce((sum, y, i) => sum + (y - mean - slope * offset(i)) ** 2, 0);
  const error = Math.sqrt(rest / (values.length - 2) / spread);
  return { mean, growth: slope * last, error: error * last };
}

/**
 * Whether the series does not grow. The growth may be up to three standard errors, because it may then be due to
 * chance, or up to the share `tolerance` of the mean.
 */
export function isFlat({ mean, growth, error }: Trend, tolerance: number): boolean {
  return growth <= Math.max(3 * error, tolerance * mean);
}
