// What the doctor found out about a service: one answer to one question that its document leaves open.

/** One line of the report. Nothing in it is a value of a holder, an account or a transaction. */
export interface Finding {
  /** The question's name, the same in every report. */
  readonly id: string;
  readonly question: string;
  /** Null where it could not be told; `seen` says why. */
  readonly answer: string | null;
  /** What the answer rests on. */
  readonly seen: string;
  /** Settings of the gateway that follow from it, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** `1 call`, `2 calls`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
