// Amounts as a Brazilian bank shows them, from the digits that the gateway returns.
import type { Text } from './text/pt.ts';

/**
 * Intl.NumberFormat formats a decimal text exactly (ECMA-402, "Intl mathematical values"). The text never becomes a
 * JavaScript number, which would round 12345678901234567.89.
 */
const reais = {
  'pt-BR': createFormatter('pt-BR'),
  en: createFormatter('en'),
};

function createFormatter(locale: string): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'BRL',
    minimumFractionDigits: 2,
    maximumFractionDigits: 100,
  });
}

/** `-1523.4` -> `-R$ 1.523,40`; in English `-R$1,523.40` */
export function formatReais(decimal: string, locale: keyof typeof reais): string {
  return reais[locale].format(decimal as Intl.StringNumericLiteral);
}

/** Whether money came in or went out; unknown if the gateway could not read it. */
export type Direction = 'in' | 'out' | 'unknown';

/** `credit` alone tells the direction: the amount can be missing, and zero has no sign. */
export function directionOf({ credit }: { readonly credit: boolean | null }): Direction {
  if (credit === null) return 'unknown';
  return credit ? 'in' : 'out';
}

interface Amounts {
  readonly amount: string | null;
  readonly signedAmount: string | null;
}

/** The amount of a transaction: without a sign if its direction is unknown, words if there is no amount. */
export function amountText({ amount, signedAmount }: Amounts, text: Text): string {
  const decimal = signedAmount ?? amount;
  return decimal === null ? text.noAmount : formatReais(decimal, text.locale);
}
