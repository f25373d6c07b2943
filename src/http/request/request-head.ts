// All values of the headers that must not be repeated: those that identify the caller or delimit the request.
import type { IncomingMessage } from 'node:http';
import type { GatewayRequest } from '../../graphql/context.ts';

type Head = GatewayRequest['head'];

/**
 * All values of one header (`name` in lower case), as in node:http's `headersDistinct`, which builds a list for every
 * header of the request at four times the cost.
 */
export function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let k = 0; k < rawHeaders.length; k += 2) {
    const raw = rawHeaders[k] as string;
    if (raw.length === name.length && raw.toLowerCase() === name) {
      values.push(rawHeaders[k + 1] as string);
    }
  }
  return values;
}

/** The headers of a request whose operation needs a caller. */
export class RequestHead implements Head {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  get headers(): Head['headers'] {
    return this.#request.headers;
  }

  /** Only the headers that src/identity reads. */
  get headersDistinct(): Head['headersDistinct'] {
    return {
      authorization: valuesOf(this.#request, 'authorization'),
      'x-tenant-id': valuesOf(this.#request, 'x-tenant-id'),
      'x-router-secret': valuesOf(this.#request, 'x-router-secret'),
    };
  }
}
