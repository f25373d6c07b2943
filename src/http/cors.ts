// CORS: the origins of the web pages that may use the gateway (docs/settings.md, CORS_ORIGINS).
import type { HttpExchange } from './http-exchange.ts';

export type Cors = (exchange: Pick<HttpExchange, 'request' | 'headers'>) => void;

const localOrigin = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/** The longest list of headers, in characters, that an answer repeats. */
const maxAsked = 4096;

/** `origins` are compared exactly; the entry `localhost` allows localhost, 127.0.0.1 and [::1] on any port. */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins);
  const isAllowed = (origin: string) =>
    allowed.has(origin) || (allowed.has('localhost') && localOrigin.test(origin));
  return ({ request, headers }) => {
    const { origin } = request.headers;
    if (origin === undefined || !isAllowed(origin)) return;
    headers['access-control-allow-origin'] = origin;
    headers['access-control-expose-headers'] = 'retry-after, www-authenticate, x-request-id';
    if (request.method !== 'OPTIONS') return;
    headers['access-control-allow-methods'] = 'GET, POST';
    headers['access-control-max-age'] = '600';
    // Every requested header is allowed: client libraries add their own, which are not forwarded to the service.
    const asked = request.headers['access-control-request-headers'];
    if (asked !== undefined && asked.length <= maxAsked)
      headers['access-control-allow-headers'] = asked;
  };
}
