// Marks: texts that stand in secrets, so that a secret is found wherever it got to, in whichever form.

/** What no one may see: tokens, passwords, what the service says that is not for clients. */
export const secretMark = 'Xenon7Q4m';

/** What a person's own answers show, and nothing else. */
export const personalMark = 'Argon7Q4m';

/** What a client wrote into its requests: it may be told again what was wrong with it, and nobody else. */
export const askedMark = 'Radon7Q4m';

/** Those of the texts that stand in `where`: as they are, in any case, or in hex, base64 or base64url. */
export function found(texts: Iterable<string>, where: string): string[] {
  const lowerCase = where.toLowerCase();
  return [...texts].filter(
    (text) =>
      lowerCase.includes(text.toLowerCase()) ||
      lowerCase.includes(Buffer.from(text).toString('hex')) ||
      base64Forms(text).some((form) => where.includes(form)),
  );
}

/** As it looks within a longer text that is encoded: that depends on where in it it begins. */
function base64Forms(text: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.from('-'.repeat(offset) + text);
    // What has bits of its neighbours in it is left out.
    const [start, end] = [Math.ceil((offset * 4) / 3), Math.floor((bytes.length * 4) / 3)];
    return (['base64', 'base64url'] as const).map((encoding) =>
      bytes.toString(encoding).slice(start, end),
    );
  });
}

/** The parts of a token by which it would be known. */
export function partsOf(token: string): string[] {
  return token.split('.').filter((part) => part.length >= 16);
}
