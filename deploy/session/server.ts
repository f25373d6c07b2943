// Puts the parts together: the routes below /session, and /graphql.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createApp } from './app.ts';
import { createForward } from './forward.ts';
import { createProvider } from './issuers.ts';
import { createSealing } from './sealing.ts';
import { createSessions } from './sessions.ts';
import type { Settings } from './settings.ts';
import { createMemoryStore, createRedisStore } from './store.ts';

export interface SessionServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface ServerOptions {
  /** Called with a failure. Neither its message nor its cause has a token. */
  readonly log?: (message: string, error: unknown) => void;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** Starts to listen. Providers and Redis may be away: they are asked when they are needed. */
export async function startSessionServer(
  settings: Settings,
  { log = logFailure, now = Date.now }: ServerOptions = {},
): Promise<SessionServer> {
  const { origin, gatewayUrl, redisUrl, issuers, idleSeconds, absoluteSeconds } = settings;
  const store = redisUrl === null ? createMemoryStore() : createRedisStore(redisUrl);
  const sealing = createSealing(settings.secrets);
  const providers = new Map(
    issuers.map((issuer) => [issuer.tenant, createProvider(issuer, origin, now)]),
  );
  const sessions = createSessions({
    store,
    sealing,
    providers,
    idleSeconds,
    absoluteSeconds,
    log,
    now,
  });
  const app = createApp({ origin, providers, sessions, sealing, log });
  const forward = createForward({ origin, gatewayUrl, sessions, log });
  const answer = getRequestListener(app.fetch);
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 20_000, keepAliveTimeout: 65_000 },
    (request, response) => {
      const isGraphQL = /^\/graphql(?:\?|$)/.test(request.url ?? '');
      void (isGraphQL ? forward(request, response) : answer(request, response));
    },
  );
  server.listen(settings.port, settings.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${settings.host}:${port}`,
    async close() {
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
      await forward.close();
      store.close();
    },
  };
}

/** One line of JSON: names and codes only, because a library's message could quote what it was given. */
function logFailure(message: string, error: unknown): void {
  const causes: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { readonly code?: unknown };
    causes.push(typeof code === 'string' ? `${cause.name} ${code}` : cause.name);
  }
  console.error(JSON.stringify({ time: new Date().toISOString(), message, causes }));
}
