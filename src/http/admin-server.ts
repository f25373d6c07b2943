// The operator's listener: whether the process lives, and whether it wants requests.
import { createServer, type Server, type ServerResponse } from 'node:http';

export interface AdminServerParts {
  /** Whether requests are welcome: not before the gateway listens, nor once it drains. */
  readonly isReady: () => boolean;
}

/** Answers on the paths of contract.md 3; neither depends on the service. */
export function createAdminServer({ isReady }: AdminServerParts): Server {
  return createServer((request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(response, 405, 'not allowed');
    else if (path === '/health/live') answer(response, 200, 'alive');
    else if (path !== '/health/ready') answer(response, 404, 'not found');
    else if (isReady()) answer(response, 200, 'ready');
    else answer(response, 503, 'not ready');
  });
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(status === 405 ? { allow: 'GET, HEAD' } : undefined),
  });
  response.end(JSON.stringify({ status: text }));
}
