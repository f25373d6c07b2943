// The checks of UPSTREAM_CA, UPSTREAM_CERT and UPSTREAM_KEY at start, with files of openssl.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { createAuthority } from '../../support/certificates.ts';
import { linesOf } from '../../support/settings.ts';

const authority = createAuthority();
afterAll(() => authority[Symbol.dispose]());
const client = authority.issue('client');
const other = authority.issue('other');

const text = `${authority.ca}.txt`;
writeFileSync(text, 'hello');
const broken = `${authority.ca}.broken`;
writeFileSync(broken, '-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n');
const encrypted = `${client.key}.encrypted`;
execFileSync('openssl', [
  'pkey',
  '-in',
  client.key,
  '-aes256',
  '-passout',
  'pass:x',
  '-out',
  encrypted,
]);

const pair = { UPSTREAM_CERT: client.cert, UPSTREAM_KEY: client.key };

test.each([
  ['a CA alone', { UPSTREAM_CA: authority.ca }],
  ['a pair alone', pair],
  ['all three', { UPSTREAM_CA: authority.ca, ...pair }],
])('%s can be used', (_what, env) => {
  expect(linesOf(env)).toEqual([]);
});

const of = (path: string, what: string) =>
  `${JSON.stringify(path)} cannot be used, expected a PEM file with ${what}`;

test.each<[string, Readonly<Record<string, string>>, string[]]>([
  ['a missing file', { UPSTREAM_CA: '/none' }, [`UPSTREAM_CA: ${of('/none', 'certificates')}`]],
  ['a file without PEM', { UPSTREAM_CA: text }, [`UPSTREAM_CA: ${of(text, 'certificates')}`]],
  ['a broken PEM', { UPSTREAM_CA: broken }, [`UPSTREAM_CA: ${of(broken, 'certificates')}`]],
  [
    'a key with a passphrase, and a key as a certificate',
    { UPSTREAM_CERT: client.key, UPSTREAM_KEY: encrypted },
    [
      `UPSTREAM_CERT: ${of(client.key, 'a certificate')}`,
      `UPSTREAM_KEY: ${of(encrypted, 'a private key without a passphrase')}`,
    ],
  ],
  [
    'a certificate without a key',
    { UPSTREAM_CERT: client.cert },
    ['UPSTREAM_KEY: not set, expected a file that belongs to that of UPSTREAM_CERT'],
  ],
  [
    'a key without a certificate',
    { UPSTREAM_KEY: client.key },
    ['UPSTREAM_CERT: not set, expected a file that belongs to that of UPSTREAM_KEY'],
  ],
  [
    'the key of another certificate',
    { UPSTREAM_CERT: client.cert, UPSTREAM_KEY: other.key },
    ['UPSTREAM_KEY: does not match, expected the private key of UPSTREAM_CERT'],
  ],
])('%s is reported', (_what, env, lines) => {
  expect(linesOf(env)).toEqual(lines);
});
