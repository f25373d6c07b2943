// The gateway: builds every part and wires it, in the order of a request; starts and stops.
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createContext, type ContextParts, type GatewayRequest } from './graphql/context.ts';
import { createGraphQLServer, type GraphQLServer } from './graphql/server.ts';
import { createAdminServer } from './http/admin-server.ts';
import { createCors } from './http/cors.ts';
import { Drain } from './http/drain.ts';
import { createGraphQLEndpoint } from './http/graphql-endpoint.ts';
import { listen, stopListening } from './http/listen.ts';
import { createPublicServer } from './http/public-server.ts';
import { type Caller, createCallers } from './identity/caller.ts';
import { forwarded } from './identity/forwarded.ts';
import { createTokenDecoder, type TokenReader } from './identity/token.ts';
import { createTokenVerifier } from './identity/verified-token.ts';
import { createHolderKinds } from './profile/holder-kind.ts';
import type { Settings } from './settings.ts';
import { createPageNumbering } from './statement/page-numbering.ts';
import type { Log } from './telemetry/log.ts';
import { createCallBudget, createUpstreamClient, type UpstreamClient } from './upstream/client.ts';

/** The settings, with the service's address found out where none was set. */
export type GatewaySettings = Settings & { readonly upstreamUrl: string };

/** What a gateway takes from its process. */
export interface GatewayDeps {
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** A gateway that listens. Disposing of it closes it. */
export interface Gateway extends AsyncDisposable {
  /** `http://…`, without a path. */
  readonly url: string;
  /** The same of the admin listener. */
  readonly adminUrl: string;
  /**
   * Stops: not ready from now on, serving for SHUTDOWN_DELAY_MS more, then done when the requests under way are, which
   * have SHUTDOWN_GRACE_MS.
   */
  close(): Promise<void>;
}

/** Callers whose kind of holder is remembered. */
const maxHolderKinds = 10_000;

/** Starts a gateway; rejects where a port is taken. */
export async function startGateway(settings: GatewaySettings, deps: GatewayDeps): Promise<Gateway> {
  const { log } = deps;
  for (const line of warnings(settings)) log.warn(line);
  const upstream = createUpstream(settings, log);
  const graphql = await createGraphQLServer({ ...settings, log });
  const drain = new Drain();
  const endpoint = createGraphQLEndpoint({
    server: graphql,
    createContext: contextFactory(settings, deps, upstream),
    maxBodyBytes: settings.maxBodyBytes,
    timeoutMs: settings.operationTimeoutMs,
  });
  const cors = createCors(settings.corsOrigins);
  const server = createPublicServer({ drain, cors, graphql: endpoint, log });
  const admin = createAdminServer({ isReady: () => drain.isReady });
  return start({ settings, log, drain, server, admin, graphql, upstream });
}

/** What an operator may believe to be in force, and is not. */
function warnings(settings: GatewaySettings): string[] {
  const { jwtJwksUrl, jwtIssuer, jwtAudience } = settings;
  return jwtJwksUrl === null && (jwtIssuer ?? jwtAudience) !== null
    ? ['JWT_ISSUER and JWT_AUDIENCE are not looked at without JWT_JWKS_URL']
    : [];
}

function createUpstream(settings: GatewaySettings, log: Log): UpstreamClient {
  return createUpstreamClient({
    url: settings.upstreamUrl,
    timeoutMs: settings.upstreamTimeoutMs,
    retries: settings.upstreamRetries,
    maxBodyBytes: settings.upstreamMaxBodyBytes,
    connections: settings.upstreamConnections,
    log,
  });
}

/** How an operation comes to its caller, profile and statements. */
function contextFactory(
  settings: GatewaySettings,
  { now = Date.now }: GatewayDeps,
  upstream: UpstreamClient,
) {
  const { jwtTenantClaim, jwtEntityTypeClaim, upstreamPageBase, maxUpstreamCalls } = settings;
  const parts: ContextParts = {
    callers: createCallers({
      readToken: tokenReader(settings, now),
      tenantClaim: jwtTenantClaim,
      now,
    }),
    openCall: (caller: Caller, { id, head, signal }: GatewayRequest) => ({
      headers: forwarded(caller, id, head.headers),
      signal,
      budget: createCallBudget(maxUpstreamCalls),
    }),
    upstream,
    holderKinds: createHolderKinds({ claim: jwtEntityTypeClaim, maxEntries: maxHolderKinds, now }),
    pageNumbering: createPageNumbering(upstreamPageBase),
  };
  return (request: GatewayRequest) => createContext(parts, request);
}

function tokenReader(settings: GatewaySettings, now: () => number): TokenReader {
  const { jwtJwksUrl, jwtIssuer, jwtAudience, jwtAlgorithms } = settings;
  if (jwtJwksUrl === null) return createTokenDecoder(now);
  return createTokenVerifier({
    jwksUrl: jwtJwksUrl,
    issuer: jwtIssuer,
    audience: jwtAudience,
    algorithms: jwtAlgorithms,
    now,
  });
}

interface Running {
  readonly settings: GatewaySettings;
  readonly log: Log;
  readonly drain: Drain;
  readonly server: Server;
  readonly admin: Server;
  readonly graphql: GraphQLServer;
  readonly upstream: UpstreamClient;
}

async function start(running: Running): Promise<Gateway> {
  const { log, drain } = running;
  const urls = await listenBoth(running).catch(async (error: unknown) => {
    await stop(running);
    throw error;
  });
  drain.enter('serving');
  log.info(urls, 'listening');
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= drainAndStop(running));
  return { ...urls, close, [Symbol.asyncDispose]: close };
}

async function listenBoth({ settings, server, admin }: Running) {
  const { port, host, adminPort, adminHost } = settings;
  const url = await listen(server, port, host);
  return { url, adminUrl: await listen(admin, adminPort, adminHost) };
}

/** Whoever sends requests needs a moment to see that it should not, and is served meanwhile. */
async function drainAndStop(running: Running): Promise<void> {
  const { drain, log, settings } = running;
  drain.enter('draining');
  log.info('draining');
  await sleep(settings.shutdownDelayMs);
  drain.enter('closing');
  await stop(running);
  log.info('stopped');
}

async function stop({ settings, server, admin, graphql, upstream }: Running): Promise<void> {
  await stopListening(server, settings.shutdownGraceMs);
  await graphql.stop();
  await upstream.close();
  await stopListening(admin, 0);
}
