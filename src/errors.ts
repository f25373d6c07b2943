// The table of all error codes that clients can see, and the class of errors with these codes.

/** The usual status before execution (docs/errors.md has the exceptions); during execution, the status is 200. */
export const errorKinds = {
  UNAUTHENTICATED: { status: 401, message: 'A valid bearer token is required.' },
  FORBIDDEN: { status: 403, message: 'The token does not allow this.' },
  TENANT_REQUIRED: { status: 400, message: 'One well-formed x-tenant-id header is required.' },
  OPERATION_TOO_COMPLEX: { status: 400, message: 'The operation is too complex.' },
  PERSISTED_QUERY_REQUIRED: { status: 400, message: 'Only registered operations are served.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests.' },
  OVERLOADED: { status: 503, message: 'The gateway is overloaded.' },
  SHUTTING_DOWN: { status: 503, message: 'The gateway is shutting down.' },
  GRAPHQL_PARSE_FAILED: { status: 400, message: 'The document cannot be parsed.' },
  GRAPHQL_VALIDATION_FAILED: { status: 400, message: 'The document is not valid.' },
  BAD_USER_INPUT: { status: 400, message: 'An argument is not valid.' },
  BAD_REQUEST: { status: 400, message: 'The request is not valid.' },
  // Clients recognize the error by this message.
  PERSISTED_QUERY_NOT_FOUND: { status: 200, message: 'PersistedQueryNotFound' },
  NOT_FOUND: { status: 200, message: 'There is no account with this id.' },
  UPSTREAM_TIMEOUT: { status: 200, message: 'The account service did not answer in time.' },
  UPSTREAM_UNAVAILABLE: { status: 503, message: 'The account service cannot be reached.' },
  UPSTREAM_REJECTED: { status: 200, message: 'The account service refused the request.' },
  UPSTREAM_CONTRACT_VIOLATION: {
    status: 200,
    message: 'The account service sent an undocumented answer.',
  },
  CURSOR_EXPIRED: { status: 200, message: 'The cursor has expired; start again without a cursor.' },
  STATEMENT_UNSETTLED: {
    status: 200,
    message: 'The statement changed at every read; send the same request again.',
  },
  INTERNAL_SERVER_ERROR: { status: 500, message: 'The gateway failed.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorKinds;

interface GatewayErrorOptions {
  /** One of the reasons in src/statement/README.md; shown to the client. */
  reason?: string;
  /** Shown to the client; must not contain text from the service, an address or a token. */
  message?: string;
  /** In seconds. */
  retryAfter?: number;
  /** Never shown to the client. */
  cause?: unknown;
}

/** The longest message that a client gets, in characters: five of them, however encoded, take less than 16 KB. */
const maxMessageLength = 500;

/**
 * The text, or its beginning and its end if it is too long. Half of a surrogate pair, which a client sent or a cut left,
 * is replaced: strict JSON parsers would refuse the whole answer.
 */
export function cut(text: string, maxLength = maxMessageLength): string {
  if (text.length <= maxLength) return text.toWellFormed();
  const end = Math.floor(maxLength / 3);
  return `${text.slice(0, maxLength - end - 1)}…${text.slice(-end)}`.toWellFormed();
}

/** An error that clients see. It has no stack trace, because an answer of the service can cause 40,000 errors. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly extensions: Omit<GatewayErrorOptions, 'message' | 'cause'> & { code: ErrorCode };

  constructor(code: ErrorCode, options: GatewayErrorOptions = {}) {
    const { message = errorKinds[code].message, cause, ...shown } = options;
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(cut(message), { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'GatewayError';
    this.code = code;
    this.extensions = { code, ...shown };
  }
}

/** `WWW-Authenticate` of an answer with UNAUTHENTICATED (RFC 6750 3): a client renews a token that it has sent. */
export function challengeFor(authorization = ''): string {
  return /^bearer +\S/i.test(authorization) ? 'Bearer error="invalid_token"' : 'Bearer';
}

/** An error that is only logged, as the cause of another error. `code` is a label of metrics: one of a closed set. */
export function causeOf(message: string, code: string): Error & { readonly code: string } {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const cause = new Error(message);
  Error.stackTraceLimit = stackTraceLimit;
  return Object.assign(cause, { code });
}

/** The error if the answers that are received or kept, and what is made of them, take too much memory. */
export const noMemory = new GatewayError('UPSTREAM_UNAVAILABLE', {
  cause: causeOf('the answers of the service take too much memory', 'MEMORY_FULL'),
});

export function badUserInput(message: string): GatewayError {
  return new GatewayError('BAD_USER_INPUT', { message });
}

/** The error for an answer that contradicts the API description. `what` must not quote a value. */
export function contractViolation(what: string): GatewayError {
  const message = `The account service sent an undocumented answer: ${what}.`;
  return new GatewayError('UPSTREAM_CONTRACT_VIOLATION', { message });
}
