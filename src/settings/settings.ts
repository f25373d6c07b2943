// Reads the settings from environment variables, and reports all invalid ones at once (docs/settings.md).
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { CertificateError, readCertificates } from './certificate-files.ts';
import { ManifestError, parseManifest } from './operations-manifest.ts';
import { meanings } from './meanings.ts';
import { misspelt } from './misspelt.ts';
import * as kinds from './setting-kinds.ts';

export class SettingsError extends Error {}

const sandboxOrigins =
  'https://studio.apollographql.com,https://sandbox.embed.apollographql.com,localhost';

/** The settings by key, each with its default as it would be written in the environment; null if there is none. */
function settingsFor(isProduction: boolean) {
  const inDevelopment = isProduction ? 'off' : 'on';
  return {
    port: v.nullish(kinds.whole(0, 65_535), '4000'),
    host: v.nullish(kinds.host, '127.0.0.1'),
    adminPort: v.nullish(kinds.whole(0, 65_535), '4001'),
    adminHost: v.nullish(kinds.host, '127.0.0.1'),

    upstreamUrl: v.nullish(kinds.baseAddress, null),
    upstreamPageBase: v.nullish(kinds.pageBase, '0'),
    upstreamTimeoutMs: v.nullish(kinds.milliseconds(1), '5000'),
    upstreamRetries: v.nullish(kinds.whole(0, 10), '1'),
    upstreamMaxBodyBytes: v.nullish(kinds.whole(1, 2 ** 30), '4194304'),
    upstreamConnections: v.nullish(kinds.whole(1, 65_535), '512'),
    upstreamCa: v.nullish(kinds.text('the path of a file'), null),
    upstreamCert: v.nullish(kinds.text('the path of a file'), null),
    upstreamKey: v.nullish(kinds.text('the path of a file'), null),
    upstreamTimeZone: v.nullish(kinds.timeZone, null),
    upstreamEndDate: v.nullish(kinds.oneOf('inclusive', 'exclusive'), 'inclusive'),
    nodeUseEnvProxy: v.nullish(kinds.envProxy, '0'),

    operationTimeoutMs: v.nullish(kinds.milliseconds(1), '10000'),
    maxUpstreamCalls: v.nullish(kinds.whole(1, 1_000_000), '50'),
    maxParallelReads: v.nullish(kinds.whole(1, 1_000_000), '8'),
    maxRepresentations: v.nullish(kinds.whole(0, 1_000_000), '1000'),
    maxDepth: v.nullish(kinds.whole(1, 1_000_000), '15'),
    maxAliases: v.nullish(kinds.whole(0, 1_000_000), '30'),
    maxTokens: v.nullish(kinds.whole(1, 1_000_000), '5000'),
    maxBodyBytes: v.nullish(kinds.whole(1, 2 ** 30), '1048576'),

    jwtJwksUrl: v.nullish(kinds.address('http', 'https'), null),
    jwtIssuer: v.nullish(kinds.text('an issuer'), null),
    jwtAudience: v.nullish(kinds.text('an audience'), null),
    jwtAlgorithms: v.nullish(kinds.algorithms, 'RS256,ES256,EdDSA,PS256'),
    jwtEntityTypeClaim: v.nullish(kinds.text('the name of a claim'), 'entityType'),
    jwtTenantClaim: v.nullish(kinds.text('the name of a claim'), null),

    corsOrigins: v.nullish(kinds.origins, isProduction ? '' : sandboxOrigins),
    explorer: v.nullish(kinds.onOrOff, inDevelopment),
    introspection: v.nullish(kinds.onOrOff, inDevelopment),
    routerSecret: v.nullish(kinds.secret, null),
    operationsManifest: v.nullish(kinds.text('the path of a file'), null),
    operationsOnly: v.nullish(kinds.onOrOff, 'off'),
    redisUrl: v.nullish(kinds.redisAddress, null),
    rateLimitPerMinute: v.nullish(kinds.whole(0, 1_000_000_000), '0'),
    clients: v.nullish(kinds.clients, null),

    shutdownDelayMs: v.nullish(kinds.milliseconds(0), isProduction ? '5000' : '0'),
    shutdownGraceMs: v.nullish(kinds.milliseconds(0), '10000'),
    otelExporterOtlpEndpoint: v.nullish(kinds.collectorAddress, null),
    otelSemconvStabilityOptIn: v.nullish(kinds.names, null),
    logLevel: v.nullish(
      kinds.oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
      'info',
    ),
    executor: v.nullish(kinds.oneOf('compiled', 'graphql-js'), 'compiled'),
  };
}

