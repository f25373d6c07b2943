// The settings: environment variables -> a checked, typed object; every wrong one is listed (docs/settings.md).
import { readFileSync } from 'node:fs';
import { getDescription, getMetadata, safeParse } from 'valibot';
import { ManifestError, parseManifest } from './operations-manifest.ts';
import {
  address,
  algorithms,
  baseAddress,
  baseAddressDescription,
  clients,
  file,
  host,
  type Kind,
  milliseconds,
  names,
  onOrOff,
  oneOf,
  origins,
  pageBase,
  secret,
  text,
  whole,
} from './setting-kinds.ts';

/** Invalid settings, one line each: `NAME: problem, expectation`. */
export class SettingsError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'SettingsError';
    this.lines = lines;
  }
}

/** One row of the table: how a variable becomes a value. */
interface Setting<T> {
  readonly variable: string;
  readonly kind: Kind<T>;
  readonly fallback: T | ((isProduction: boolean) => T);
}

/** Apollo Sandbox, on its own page and embedded, and any port of this machine. */
const sandboxOrigins: readonly string[] = [
  'https://studio.apollographql.com',
  'https://sandbox.embed.apollographql.com',
  'localhost',
];

/** Keys are the names in `Settings`; to add a setting, add a row. */
const table = {
  port: setting('PORT', whole(0, 65_535), 4000),
  host: setting('HOST', host(), '127.0.0.1'),
  adminPort: setting('ADMIN_PORT', whole(0, 65_535), 4001),
  adminHost: setting('ADMIN_HOST', host(), '127.0.0.1'),

  upstreamUrl: optional('UPSTREAM_URL', baseAddress()),
  upstreamPageBase: setting('UPSTREAM_PAGE_BASE', pageBase(), 0),
  upstreamTimeoutMs: setting('UPSTREAM_TIMEOUT_MS', milliseconds(1), 5000),
  upstreamRetries: setting('UPSTREAM_RETRIES', whole(0, 10), 1),
  upstreamMaxBodyBytes: setting('UPSTREAM_MAX_BODY_BYTES', whole(1, 2 ** 30), 4_194_304),
  upstreamConnections: setting('UPSTREAM_CONNECTIONS', whole(1, 65_535), 512),

  operationTimeoutMs: setting('OPERATION_TIMEOUT_MS', milliseconds(1), 10_000),
  maxUpstreamCalls: setting('MAX_UPSTREAM_CALLS', whole(1, 1_000_000), 50),
  maxRepresentations: setting('MAX_REPRESENTATIONS', whole(0, 1_000_000), 1000),
  maxDepth: setting('MAX_DEPTH', whole(1, 1_000_000), 15),
  maxAliases: setting('MAX_ALIASES', whole(0, 1_000_000), 30),
  maxTokens: setting('MAX_TOKENS', whole(1, 1_000_000), 5000),
  maxBodyBytes: setting('MAX_BODY_BYTES', whole(1, 2 ** 30), 1_048_576),

  jwtJwksUrl: optional('JWT_JWKS_URL', address('http:', 'https:')),
  jwtIssuer: optional('JWT_ISSUER', text('an issuer')),
  jwtAudience: optional('JWT_AUDIENCE', text('an audience')),
  jwtAlgorithms: setting('JWT_ALGORITHMS', algorithms(), ['RS256', 'ES256', 'EdDSA', 'PS256']),
  jwtEntityTypeClaim: setting('JWT_ENTITY_TYPE_CLAIM', text('the name of a claim'), 'entityType'),
  jwtTenantClaim: optional('JWT_TENANT_CLAIM', text('the name of a claim')),

  corsOrigins: setting('CORS_ORIGINS', origins(), (isProduction) =>
    isProduction ? [] : sandboxOrigins,
  ),
  explorer: setting('EXPLORER', onOrOff(), isDevelopment),
  introspection: setting('INTROSPECTION', onOrOff(), isDevelopment),
  routerSecret: optional('ROUTER_SECRET', secret()),
  operationsManifest: optional('OPERATIONS_MANIFEST', file()),
  operationsOnly: setting('OPERATIONS_ONLY', onOrOff(), false),
  redisUrl: optional('REDIS_URL', address('redis:', 'rediss:')),
  rateLimitPerMinute: setting('RATE_LIMIT_PER_MINUTE', whole(0, 1_000_000_000), 0),
  clients: optional('CLIENTS', clients()),

  shutdownDelayMs: setting('SHUTDOWN_DELAY_MS', milliseconds(0), (isProduction) =>
    isProduction ? 5000 : 0,
  ),
  shutdownGraceMs: setting('SHUTDOWN_GRACE_MS', milliseconds(0), 10_000),
  otlpEndpoint: optional('OTEL_EXPORTER_OTLP_ENDPOINT', address('http:', 'https:')),
  semconvOptIn: optional('OTEL_SEMCONV_STABILITY_OPT_IN', names()),
  logLevel: setting(
    'LOG_LEVEL',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
  ),
  executor: setting('EXECUTOR', oneOf('compiled', 'graphql-js'), 'compiled'),
};

