// Marks: strings that tests put into secrets, personal data and requests, so that a leak can be found in any output,
// even if the leaked string is encoded.

/**
 * The mark of strings that must not be disclosed: tokens, passwords, and data of the service that is not for clients.
 */
export const secretMark = 'Xenon7Q4m';

/** The mark of personal data, which only the person's own answers may contain. */
export const personalMark = 'Argon7Q4m';

/** The mark of strings in a client's requests, which only errors to that client may repeat. */
export const askedMark = 'Radon7Q4m';

/** Returns the strings that occur in `where`, in any letter case, in hex, in base64 or in base64url. */
export function found(texts: Iterable<string>, where: string): string[] {
  const lowerCase = where.toLowerCase();
  return [...texts].filter(
    (text) =>
      lowerCase.includes(text.toLowerCase()) ||
      lowerCase.includes(Buffer.from(text).toString('hex')) ||
      base64Forms(text).some((form) => where.includes(form)),
  );
}

/** The forms of a string inside a longer string in base64. They depend on the offset. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.from('-'.repeat(offset) + text);
    // Characters that also encode bits of the neighbouring bytes are left out.
    const [start, end] = [Math.ceil((offset * 4) / 3), Math.floor((bytes.length * 4) / 3)];
    return (['base64', 'base64url'] as const).map((encoding) =>
      bytes.toString(encoding).slice(start, end),
    );
  });
}

/** The parts of a token that are long enough to identify the token. */
export function partsOf(token: string): string[] {
  return token.split('.').filter((part) => part.length >= 16);
}
