// The operator's listener: liveness, readiness and metrics.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { ByteBudget } from '../byte-budget.ts';
import type { Log } from '../telemetry/log.ts';
import { Listener } from './listener.ts';

/** Serves the operator's paths (docs/http.md). No answer needs the service. */
export function createAdminServer(
  isReady: () => boolean,
  metrics: { readonly contentType: string; text(): Promise<string> },
  log: Pick<Log, 'error'>,
  pipelined: ByteBudget,
): Listener {
  async function answer({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = url?.split('?', 1)[0];
    if (method !== 'GET' && method !== 'HEAD') sayStatus(response, 405, 'not allowed');
    else if (path === '/health/live') sayStatus(response, 200, 'alive');
    else if (path === '/metrics') send(response, 200, metrics.contentType, await metrics.text());
    else if (path !== '/health/ready') sayStatus(response, 404, 'not found');
    else if (isReady()) sayStatus(response, 200, 'ready');
    else sayStatus(response, 503, 'not ready');
  }
  return new Listener(createServer(), pipelined, (request, response) => {
    answer(request, response).catch((err: unknown) => {
      log.error({ err }, 'the admin listener failed to answer');
      sayStatus(response, 500, 'failed');
    });
  });
}

function sayStatus(response: ServerResponse, code: number, status: string): void {
  if (code === 405) response.setHeader('allow', 'GET, HEAD');
  send(response, code, 'application/json; charset=utf-8', JSON.stringify({ status }));
}

function send(response: ServerResponse, code: number, type: string, text: string): void {
  response.writeHead(code, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(text);
}
