// The one code that an operation counts under.

/** The codes of docs/errors.md for failures of the gateway or the service. */
const fault = /^(?:INTERNAL_SERVER_ERROR|OVERLOADED|UPSTREAM_[A-Z_]+)$/;

/** Whether a code blames the gateway or the service, not the request. */
export function isFault(code: string): boolean {
  return fault.test(code);
}

/**
 * `OK` for an answer without errors; otherwise the gravest code: a defect of the gateway, then the first fault, then the
 * first code.
 */
export function codeOf(codes: readonly string[]): string {
  const [first = 'OK'] = codes;
  if (codes.length <= 1) return first;
  return codes.includes('INTERNAL_SERVER_ERROR')
    ? 'INTERNAL_SERVER_ERROR'
    : (codes.find(isFault) ?? first);
}

/** The code of an operation whose client left before the answer. */
export const clientGone = 'CLIENT_GONE';
