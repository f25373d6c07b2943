// Exact sums of decimal texts with integers of any size, without floating point.

/**
 * The sum of decimals such as `-22.00`, with as many decimal places as the most precise of them; `0` if there are none.
 * Throws a RangeError for any other text.
 */
export function sumDecimals(decimals: Iterable<string>): string {
  let units = 0n;
  let places = 0;
  for (const decimal of decimals) {
    const [whole = '', fraction = ''] = checked(decimal).split('.');
    if (fraction.length > places) {
      units *= 10n ** BigInt(fraction.length - places);
      places = fraction.length;
    }
    units += BigInt(whole + fraction.padEnd(places, '0'));
  }
  return writeDecimal(units, places);
}

function checked(decimal: string): string {
  if (!/^-?\d+(?:\.\d+)?$/.test(decimal)) throw new RangeError('not a decimal');
  return decimal;
}

function writeDecimal(units: bigint, places: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  return places === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-places)}`;
}
