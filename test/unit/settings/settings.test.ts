// The settings: their defaults, the values that are accepted, and how invalid values are reported.
import { describe, expect, test } from 'vitest';
import { parseSettings } from '../../../src/settings/settings.ts';
import { linesOf } from '../../support/settings.ts';

const production = { NODE_ENV: 'production', UPSTREAM_URL: 'https://bank.example/v1' };

test('the settings have their defaults if no environment variable is set', () => {
  expect(parseSettings({})).toEqual({
    isProduction: false,
    port: 4000,
    host: '127.0.0.1',
    adminPort: 4001,
    adminHost: '127.0.0.1',
    upstreamUrl: null,
    upstreamPageBase: 0,
    upstreamTimeoutMs: 5000,
    upstreamRetries: 1,
    upstreamMaxBodyBytes: 4_194_304,
    upstreamConnections: 512,
    upstreamCa: null,
    upstreamCert: null,
    upstreamKey: null,
    upstreamTimeZone: null,
    upstreamEndDate: 'inclusive',
    nodeUseEnvProxy: false,
    operationTimeoutMs: 10_000,
    maxUpstreamCalls: 50,
    maxParallelReads: 8,
    maxRepresentations: 1000,
    maxDepth: 15,
    maxAliases: 30,
    maxTokens: 5000,
    maxBodyBytes: 1_048_576,
    jwtJwksUrl: null,
    jwtIssuer: null,
    jwtAudience: null,
    jwtAlgorithms: ['RS256', 'ES256', 'EdDSA', 'PS256'],
    jwtEntityTypeClaim: 'entityType',
    jwtTenantClaim: null,
    corsOrigins: [
      'https://studio.apollographql.com',
      'https://sandbox.embed.apollographql.com',
      'localhost',
    ],
    explorer: true,
    introspection: true,
    routerSecret: null,
    operationsManifest: null,
    operationsOnly: false,
    redisUrl: null,
    rateLimitPerMinute: 0,
    clients: null,
    shutdownDelayMs: 0,
    shutdownGraceMs: 10_000,
    otelExporterOtlpEndpoint: null,
    otelSemconvStabilityOptIn: null,
    logLevel: 'info',
    executor: 'compiled',
  });
});

test('by default in production, the explorer and introspection are off, no origin is allowed, and the shutdown is delayed by 5 s', () => {
  expect(parseSettings(production)).toMatchObject({
    isProduction: true,
    explorer: false,
    introspection: false,
    corsOrigins: [],
    shutdownDelayMs: 5000,
    upstreamUrl: 'https://bank.example/v1',
  });
});

describe('a setting', () => {
  test.each([
    ['PORT', '0', 'port', 0],
    ['HOST', '::1', 'host', '::1'],
    ['HOST', 'localhost', 'host', 'localhost'],
    ['UPSTREAM_URL', 'http://127.0.0.1:8080/a/b/', 'upstreamUrl', 'http://127.0.0.1:8080/a/b/'],
    ['UPSTREAM_PAGE_BASE', '1', 'upstreamPageBase', 1],
    ['UPSTREAM_RETRIES', '0', 'upstreamRetries', 0],
    ['JWT_ALGORITHMS', 'ES256, EdDSA', 'jwtAlgorithms', ['ES256', 'EdDSA']],
    ['JWT_ISSUER', 'https://issuer.example/', 'jwtIssuer', 'https://issuer.example/'],
    [
      'CORS_ORIGINS',
      'https://a.example,http://b.example:81',
      'corsOrigins',
      expect.arrayContaining(['http://b.example:81']),
    ],
    ['EXPLORER', 'off', 'explorer', false],
    ['EXPLORER', 'FALSE', 'explorer', false],
    ['INTROSPECTION', '0', 'introspection', false],
    ['REDIS_URL', 'rediss://user:secret@redis.example:6380/1', 'redisUrl', expect.any(String)],
    ['REDIS_URL', 'redis://:p%2Fq@[::1]:6380/', 'redisUrl', 'redis://:p%2Fq@[::1]:6380/'],
    ['REDIS_URL', 'REDIS://redis.example', 'redisUrl', 'REDIS://redis.example'],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'http://user:password@collector:4318/a',
      'otelExporterOtlpEndpoint',
      'http://user:password@collector:4318/a',
    ],
    ['ROUTER_SECRET', 'a b~!', 'routerSecret', 'a b~!'],
    ['LOG_LEVEL', 'silent', 'logLevel', 'silent'],
    ['EXECUTOR', 'graphql-js', 'executor', 'graphql-js'],
    ['MAX_DEPTH', ' 7\n', 'maxDepth', 7],
    ['MAX_DEPTH', '  ', 'maxDepth', 15],
  ])('accepts %s=%j', (variable, value, key, expected) => {
    expect(parseSettings({ [variable]: value })).toMatchObject({ [key]: expected as unknown });
  });
});

