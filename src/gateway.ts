// The gateway: creates every part and listens. On close, the gateway drains and stops its parts one by one.
import { setTimeout as sleep } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import { createBudgets } from './byte-budget.ts';
import { deprecatedCoordinates } from './graphql/operation/deprecated-fields.ts';
import { createAdmission } from './graphql/operation/operation-admission.ts';
import { createFastPath } from './graphql/compiled/fast-path.ts';
import { type ContextParts, OperationContext } from './graphql/context.ts';
import { prepareDocument } from './graphql/limits/limits.ts';
import { OperationCache } from './graphql/operation/operation-cache.ts';
import { createSchema } from './graphql/schema.ts';
import { createPersistedQueries, openManifest } from './graphql/operation/persisted-queries.ts';
import type { SampleCaller } from './graphql/sandbox-page.ts';
import { createGraphQLServer } from './graphql/server.ts';
import { createAdminServer } from './http/admin-server.ts';
import { Admission } from './http/admission/admission.ts';
import { BodyReader } from './http/request/body.ts';
import { createCors } from './http/cors.ts';
import { createExplorer } from './http/explorer.ts';
import { answerGraphQL, type GraphQLEndpointParts } from './http/graphql-endpoint.ts';
import type { Lifecycle } from './http/http-exchange.ts';
import { createPublicServer } from './http/public-server.ts';
import { createCallers, createRouterCheck, forwarded } from './identity/caller.ts';
import { createKeySet } from './identity/key-set.ts';
import { createRateLimit } from './identity/rate-limit.ts';
import { createTokenVerifier, decodeToken, type TokenReader } from './identity/token.ts';
import { HolderKinds } from './profile/profile.ts';
import type { Settings } from './settings/settings.ts';
import { openSharedStore } from './shared-store/shared-store.ts';
import { PageNumbering } from './statement/page-numbering.ts';
import type { Log } from './telemetry/log.ts';
import { startTelemetry } from './telemetry/telemetry.ts';
import { CallBudget, createUpstreamClient } from './upstream/client.ts';

/** The settings with the service's address, which is the sandbox bank's if UPSTREAM_URL is not set. */
export type GatewaySettings = Settings & { readonly upstreamUrl: string };

export interface GatewayDeps {
  readonly log: Log;
  /** Epoch milliseconds; by default, the system's clock. */
  readonly now?: () => number;
  /** The time for which idle connections stay open while the gateway drains; by default, `defaultIdleMs`. */
  readonly idleMs?: number;
  /** The callers that the explorer pages offer; set only if the sandbox bank is the service. */
  readonly sampleCallers?: readonly SampleCaller[] | undefined;
  readonly schema?: GraphQLSchema;
}

/** Longer than the pauses of a busy client, because a request on a closing connection is lost. */
const defaultIdleMs = 1000;

/** A token of an operation text, together with the white space around it, is shorter on average. */
const maxCharactersPerToken = 20;

/** Rejects if a part cannot start, for example because a port is taken; the parts already started are stopped. */
export async function startGateway(settings: GatewaySettings, deps: GatewayDeps) {
  const { log, idleMs = defaultIdleMs } = deps;
  await using cleanup = new AsyncDisposableStack();
  const { lifecycle, clients, admin } = await createParts(settings, deps, cleanup);
  cleanup.defer(() => clients.stop(idleMs, settings.shutdownGraceMs));
  const url = await listenAt(clients, 'PORT', settings.port, settings.host);
  const adminUrl = await listenAt(admin, 'ADMIN_PORT', settings.adminPort, settings.adminHost);
  const parts = cleanup.move();
  lifecycle.phase = 'serving';
  if (settings.isProduction) log.info(inEffect(settings), 'settings in effect');
  log.info({ url, adminUrl }, 'listening');
  const drainAndStop = async () => {
    lifecycle.phase = 'draining';
    log.info('draining');
    // Load balancers need a moment to notice that the gateway is not ready; until then, it serves their requests.
    await sleep(settings.shutdownDelayMs);
    await parts.disposeAsync();
    log.info('stopped');
  };
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= drainAndStop());
  return { url, adminUrl, close, [Symbol.asyncDispose]: close };
}

/** Rejects with an error that names the setting if the port is in use. */
async function listenAt(
  listener: { listen(port: number, host: string): Promise<string> },
  setting: 'PORT' | 'ADMIN_PORT',
  port: number,
  host: string,
): Promise<string> {
  try {
    return await listener.listen(port, host);
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw cause;
    const remedy = `stop the program that uses it, or set ${setting} to another port`;
    throw new Error(`${setting}: ${port} is in use at ${host}; ${remedy}`, { cause });
  }
}

/** What an operator checks after a start; no addresses, because they can contain secrets. */
function inEffect(settings: GatewaySettings) {
  return {
    tokens: settings.jwtJwksUrl === null ? 'only decoded' : 'verified',
    operations: settings.operationsOnly ? 'only those of the manifest' : 'any',
    manifest: settings.operationsManifest,
    redis: settings.redisUrl !== null,
    proxy: settings.nodeUseEnvProxy,
    certificates: {
      ca: settings.upstreamCa,
      cert: settings.upstreamCert,
      key: settings.upstreamKey,
    },
    limits: {
      ratePerMinute: settings.rateLimitPerMinute,
      upstreamCalls: settings.maxUpstreamCalls,
      representations: settings.maxRepresentations,
      depth: settings.maxDepth,
      aliases: settings.maxAliases,
      tokens: settings.maxTokens,
      bodyBytes: settings.maxBodyBytes,
    },
  };
}

