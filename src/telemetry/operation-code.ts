// The one code that an operation counts under, whatever errors its answer has.

/** What no client can do anything about: codes of docs/errors.md that blame the gateway or the service. */
const fault = /^(?:INTERNAL_SERVER_ERROR|OVERLOADED|UPSTREAM_[A-Z_]+)$/;

/** Whether a code says that the gateway or the service has failed, not that a client asked for too much. */
export function isFault(code: string): boolean {
  return fault.test(code);
}

/**
 * `OK` for an answer without errors; else the gravest code: a defect of the gateway, then the first fault, then the
 * first at all.
 */
export function codeOf(codes: readonly string[]): string {
  const [first = 'OK'] = codes;
  if (codes.length <= 1) return first;
  return codes.includes('INTERNAL_SERVER_ERROR')
    ? 'INTERNAL_SERVER_ERROR'
    : (codes.find(isFault) ?? first);
}

/** The code of an operation whose client did not wait for the answer. */
export const clientGone = 'CLIENT_GONE';
