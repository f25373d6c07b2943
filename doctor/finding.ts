// A finding of the doctor: the result of one check of the service, the token or the tenant.

/**
 * `expected`: the service behaves as the gateway assumes; `unknown`: the check could not be made; `notice`: the gateway
 * works, with a consequence; `setting`: the gateway works with a setting; `fatal`: the gateway cannot work.
 */
export type Outcome = 'expected' | 'unknown' | 'notice' | 'setting' | 'fatal';

/**
 * A finding contains no personal data. Of the values of a holder, an account or a transaction, it contains only codes
 * that the API description does not name.
 */
export interface Finding {
  /** The name of the check, the same in every report. */
  readonly id: string;
  readonly outcome: Outcome;
  /** What was seen; for `unknown`, the reason. */
  readonly seen: string;
  /** The consequence for the gateway and its clients. */
  readonly here?: string;
  /** What the provider of the service should change, or what to check. */
  readonly there?: string | undefined;
  /** The gateway's settings that follow, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A check without a finding. */
export function expected(id: string): Finding {
  return { id, outcome: 'expected', seen: '' };
}

export function unknown(id: string, seen: string): Finding {
  return { id, outcome: 'unknown', seen };
}

export function notice(id: string, seen: string, here: string, there?: string): Finding {
  return { id, outcome: 'notice', seen, here, there };
}

export function setting(
  id: string,
  seen: string,
  settings: NonNullable<Finding['settings']>,
  there?: string,
): Finding {
  return { id, outcome: 'setting', seen, settings, there };
}

export function fatal(id: string, seen: string, there?: string): Finding {
  return { id, outcome: 'fatal', seen, there };
}

/** A number with its noun, such as `1 call` or `2 calls`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
