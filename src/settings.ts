// Reads the settings from environment variables, and reports all invalid ones at once (docs/settings.md).
import { readFileSync } from 'node:fs';
import { getDescription, getMetadata, safeParse } from 'valibot';
import { ManifestError, parseManifest } from './operations-manifest.ts';
import * as kinds from './setting-kinds.ts';

/** The message has a line for each problem: `NAME: problem, expectation`. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const sandboxOrigins: readonly string[] = [
  'https://studio.apollographql.com',
  'https://sandbox.embed.apollographql.com',
  'localhost',
];

const table = {
  port: setting('PORT', kinds.whole(0, 65_535), 4000),
  host: setting('HOST', kinds.host, '127.0.0.1'),
  adminPort: setting('ADMIN_PORT', kinds.whole(0, 65_535), 4001),
  adminHost: setting('ADMIN_HOST', kinds.host, '127.0.0.1'),

  upstreamUrl: setting('UPSTREAM_URL', kinds.baseAddress, null),
  upstreamPageBase: setting('UPSTREAM_PAGE_BASE', kinds.pageBase, 0),
  upstreamTimeoutMs: setting('UPSTREAM_TIMEOUT_MS', kinds.milliseconds(1), 5000),
  upstreamRetries: setting('UPSTREAM_RETRIES', kinds.whole(0, 10), 1),
  upstreamMaxBodyBytes: setting('UPSTREAM_MAX_BODY_BYTES', kinds.whole(1, 2 ** 30), 4_194_304),
  upstreamConnections: setting('UPSTREAM_CONNECTIONS', kinds.whole(1, 65_535), 512),

  operationTimeoutMs: setting('OPERATION_TIMEOUT_MS', kinds.milliseconds(1), 10_000),
  maxUpstreamCalls: setting('MAX_UPSTREAM_CALLS', kinds.whole(1, 1_000_000), 50),
  maxRepresentations: setting('MAX_REPRESENTATIONS', kinds.whole(0, 1_000_000), 1000),
  maxDepth: setting('MAX_DEPTH', kinds.whole(1, 1_000_000), 15),
  maxAliases: setting('MAX_ALIASES', kinds.whole(0, 1_000_000), 30),
  maxTokens: setting('MAX_TOKENS', kinds.whole(1, 1_000_000), 5000),
  maxBodyBytes: setting('MAX_BODY_BYTES', kinds.whole(1, 2 ** 30), 1_048_576),

  jwtJwksUrl: setting('JWT_JWKS_URL', kinds.address('http', 'https'), null),
  jwtIssuer: setting('JWT_ISSUER', kinds.text('an issuer'), null),
  jwtAudience: setting('JWT_AUDIENCE', kinds.text('an audience'), null),
  jwtAlgorithms: setting('JWT_ALGORITHMS', kinds.algorithms, ['RS256', 'ES256', 'EdDSA', 'PS256']),
  jwtEntityTypeClaim: setting(
    'JWT_ENTITY_TYPE_CLAIM',
    kinds.text('the name of a claim'),
    'entityType',
  ),
  jwtTenantClaim: setting('JWT_TENANT_CLAIM', kinds.text('the name of a claim'), null),

  corsOrigins: setting('CORS_ORIGINS', kinds.origins, (isProduction) =>
    isProduction ? [] : sandboxOrigins,
  ),
  explorer: setting('EXPLORER', kinds.onOrOff, isDevelopment),
  introspection: setting('INTROSPECTION', kinds.onOrOff, isDevelopment),
  routerSecret: setting('ROUTER_SECRET', kinds.secret, null),
  operationsManifest: setting('OPERATIONS_MANIFEST', kinds.text('the path of a file'), null),
  operationsOnly: setting('OPERATIONS_ONLY', kinds.onOrOff, false),
  redisUrl: setting('REDIS_URL', kinds.address('redis', 'rediss'), null),
  rateLimitPerMinute: setting('RATE_LIMIT_PER_MINUTE', kinds.whole(0, 1_000_000_000), 0),
  clients: setting('CLIENTS', kinds.clients, null),

  shutdownDelayMs: setting('SHUTDOWN_DELAY_MS', kinds.milliseconds(0), (isProduction) =>
    isProduction ? 5000 : 0,
  ),
  shutdownGraceMs: setting('SHUTDOWN_GRACE_MS', kinds.milliseconds(0), 10_000),
  otlpEndpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', kinds.address('http', 'https'), null),
  semconvOptIn: setting('OTEL_SEMCONV_STABILITY_OPT_IN', kinds.names, null),
  logLevel: setting(
    'LOG_LEVEL',
    kinds.oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
  ),
  executor: setting('EXECUTOR', kinds.oneOf('compiled', 'graphql-js'), 'compiled'),
};

type Table = typeof table;

/** Every variable except NODE_ENV, each with a description of its valid values. */
export const settingNames: readonly { readonly variable: string; readonly expected: string }[] =
  Object.values(table).map(({ variable, kind }) => ({
    variable,
    expected: getDescription(kind) ?? '',
  }));

