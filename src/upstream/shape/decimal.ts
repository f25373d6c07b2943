// Decimals as text, from a number's JSON source (docs/exactness.md).

const maxWrittenDigits = 100;

/** The digits as sent, but without an exponent: `1.50e1` becomes `15.0`. Null if that takes over 100 digits. */
export function decimalText(source: string): string | null {
  const exponentAt = source.search(/[eE]/);
  return exponentAt === -1
    ? source
    : writeOut(source.slice(0, exponentAt), Number(source.slice(exponentAt + 1)));
}

/** Whether a decimal is less than zero; `-0.00` is not. */
export function isNegative(decimal: string): boolean {
  return decimal.charCodeAt(0) === minus && hasValue.test(decimal);
}

/** Adds a minus sign to a decimal of 0 or more for an outflow; zero gets no sign, and `-0.00` loses its sign. */
export function signed(decimal: string, isOutflow: boolean): string {
  const digits = decimal.charCodeAt(0) === minus ? decimal.slice(1) : decimal;
  return isOutflow && hasValue.test(digits) ? `-${digits}` : digits;
}

const minus = 45;
const hasValue = /[1-9]/;

/** `mantissa` times ten to the power of `exponent`, which may be Infinity; null if the result has too many digits. */
function writeOut(mantissa: string, exponent: number): string | null {
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.');
  const digits = whole + fraction;
  const leadingZeros = digits.search(/[1-9]|$/);
  const point = whole.length + exponent;
  const isZero = leadingZeros === digits.length;
  const wholeDigits = isZero ? 0 : Math.max(point - leadingZeros, 0);
  const fractionDigits = Math.max(digits.length - point, 0);
  if (Math.max(wholeDigits, 1) + fractionDigits > maxWrittenDigits) return null;
  const shownWhole = digits.slice(leadingZeros, Math.max(point, 0)).padEnd(wholeDigits, '0') || '0';
  const shownFraction = digits.slice(Math.max(point, 0)).padStart(fractionDigits, '0');
  return sign + shownWhole + (fractionDigits > 0 ? `.${shownFraction}` : '');
}
