// A finding of the doctor: the answer to one question about the service or the token.

/**
 * One line of the report. It contains no personal data. Of the values of a holder, an account or a transaction, it
 * contains only codes that the API description does not name.
 */
export interface Finding {
  /** The question's name, the same in every report. */
  readonly id: string;
  readonly question: string;
  /** Null if the answer could not be determined. */
  readonly answer: string | null;
  /** The observation that the answer is based on, or the effect of the answer on the gateway. */
  readonly seen: string;
  /** The gateway's settings that follow from the answer, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A number with its noun, such as `1 call` or `2 calls`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
