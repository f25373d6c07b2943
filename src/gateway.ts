// The gateway: builds every part and wires it, in the order of a request.
import type { GraphQLSchema } from 'graphql';
import { createAdmission } from './graphql/operation/operation-admission.ts';
import { createFastPath } from './graphql/compiled/fast-path.ts';
import { createContext, type ContextParts, type GatewayRequest } from './graphql/context.ts';
import { createFindDeprecated } from './graphql/operation/deprecated-fields.ts';
import { documentRules, prepareDocument } from './graphql/operation/document-rules.ts';
import { createOperationCache, type OperationCache } from './graphql/operation/operation-cache.ts';
import { openOperations, type Operations } from './graphql/operation/manifest-operations.ts';
import { createSchema } from './graphql/schema.ts';
import { createPersistedQueries } from './graphql/operation/persisted-queries.ts';
import type { SampleCaller } from './graphql/sandbox-page.ts';
import { createGraphQLServer } from './graphql/server.ts';
import { createAdminServer } from './http/admin-server.ts';
import { Admission } from './http/admission/admission.ts';
import { BodyRoom } from './http/request/body.ts';
import { createCors } from './http/cors.ts';
import { Drain } from './http/connection/drain.ts';
import { createExplorer } from './http/explorer.ts';
import { createGraphQLEndpoint } from './http/graphql-endpoint.ts';
import { createOperationGate } from './http/admission/operation-gate.ts';
import { createPublicServer } from './http/public-server.ts';
import { createRateLimit } from './http/admission/rate-limit.ts';
import { type Caller, createCallers } from './identity/caller.ts';
import { forwarded } from './identity/forwarded.ts';
import { createKeySet } from './identity/key-set.ts';
import { createRouterCheck, type RouterCheck } from './identity/router.ts';
import { createTokenDecoder, type TokenReader } from './identity/token.ts';
import { createTokenVerifier } from './identity/verified-token.ts';
import { type Gateway, openGateway } from './life-cycle.ts';
import { createHolderKinds } from './profile/holder-kind.ts';
import type { Settings } from './settings.ts';
import { openSharedStore, type SharedStore } from './shared-store.ts';
import { createPageNumbering } from './statement/page-numbering.ts';
import type { Log } from './telemetry/log/log.ts';
import type { Metrics } from './telemetry/metrics/metrics.ts';
import { startTelemetry, type Telemetry } from './telemetry/telemetry.ts';
import { documentedValues } from './upstream/answer-observer.ts';
import { createCallBudget, createUpstreamClient, type UpstreamClient } from './upstream/client.ts';

/** The settings with the service's address, which is the sandbox bank's if none is set. */
export type GatewaySettings = Settings & { readonly upstreamUrl: string };

/** The gateway's dependencies on its process. */
export interface GatewayDeps {
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** How long an idle connection stays open while the gateway stops, in milliseconds; 1000 by default. */
  readonly idleMs?: number;
  /** The callers that the explorers offer, if the sandbox bank answers. */
  readonly sampleCallers?: readonly SampleCaller[] | undefined;
  /** The schema; that of schema/ by default. */
  readonly schema?: GraphQLSchema;
}

/** The most callers whose kind of holder is remembered. */
const maxHolderKinds = 10_000;

/** More than tokens and white space have on average; it bounds the lexer's work on both. */
const maxCharactersPerToken = 20;

/** The memory for bodies that are being received, in bodies of MAX_BODY_BYTES. */
const maxLargeBodies = 64;

