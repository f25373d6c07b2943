// Cuts out of a line of the log what must not be in it, whatever put it there.

/** Names of headers, claims and fields whose values are secrets. */
const names = 'authorization|cookie|set-cookie|token|access_token|password|secret|x-router-secret';

/** A string, or a list of plain values: what such a name can have in a line of JSON. */
const value = String.raw`"(?:[^"\\]|\\.)*"|\[[^\]]*\]`;

const rules: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [new RegExp(`"(${names})":(?:${value})`, 'gi'), '"$1":"[redacted]"'],
  [/\bbearer +[^\s"\\]+/gi, 'Bearer [redacted]'],
  // The start of every JWT: the base64url of `{"`. Also where it is cut short, as in a message that quotes its head.
  [/\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g, '[redacted]'],
];

/** One look at a line, so that one with nothing to hide costs no more: 0.3 µs. */
const suspect = new RegExp(`"(?:${names})":|bearer |eyJ`, 'i');

/**
 * A line less its secrets. Secrets are not handed to the log in the first place; this is for the day when one is, in an
 * error's message or in an object that carries headers. It looks at the written line, as that has everything, at any
 * depth: pino's own redaction with wildcards would cost 20 µs a line.
 */
export function redact(line: string): string {
  if (!suspect.test(line)) return line;
  return rules.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);
}
