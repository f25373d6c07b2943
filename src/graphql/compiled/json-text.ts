// Strings as JSON.

/** Longer texts are left to JSON.stringify, which looks at several characters at once. */
const maxLooked = 128;

/** Whether JSON.stringify would only put a text in quotes: most need no escape, and a look is cheaper than a call. */
export function needsNoEscape(text: string): boolean {
  if (text.length > maxLooked) return false;
  for (let i = 0; i < text.length; i++) {
    if (mayNeedEscape(text.charCodeAt(i))) return false;
  }
  return true;
}

/** Control characters, quote, backslash; surrogates and what lies behind them, as half a surrogate is escaped. */
function mayNeedEscape(code: number): boolean {
  return code < 0x20 || code === 0x22 || code === 0x5c || code > 0xd7ff;
}