describe('an invalid value', () => {
  test.each([
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '4e3'],
    ['HOST', 'not a host'],
    ['UPSTREAM_URL', 'bank.example'],
    ['UPSTREAM_URL', 'ftp://bank.example'],
    ['UPSTREAM_URL', 'https://bank.example/?tenant=1'],
    ['UPSTREAM_URL', 'https://user:password@bank.example/'],
    ['UPSTREAM_PAGE_BASE', '2'],
    ['UPSTREAM_TIMEOUT_MS', '0'],
    ['UPSTREAM_TIMEOUT_MS', '1.5'],
    ['OPERATION_TIMEOUT_MS', '2147483648'],
    ['UPSTREAM_RETRIES', '-1'],
    ['UPSTREAM_CONNECTIONS', '0'],
    ['MAX_BODY_BYTES', '1MiB'],
    ['UPSTREAM_URL', 'http:///accounts'],
    ['UPSTREAM_URL', 'http://\\accounts'],
    ['UPSTREAM_URL', 'http://\t/accounts'],
    ['JWT_JWKS_URL', 'file:///keys.json'],
    ['JWT_JWKS_URL', 'http:///jwks'],
    ['JWT_ALGORITHMS', 'RS256,HS256'],
    ['JWT_ALGORITHMS', 'none'],
    ['JWT_ALGORITHMS', 'RS256,'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://*.example'],
    ['CORS_ORIGINS', 'https://a.example/path'],
    ['CORS_ORIGINS', 'capacitor://localhost/'],
    ['CORS_ORIGINS', 'capacitor://'],
    ['CORS_ORIGINS', 'capacitor://*'],
    ['CORS_ORIGINS', 'Capacitor://localhost'],
    ['CORS_ORIGINS', 'file://host'],
    ['CORS_ORIGINS', 'null'],
    ['EXPLORER', 'maybe'],
    ['REDIS_URL', 'http://redis.example'],
    ['REDIS_URL', 'redis://redis.example/abc'],
    ['REDIS_URL', 'redis://redis.example/-1'],
    ['REDIS_URL', 'redis://redis.example/1/2'],
    ['REDIS_URL', 'redis://redis.example?db=abc'],
    ['REDIS_URL', 'redis://redis.example/1#2'],
    ['REDIS_URL', 'redis://:100%@redis.example'],
    ['REDIS_URL', 'redis://'],
    ['REDIS_URL', 'redis:///0'],
    ['ROUTER_SECRET', 'sécret'],
    ['RATE_LIMIT_PER_MINUTE', 'many'],
    ['SHUTDOWN_GRACE_MS', '10s'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318?key=1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318/#traces'],
    ['LOG_LEVEL', 'toString'],
    ['EXECUTOR', 'jit'],
  ])(
    'is reported with the name of its setting and the expected value: %s=%j',
    (variable, value) => {
      const [line, ...others] = linesOf({ [variable]: value });
      expect(line).toMatch(new RegExp(`^${variable}: .+ expected .+`));
      expect(others).toEqual([]);
    },
  );
});

test('the SettingsError lists every invalid setting', () => {
  const lines = linesOf({ NODE_ENV: 'production', PORT: 'x', LOG_LEVEL: 'loud', MAX_DEPTH: '-3' });
  expect(lines.map((line) => line.split(':')[0]).sort()).toEqual([
    'LOG_LEVEL',
    'MAX_DEPTH',
    'PORT',
    'UPSTREAM_URL',
  ]);
});

test('in production, UPSTREAM_URL is required and must not be blank', () => {
  expect(linesOf({ NODE_ENV: 'production' })).toEqual([expect.stringMatching(/^UPSTREAM_URL: /)]);
  expect(linesOf({ NODE_ENV: 'production', UPSTREAM_URL: ' ' })).toHaveLength(1);
});

test('PORT and ADMIN_PORT must differ unless they are 0', () => {
  expect(linesOf({ PORT: '4001' })).toEqual([expect.stringMatching(/^ADMIN_PORT: /)]);
  expect(linesOf({ PORT: '0', ADMIN_PORT: '0' })).toEqual([]);
});

test('the SettingsError does not quote addresses, because these may contain secrets', () => {
  const wrong = {
    UPSTREAM_URL: 'https://user:s3cret@bank.example/',
    REDIS_URL: 'http://:s3cret@redis.example',
    JWT_JWKS_URL: 's3cret',
    OTEL_EXPORTER_OTLP_ENDPOINT: 's3cret',
  };
  expect(linesOf(wrong)).toHaveLength(4);
  expect(linesOf(wrong).join()).not.toContain('s3cret');
});