type Table = typeof table;

/** Every variable except NODE_ENV, in the order of the table, with a description of its values. */
export const settingNames: readonly { readonly variable: string; readonly expected: string }[] =
  Object.values(table).map(({ variable, kind }) => ({
    variable,
    expected: getDescription(kind) ?? '',
  }));

/** The settings of the gateway. Timeouts are in milliseconds; `null` means not set. */
export type Settings = { readonly isProduction: boolean } & {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer T> ? T : never;
};

/**
 * Parses the settings, and NODE_ENV=production. White space around a value is ignored, and an empty value counts as
 * absent. Throws a SettingsError that lists every invalid one.
 */
export function parseSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const isProduction = env['NODE_ENV']?.trim() === 'production';
  const lines: string[] = [];
  const values: [string, unknown][] = Object.entries(table).map(([key, row]) => {
    const value: unknown = readSetting<unknown>(row, env[row.variable], isProduction, lines);
    return [key, value];
  });
  // Object.entries loses the type of each row's value.
  const settings = { isProduction, ...Object.fromEntries(values) } as Settings;
  lines.push(...contradictions(settings, env));
  if (lines.length > 0) throw new SettingsError(lines);
  return settings;
}

function readSetting<T>(
  row: Setting<T>,
  raw: string | undefined,
  isProduction: boolean,
  lines: string[],
): T | undefined {
  const value = raw?.trim() ?? '';
  const { variable, kind, fallback } = row;
  if (value === '') return fallback instanceof Function ? fallback(isProduction) : fallback;
  const { success, output } = safeParse(kind, value);
  if (success) return output;
  const isSecret = getMetadata(kind)['isSecret'] === true;
  const what = isSecret ? 'its value' : JSON.stringify(value.slice(0, 80));
  lines.push(`${variable}: ${what} cannot be used, expected ${getDescription(kind) ?? ''}`);
  return undefined;
}

/** Settings that contradict each other. */
function contradictions(settings: Settings, env: Readonly<Record<string, unknown>>): string[] {
  const lines: string[] = [];
  if (settings.isProduction && isBlank(env['UPSTREAM_URL'])) {
    lines.push(`UPSTREAM_URL: not set, expected ${baseAddressDescription} in production`);
  }
  const { port, host, adminPort, adminHost } = settings;
  if (port === adminPort && host === adminHost && port > 0) {
    lines.push(`ADMIN_PORT: ${port} is PORT too, expected another port`);
  }
  if (settings.operationsOnly && isBlank(env['OPERATIONS_MANIFEST'])) {
    lines.push('OPERATIONS_ONLY: on without OPERATIONS_MANIFEST, expected that one as well');
  }
  return [...lines, ...complaintsAboutManifest(settings)];
}

/** The gateway reads the manifest again; here its errors are listed with all others. */
function complaintsAboutManifest({ operationsManifest: path }: Partial<Settings>): string[] {
  if (path === undefined || path === null) return [];
  try {
    parseManifest(readFileSync(path, 'utf8'));
    return [];
  } catch (error) {
    const problem = error instanceof ManifestError ? error.message : 'it cannot be read';
    return [`OPERATIONS_MANIFEST: ${problem}, expected an Apollo persisted-query manifest`];
  }
}

function isBlank(value: unknown): boolean {
  return typeof value !== 'string' || value.trim() === '';
}

function setting<T>(variable: string, kind: Kind<T>, fallback: Setting<T>['fallback']): Setting<T> {
  return { variable, kind, fallback };
}

function optional<T>(variable: string, kind: Kind<T>): Setting<T | null> {
  return { variable, kind, fallback: null };
}

function isDevelopment(isProduction: boolean): boolean {
  return !isProduction;
}
