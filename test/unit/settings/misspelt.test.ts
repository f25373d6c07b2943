// Which environment variables are reported because they look like settings.
import { expect, test } from 'vitest';
import { misspelt } from '../../../src/settings/misspelt.ts';
import { settingNames } from '../../../src/settings/settings.ts';

const names = settingNames.map(({ variable }) => variable);

test.each([
  ['UPSTREM_URL', 'UPSTREAM_URL'],
  ['UPSTREAM_URI', 'UPSTREAM_URL'],
  ['JWT_JWKS', 'JWT_JWKS_URL'],
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT_MS'],
  ['RATE_LIMIT_PER_MIN', 'RATE_LIMIT_PER_MINUTE'],
  ['MAX_BODY_BYTE', 'MAX_BODY_BYTES'],
])('%s is reported as like %s', (variable, setting) => {
  expect(misspelt([variable], names)).toEqual([[variable, setting]]);
});

test('settings and the variables of other programs are not reported', () => {
  const others = [
    'HOME',
    'HOSTNAME',
    'PATH',
    'PWD',
    'NODE_OPTIONS',
    'NODE_EXTRA_CA_CERTS',
    'HTTP_PROXY',
  ];
  const kubernetes = [
    'UPSTREAM_SERVICE_HOST',
    'UPSTREAM_PORT',
    'UPSTREAM_PORT_80_TCP_ADDR',
    'REDIS_PORT',
  ];
  const otel = ['OTEL_SERVICE_NAME', 'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_TRACES_SAMPLER'];
  expect(misspelt([...names, ...others, ...kubernetes, ...otel], names)).toEqual([]);
});
