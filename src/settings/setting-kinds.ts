// The kinds of settings: schemas that parse an environment variable, each with a description of the valid values.
import { isIP } from 'node:net';
import * as v from 'valibot';

/** Keeps the setting's value out of error messages. */
const secretValue = v.metadata<string, { readonly isSecret: true }>({ isSecret: true });

export function whole(min: number, max: number) {
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/),
    v.transform(Number),
    v.minValue(min),
    v.maxValue(max),
    v.description(`a whole number from ${min} to ${max}`),
  );
}

/** A whole number of at most 2^31 - 1, because a timer of Node.js with a longer delay would fire after 1 ms. */
export function milliseconds(min: number) {
  return whole(min, 2 ** 31 - 1);
}

export function text(what: string, isValid: (value: string) => boolean = () => true) {
  return v.pipe(v.string(), v.check(isValid), v.description(what));
}

/** Only ASCII, because clients encode other characters of a header in different ways. */
export const secret = v.pipe(
  text('a secret in ASCII', (value) => /^[ -~]+$/.test(value)),
  secretValue,
);

const hostName = /^[a-z\d](?:[a-z\d.-]{0,252}[a-z\d])?$/i;

export const host = text(
  'a host name or an IP address',
  (value) => isIP(value) > 0 || hostName.test(value),
);

export function oneOf<const T extends string>(...words: readonly T[]) {
  return v.pipe(v.picklist(words), v.description(`one of ${words.join(', ')}`));
}

export const pageBase = v.pipe(
  oneOf('0', '1'),
  v.transform((digit) => (digit === '0' ? 0 : 1)),
);

export const timeZone = text(
  'the name of a time zone such as America/Sao_Paulo, or an offset such as -03:00',
  isTimeZone,
);

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Node.js itself recognizes only 1. */
export const envProxy = v.pipe(
  oneOf('0', '1'),
  v.transform((digit) => digit === '1'),
);

export const onOrOff = v.pipe(
  v.string(),
  v.toLowerCase(),
  v.picklist(['on', 'true', '1', 'off', 'false', '0']),
  v.transform((word) => word === 'on' || word === 'true' || word === '1'),
  v.description('on or off'),
);

/**
 * The address is secret, because it may contain a password. Without a host, `URL` would take the first segment of the
 * path as the host.
 */
export function address(...schemes: readonly string[]) {
  const starts = schemes.map((name) => `${name}://`).join(' or ');
  const what = `an address that starts with ${starts} and a host`;
  const pattern = RegExp(String.raw`^(?:${schemes.join('|')})://[^/?#\\\s]`, 'i');
  return v.pipe(
    text(what, (value) => URL.canParse(value) && pattern.test(value)),
    secretValue,
  );
}

/** Whether the user and password of an address can be decoded, as clients of Redis do. */
function isDecodable(value: string): boolean {
  try {
    decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}

/** The path is the number of a database; the gateway has no use for a query. */
export const redisAddress = v.pipe(
  address('redis', 'rediss'),
  v.check((value) => /^(?:\/\d{0,5})?$/.test(value.replace(/^\w+:\/\/[^/?#]*/, ''))),
  v.check(isDecodable),
  v.description(
    'an address that starts with redis:// or rediss:// and a host, with no query, and no path but the number of a database',
  ),
);

/** A query or fragment is not allowed, because a path is appended to the address. */
export const collectorAddress = v.pipe(
  address('http', 'https'),
  v.regex(/^[^?#]*$/),
  v.description(
    'an address that starts with http:// or https:// and a host, with no query or fragment',
  ),
);

export const baseAddress = v.pipe(
  collectorAddress,
  v.regex(/^[^@]*$/),
  v.description(
    'an address that starts with http:// or https:// and a host, with no user, query or fragment',
  ),
);

function listOf(description: string, isItem: (item: string) => boolean) {
  return v.pipe(
    v.string(),
    v.transform((value): readonly string[] =>
      value === '' ? [] : value.split(',').map((one) => one.trim()),
    ),
    v.everyItem(isItem),
    v.description(description),
  );
}

export const names = listOf('a comma-separated list of names', (item) => /^[\w/]+$/.test(item));

/** Each client adds several time series to the metrics. */
const maxClients = 100;

/** The version follows the last @; an @ at the start belongs to the name. */
export const clients = v.pipe(
  listOf(
    `a comma-separated list of at most ${maxClients} apps, each name or name@version`,
    (item) => /^[\w.:+/@-]{1,64}$/.test(item),
  ),
  v.maxLength(maxClients),
  v.transform((apps) =>
    apps.map((app) => {
      const [, name = app, version = null] = /^(.+)@([^@]*)$/.exec(app) ?? [];
      return { name, version };
    }),
  ),
);

/** Public-key signatures only, because the published key of an HMAC would be the secret. */
const asymmetric = /^(?:RS256|RS384|RS512|PS256|PS384|PS512|ES256|ES384|ES512|EdDSA|Ed25519)$/;

/** The names of the algorithms are from RFC 7518, 8037 and 9864. */
export const algorithms = listOf(
  'a comma-separated list of RS256 to RS512, PS256 to PS512, ES256 to ES512, EdDSA, Ed25519',
  (item) => asymmetric.test(item),
);

/** Schemes of web views and browser extensions, whose origins `URL` does not know. */
const appOrigin = /^(?!https?:|file:)[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+$/;

function isOrigin(item: string): boolean {
  return /^https?:[^*]+$/.test(item) ? URL.parse(item)?.origin === item : appOrigin.test(item);
}

/**
 * Origins (RFC 6454) as browsers and web views send them, such as `capacitor://localhost`; `localhost` allows localhost,
 * 127.0.0.1 and [::1] on any port.
 */
export const origins = listOf(
  'a comma-separated list of origins such as https://app.example, or localhost for any port of it',
  (item) => item === 'localhost' || isOrigin(item),
);