/** The environment variables of this table, each with its default outside production, valid values and meaning. */
export const settingNames = Object.entries(settingsFor(false)).map(
  ([key, { wrapped, ...setting }]) => ({
    variable: variableOf(key),
    meaning: (meanings satisfies Record<keyof Table, string>)[key as keyof Table],
    byDefault: setting.default,
    expected: v.getDescription(wrapped) ?? '',
  }),
);

type Table = ReturnType<typeof settingsFor>;

/** `null`: the setting is not set and has no default. */
export type Settings = { readonly isProduction: boolean } & {
  readonly [Key in keyof Table]: v.InferOutput<Table[Key]>;
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

/** The process's variables that look like settings and are none, each with the setting that it is most like. */
export function misspeltVariables() {
  return misspelt(
    Object.keys(process.env),
    settingNames.map(({ variable }) => variable),
  );
}

/** Ignores empty values and white space around values. Throws a SettingsError that lists every problem. */
export function parseSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const isProduction = env['NODE_ENV']?.trim() === 'production';
  const lines: string[] = [];
  const values: Record<string, unknown> = { isProduction };
  for (const [key, setting] of Object.entries(settingsFor(isProduction))) {
    const variable = variableOf(key);
    const value = env[variable]?.trim() || null;
    const { success, output } = v.safeParse<v.GenericSchema>(setting, value);
    if (success) values[key] = output;
    else lines.push(`${variable}: ${problemWith(value, setting.wrapped)}`);
  }
  // Invalid settings are undefined here, and cause the throw below.
  const settings = values as Settings;
  lines.push(...contradictions(settings));
  if (lines.length > 0) throw new SettingsError(lines.join('\n'));
  return settings;
}

/** `redisUrl` -> `REDIS_URL`. */
function variableOf(key: string): string {
  return key.replace(/[A-Z]/g, '_$&').toUpperCase();
}

function problemWith(value: string | null, kind: v.GenericSchema): string {
  const isSecret = v.getMetadata(kind)['isSecret'] === true;
  const what = isSecret ? 'its value' : JSON.stringify(value?.slice(0, 80));
  return `${what} cannot be used, expected ${v.getDescription(kind) ?? ''}`;
}

function contradictions(settings: Settings): string[] {
  const lines: string[] = [];
  if (settings.isProduction && settings.upstreamUrl === null) {
    const expected = v.getDescription(kinds.baseAddress) ?? '';
    lines.push(`UPSTREAM_URL: not set, expected ${expected} in production`);
  }
  const { port, host, adminPort, adminHost, operationsManifest } = settings;
  if (port === adminPort && host === adminHost && port > 0) {
    lines.push(`ADMIN_PORT: ${port} is PORT too, expected another port`);
  }
  if (settings.operationsOnly && operationsManifest === null) {
    lines.push('OPERATIONS_ONLY: on without OPERATIONS_MANIFEST, expected that one as well');
  }
  try {
    // Read here to report errors together with those of the settings; the gateway reads the manifest again later.
    if (operationsManifest !== null) parseManifest(readFileSync(operationsManifest, 'utf8'));
  } catch (error) {
    const problem =
      error instanceof ManifestError
        ? `${error.message}, expected an Apollo persisted-query manifest`
        : `${JSON.stringify(operationsManifest)} cannot be used, expected the path of a file`;
    lines.push(`OPERATIONS_MANIFEST: ${problem}`);
  }
  try {
    readCertificates(settings);
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    lines.push(...error.message.split('\n'));
  }
  return lines;
}