/** `null`: the setting is not set and has no default. */
export type Settings = { readonly isProduction: boolean } & {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer T> ? T : never;
};

/** Reads the process's environment. If a setting is invalid, prints all problems and exits with 1. */
export function readSettings(): Settings {
  try {
    return parseSettings(process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/** Ignores empty values and white space around values. Throws a SettingsError that lists every problem. */
export function parseSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const isProduction = env['NODE_ENV']?.trim() === 'production';
  const lines: string[] = [];
  const values: [string, unknown][] = Object.entries(table).map(([key, row]) => {
    const value: unknown = readSetting<unknown>(row, env[row.variable], isProduction, lines);
    return [key, value];
  });
  // Object.entries loses the types. Invalid settings are undefined here, and cause the throw below.
  const settings = { isProduction, ...Object.fromEntries(values) } as Settings;
  lines.push(...contradictions(settings));
  if (lines.length > 0) throw new SettingsError(lines.join('\n'));
  return settings;
}

function readSetting<T>(
  { variable, kind, fallback }: Setting<T>,
  raw: string | undefined,
  isProduction: boolean,
  lines: string[],
): T | undefined {
  const value = raw?.trim() ?? '';
  if (value === '') return fallback instanceof Function ? fallback(isProduction) : fallback;
  const { success, output } = safeParse(kind, value);
  if (success) return output;
  const isSecret = getMetadata(kind)['isSecret'] === true;
  const what = isSecret ? 'its value' : JSON.stringify(value.slice(0, 80));
  lines.push(`${variable}: ${what} cannot be used, expected ${getDescription(kind) ?? ''}`);
  return undefined;
}

function contradictions(settings: Settings): string[] {
  const lines: string[] = [];
  if (settings.isProduction && settings.upstreamUrl === null) {
    const expected = getDescription(table.upstreamUrl.kind) ?? '';
    lines.push(`UPSTREAM_URL: not set, expected ${expected} in production`);
  }
  const { port, host, adminPort, adminHost, operationsManifest } = settings;
  if (port === adminPort && host === adminHost && port > 0) {
    lines.push(`ADMIN_PORT: ${port} is PORT too, expected another port`);
  }
  if (settings.operationsOnly && operationsManifest === null) {
    lines.push('OPERATIONS_ONLY: on without OPERATIONS_MANIFEST, expected that one as well');
  }
  if (operationsManifest !== null) lines.push(...complaintsAboutManifest(operationsManifest));
  return lines;
}

/** Reads the manifest to report its errors together with invalid settings; the gateway reads it again later. */
function complaintsAboutManifest(path: string): string[] {
  try {
    parseManifest(readFileSync(path, 'utf8'));
    return [];
  } catch (error) {
    return error instanceof ManifestError
      ? [`OPERATIONS_MANIFEST: ${error.message}, expected an Apollo persisted-query manifest`]
      : [
          `OPERATIONS_MANIFEST: ${JSON.stringify(path)} cannot be used, expected the path of a file`,
        ];
  }
}

function setting<T>(
  variable: string,
  kind: kinds.Kind<T>,
  fallback: T | ((isProduction: boolean) => T),
) {
  return { variable, kind, fallback };
}

type Setting<T> = ReturnType<typeof setting<T>>;

function isDevelopment(isProduction: boolean): boolean {
  return !isProduction;
}
