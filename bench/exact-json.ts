// Parses JSON, keeping the digits of its numbers.

/** A number with its digits as sent. */
export class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Like JSON.parse, with `Digits` for each number. */
export function exactJson(text: string): unknown {
  const keep = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' ? new Digits(source ?? String(value)) : value;
  return JSON.parse(text, keep) as unknown;
}
