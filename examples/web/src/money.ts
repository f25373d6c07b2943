// Amounts as a Brazilian bank shows them, from the digits that the gateway returns.

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

/** Whether money left the account, which the sign shows. */
export function isOutflow(signedAmount: string): boolean {
  return signedAmount.startsWith('-');
}
