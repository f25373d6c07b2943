// Every value of the headers that must not be repeated: those that say who asks, and how a request is to be read.
import type { IncomingMessage } from 'node:http';
import type { GatewayRequest } from '../../graphql/context.ts';

type Head = GatewayRequest['head'];

/**
 * Every value of one header, whose name is in lower case, as node:http's `headersDistinct` has it, which makes a list for
 * each header that came: four times the cost.
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

/** What is read of a request where its operation needs a caller. */
export class RequestHead implements Head {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  get headers(): Head['headers'] {
    return this.#request.headers;
  }

  /** Those that src/identity looks at. */
  get headersDistinct(): Head['headersDistinct'] {
    return {
      authorization: valuesOf(this.#request, 'authorization'),
      'x-tenant-id': valuesOf(this.#request, 'x-tenant-id'),
      'x-router-secret': valuesOf(this.#request, 'x-router-secret'),
    };
  }
}
