// Which web origins may use the gateway from a browser (docs/settings.md, CORS_ORIGINS).
import type { IncomingMessage } from 'node:http';
import type { Exchange } from './http-exchange.ts';

/** Adds to an answer what the browser of an allowed origin needs to let its page see it. */
export type Cors = (exchange: Pick<Exchange, 'request' | 'headers'>) => void;

const localOrigin = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/** `origins` are allowed as they stand; `localhost` among them is any port of this machine. */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins);
  const isAllowed = (origin: string) =>
    allowed.has(origin) || (allowed.has('localhost') && localOrigin.test(origin));
  return ({ request, headers }) => {
    const { origin } = request.headers;
    if (origin === undefined || !isAllowed(origin)) return;
    headers['access-control-allow-origin'] = origin;
    headers['access-control-expose-headers'] = 'retry-after, www-authenticate, x-request-id';
    if (request.method === 'OPTIONS') allowPreflight(request, headers);
  };
}

/** An origin that may ask at all may send whatever headers its client library adds: none of them goes further. */
function allowPreflight(request: IncomingMessage, headers: Record<string, string>): void {
  const asked = request.headers['access-control-request-headers'];
  headers['access-control-allow-methods'] = 'GET, POST';
  headers['access-control-max-age'] = '600';
  if (asked !== undefined) headers['access-control-allow-headers'] = asked;
}