async function createParts(
  settings: GatewaySettings,
  deps: GatewayDeps,
  cleanup: AsyncDisposableStack,
) {
  const { log, sampleCallers = [], schema = createSchema(), now = Date.now } = deps;
  const operations = new OperationCache();
  const manifest = await openManifest({
    path: settings.operationsManifest,
    prepare: (text) => void operations.add(prepareDocument(text, schema, settings)),
    log,
  });
  cleanup.defer(() => manifest.close());
  const { metrics, recorder, stopTracing } = await startTelemetry({
    ...settings,
    log,
    deprecated: deprecatedCoordinates(schema),
    isReleased: manifest.hasName,
  });
  const lifecycle: Lifecycle = { phase: 'starting' };
  const budgets = createBudgets(settings);
  const isReady = () => lifecycle.phase === 'serving';
  const admin = createAdminServer(isReady, metrics, log, budgets.adminPipelined);
  // The admin listener stops last, and reports until then that the gateway is not ready.
  cleanup.defer(() => admin.stop(0, 0));
  cleanup.defer(stopTracing);
  const upstream = createUpstreamClient({
    url: settings.upstreamUrl,
    timeoutMs: settings.upstreamTimeoutMs,
    retries: settings.upstreamRetries,
    maxBodyBytes: settings.upstreamMaxBodyBytes,
    connections: settings.upstreamConnections,
    memory: budgets.answers,
    certificates: settings,
    usesProxy: settings.nodeUseEnvProxy,
    timeZone: settings.upstreamTimeZone,
    endDate: settings.upstreamEndDate,
    log,
    observer: metrics.upstream,
  });
  cleanup.defer(() => upstream.close());
  const store = await openSharedStore(settings.redisUrl, log, metrics.redisFailed);
  cleanup.defer(() => store.close());
  const admit = createAdmission(schema, settings.maxRepresentations);
  const shared = { schema, operations, admit, log };
  const fastPath =
    settings.executor === 'compiled'
      ? createFastPath({ ...shared, onDefect: metrics.fastPathFailed })
      : null;
  const server = await createGraphQLServer({ ...settings, ...shared, sampleCallers, fastPath });
  cleanup.defer(() => server.stop());
  const isRouter = settings.routerSecret === null ? null : createRouterCheck(settings.routerSecret);
  const contextParts: ContextParts = {
    callers: createCallers({
      ...settings,
      readToken: tokenReader(settings, log, now),
      rateLimit: createRateLimit(settings.rateLimitPerMinute, store, now),
      now,
    }),
    isRouter,
    createBudget: () => new CallBudget(settings.maxUpstreamCalls),
    openCall: (caller, { id, head, signal, record }, budget) => ({
      callerKey: caller.key,
      headers: forwarded(caller, id, head.headers),
      signal,
      budget,
      observer: record,
    }),
    upstream,
    holderKinds: new HolderKinds(now),
    pageNumbering: new PageNumbering(settings.upstreamPageBase),
    maxParallelReads: settings.maxParallelReads,
    showsReasons: !settings.isProduction,
  };
  const admission = new Admission(() => upstream.isSaturated(), budgets.backlog);
  const endpoint: GraphQLEndpointParts = {
    ...settings,
    server,
    operations,
    fastPath,
    persistedQueries: createPersistedQueries(manifest, store),
    createContext: (request) => new OperationContext(contextParts, request),
    allowed: settings.operationsOnly ? manifest : null,
    isRouter,
    bodies: new BodyReader(settings.maxBodyBytes, budgets.bodies, admission),
    maxTextLength: settings.maxTokens * maxCharactersPerToken,
    timeoutMs: settings.operationTimeoutMs,
  };
  const clients = createPublicServer({
    lifecycle,
    admission,
    budgets,
    cors: createCors(settings.corsOrigins),
    graphql: (exchange) => answerGraphQL(endpoint, exchange),
    explorer: settings.explorer ? createExplorer(sampleCallers) : null,
    log,
    recorder,
  });
  return { lifecycle, clients, admin };
}

/** How tokens are read: decoded, or verified if JWT_JWKS_URL is set. */
export function tokenReader(settings: Settings, log: Log, now: () => number): TokenReader {
  const { jwtJwksUrl: url } = settings;
  if (url === null) {
    if ((settings.jwtIssuer ?? settings.jwtAudience) !== null) {
      log.warn('JWT_ISSUER and JWT_AUDIENCE are ignored without JWT_JWKS_URL');
    }
    // The service verifies the signatures (docs/identity.md).
    return (token) => decodeToken(token, now());
  }
  const keys = createKeySet({
    url,
    usesProxy: settings.nodeUseEnvProxy,
    now: () => performance.now(),
    algorithms: settings.jwtAlgorithms,
    onFailure: (err) => log.warn({ err }, 'the key set cannot be read'),
    onUnusable: (count) => log.warn({ count }, 'the key set has keys that cannot be used'),
  });
  return createTokenVerifier({ ...settings, keys, now });
}
