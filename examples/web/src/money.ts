// Amounts as a Brazilian bank shows them, out of the digits that the gateway gives.

/**
 * Intl.NumberFormat takes a decimal's text exactly (ECMA-402, "Intl mathematical values"): it never becomes a number of
 * JavaScript, which would round 12345678901234567.89. No digit is cut off.
 */
const reais = new Intl.NumberFormat('pt-BR', {
  style: 'currency',
  currency: 'BRL',
  minimumFractionDigits: 2,
  maximumFractionDigits: 100,
});

/** `-1523.4` -> `-R$ 1.523,40` */
export function formatReais(decimal: string): string {
  return reais.format(decimal as Intl.StringNumericLiteral);
}

/** Which way money went, by the sign alone. */
export function isOutflow(signedAmount: string): boolean {
  return signedAmount.startsWith('-');
}
