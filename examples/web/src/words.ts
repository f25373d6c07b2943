// Words for the codes of the service. The service may add codes that have no words here.

/** The name of a code, or, for one that has no name, its own words: `PIX_RETURN` -> `Pix return`. */
export function wordsOf(code: string, names: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(names, code)) return names[code] ?? code;
  const words = code.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