/** Starts a gateway; rejects if a port is taken. */
export async function startGateway(settings: GatewaySettings, deps: GatewayDeps): Promise<Gateway> {
  const { log, sampleCallers = [], schema = createSchema() } = deps;
  const { jwtJwksUrl, jwtIssuer, jwtAudience, routerSecret } = settings;
  if (jwtJwksUrl === null && (jwtIssuer ?? jwtAudience) !== null) {
    log.warn('JWT_ISSUER and JWT_AUDIENCE are ignored without JWT_JWKS_URL');
  }
  const telemetry = await startTelemetry({ ...settings, documentedValues, log });
  const { metrics, recorder } = telemetry;
  const upstream = createUpstream(settings, log, telemetry);
  const operations = createOperationCache();
  const manifest = await openManifest(settings, schema, operations, log);
  const store = await openSharedStore({
    url: settings.redisUrl,
    log,
    onFailure: () => metrics.redisFailed(),
  });
  const admit = createAdmission({ ...settings, findDeprecated: createFindDeprecated(schema) });
  const onDefect = () => metrics.fastPathFailed();
  const fastPath =
    settings.executor === 'compiled'
      ? createFastPath({ schema, operations, admit, log, onDefect })
      : null;
  const graphql = await createGraphQLServer({
    ...settings,
    sampleCallers,
    schema,
    operations,
    admit,
    fastPath,
    log,
  });
  const isRouter = routerSecret === null ? null : createRouterCheck(routerSecret);
  const drain = new Drain();
  const endpoint = createGraphQLEndpoint({
    server: graphql,
    operations,
    fastPath,
    persistedQueries: createPersistedQueries(manifest, store),
    createContext: contextFactory(settings, deps, { upstream, store, isRouter, metrics }),
    gate: settings.operationsOnly ? createOperationGate({ operations: manifest, isRouter }) : null,
    maxBodyBytes: settings.maxBodyBytes,
    bodies: new BodyRoom(maxLargeBodies * settings.maxBodyBytes),
    maxTextLength: settings.maxTokens * maxCharactersPerToken,
    maxTokens: settings.maxTokens,
    timeoutMs: settings.operationTimeoutMs,
  });
  const admission = new Admission({ isSaturated: () => upstream.isSaturated() });
  const cors = createCors(settings.corsOrigins);
  const clients = createPublicServer({
    drain,
    admission,
    cors,
    graphql: endpoint,
    explorer: settings.explorer ? createExplorer(sampleCallers) : null,
    log,
    recorder,
  });
  const admin = createAdminServer({ isReady: () => drain.isReady, metrics, log });
  return openGateway({
    settings,
    idleMs: deps.idleMs,
    log,
    drain,
    clients,
    admin,
    stops: [
      () => graphql.stop(),
      () => manifest.close(),
      () => store.close(),
      () => upstream.close(),
      () => telemetry.stop(),
    ],
  });
}

/** The operations of the manifest, parsed and validated by Apollo Server's rules. */
function openManifest(
  settings: GatewaySettings,
  schema: GraphQLSchema,
  operations: OperationCache,
  log: Log,
): Promise<Operations> {
  const rules = documentRules(settings);
  const prepare = (text: string) => void operations.add(prepareDocument(text, schema, rules));
  return openOperations({ path: settings.operationsManifest, prepare, log });
}

function createUpstream(
  settings: GatewaySettings,
  log: Log,
  { metrics, answers }: Telemetry,
): UpstreamClient {
  return createUpstreamClient({
    url: settings.upstreamUrl,
    timeoutMs: settings.upstreamTimeoutMs,
    retries: settings.upstreamRetries,
    maxBodyBytes: settings.upstreamMaxBodyBytes,
    connections: settings.upstreamConnections,
    log,
    observer: metrics.upstream,
    answers,
  });
}

interface ContextSources {
  readonly upstream: UpstreamClient;
  readonly store: SharedStore;
  readonly isRouter: RouterCheck | null;
  readonly metrics: Metrics;
}

/** Creates the context of each operation. */
function contextFactory(
  settings: GatewaySettings,
  { log, now = Date.now }: GatewayDeps,
  { upstream, store, isRouter, metrics }: ContextSources,
) {
  const { jwtTenantClaim, jwtEntityTypeClaim, upstreamPageBase, maxUpstreamCalls } = settings;
  const parts: ContextParts = {
    callers: createCallers({
      readToken: tokenReader(settings, log, now),
      tenantClaim: jwtTenantClaim,
      keptClaims: [jwtEntityTypeClaim],
      rateLimit: createRateLimit({ perMinute: settings.rateLimitPerMinute, store, now }),
      now,
    }),
    isRouter,
    openCall: (caller: Caller, { id, head, signal, record }: GatewayRequest) => ({
      callerKey: caller.key,
      headers: forwarded(caller, id, head.headers),
      signal,
      budget: createCallBudget(maxUpstreamCalls),
      observer: record,
    }),
    upstream,
    holderKinds: createHolderKinds({ claim: jwtEntityTypeClaim, maxEntries: maxHolderKinds, now }),
    pageNumbering: createPageNumbering(upstreamPageBase),
    statementObserver: metrics.statements,
    tellsReasons: !settings.isProduction,
  };
  return (request: GatewayRequest) => createContext(parts, request);
}

function tokenReader(settings: GatewaySettings, log: Log, now: () => number): TokenReader {
  const { jwtJwksUrl, jwtIssuer, jwtAudience, jwtAlgorithms } = settings;
  if (jwtJwksUrl === null) return createTokenDecoder(now);
  const keys = createKeySet({
    url: jwtJwksUrl,
    now: () => performance.now(),
    onFailure: (err) => log.warn({ err }, 'the key set cannot be read'),
  });
  return createTokenVerifier({
    keys,
    issuer: jwtIssuer,
    audience: jwtAudience,
    algorithms: jwtAlgorithms,
    now,
  });
}
