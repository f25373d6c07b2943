// The service's answer to one request, before it is sent or altered by a fault.
import { STATUS_CODES } from 'node:http';

/**
 * A string that marks the parts of the service's answers that must never leave the gateway: the company's token and the
 * bodies of errors. Tests search for it. (The callers' own tokens cannot contain it, so tests search for these tokens
 * separately.)
 */
export const secretMark = 'SANDBOX-SECRET';

/** An answer of the service, with its body as JSON text. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal. Its form is an assumption, because the API description does not define one (docs/service.md). */
export function refuse(status: number, message: string): Answer {
  const error = STATUS_CODES[status] ?? 'Error';
  const body = JSON.stringify({ statusCode: status, error, message, trace: `${secretMark}-trace` });
  return status === 401
    ? { status, body, headers: { 'www-authenticate': 'Bearer' } }
    : { status, body };
}
