// The settings: all wrong ones are listed at start, and the process ends with status 1.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseSettings } from '../settings.ts';

const valid = {
  APP_ORIGIN: 'https://app.example',
  GATEWAY_URL: 'http://gateway:4000',
  SESSION_SECRETS: 'x'.repeat(32),
  REDIS_URL: 'redis://redis',
  NODE_ENV: 'production',
  ISSUERS: JSON.stringify([
    { tenant: 'aurora', issuer: 'https://id.example/', clientId: 'app', clientSecret: 'secret' },
  ]),
};

test('the defaults are those of the README', () => {
  expect(parseSettings(valid)).toMatchObject({
    port: 3000,
    host: '127.0.0.1',
    idleSeconds: 900,
    absoluteSeconds: 43_200,
    issuers: [{ scope: 'openid offline_access', resource: null }],
  });
});

test.each([
  ['PORT', '99999'],
  ['APP_ORIGIN', 'http://app.example'],
  ['APP_ORIGIN', 'https://app.example/path'],
  ['GATEWAY_URL', 'gateway'],
  ['SESSION_SECRETS', 'short'],
  ['REDIS_URL', ''],
  ['REDIS_URL', 'http://redis'],
  ['ISSUERS', '{"secret'],
  ['ISSUERS', '[]'],
  ['ISSUERS', '[{"tenant":"a b"}]'],
  ['ISSUERS', valid.ISSUERS.replace('https:', 'http:')],
  ['ISSUERS', `[${[1, 2].map(() => valid.ISSUERS.slice(1, -1)).join(',')}]`],
  ['IDLE_MINUTES', '0'],
  ['ABSOLUTE_HOURS', 'x'],
])('%s=%s is refused', (name, value) => {
  expect(() => parseSettings({ ...valid, [name]: value })).toThrow(RegExp(`^${name}: `));
});

test('the process lists every wrong setting, without its value, and ends with status 1', () => {
  const { status, stderr } = spawnSync(process.execPath, ['main.ts'], {
    cwd: new URL('..', import.meta.url).pathname,
    env: { PATH: process.env['PATH'], SESSION_SECRETS: 'secret-key', ISSUERS: '{"s3cret' },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  const names = stderr
    .trim()
    .split('\n')
    .map((line) => line.split(':')[0]);
  expect(names).toEqual(['APP_ORIGIN', 'GATEWAY_URL', 'SESSION_SECRETS', 'ISSUERS']);
  expect(stderr).not.toMatch(/s3cret|secret-key/);
});
