// The kinds of value that settings have: what each expects, and how its text is parsed.
import { statSync } from 'node:fs';
import { isIP } from 'node:net';

/** A kind of value. */
export interface Kind<T> {
  /** What `parse` accepts, for the person who has to correct it. */
  readonly expected: string;
  /** Never quoted in a message: it is a secret, or an address that may hold one. */
  readonly isSecret: boolean;
  /** The value, or undefined where the text is not as expected. */
  readonly parse: (text: string) => T | undefined;
}

/** A whole number within bounds, both included. */
export function whole(min: number, max: number): Kind<number> {
  return {
    expected: `a whole number from ${min} to ${max}`,
    isSecret: false,
    parse: (value) =>
      /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max
        ? Number(value)
        : undefined,
  };
}

/** Timers of Node.js hold no more than 31 bits: a longer one would fire at once. */
export function milliseconds(min: number): Kind<number> {
  return whole(min, 2 ** 31 - 1);
}

/** Any text; `what` says what it is. */
export function text(what: string): Kind<string> {
  return { expected: what, isSecret: false, parse: (value) => value };
}

/** The path of a file that is there. */
export function file(): Kind<string> {
  return {
    expected: 'the path of a file',
    isSecret: false,
    parse: (path) => (isFile(path) ? path : undefined),
  };
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Any text, never quoted in a message. */
export function secret(): Kind<string> {
  return { expected: 'a secret', isSecret: true, parse: (value) => value };
}

/** What a server may listen on: an address of this machine, or a name of one. */
export function host(): Kind<string> {
  return {
    expected: 'a host name or an IP address',
    isSecret: false,
    parse: (value) => (isIP(value) > 0 || hostName.test(value) ? value : undefined),
  };
}

const hostName = /^[a-z\d](?:[a-z\d.-]{0,252}[a-z\d])?$/i;

/** One of a few words, each with the value that it stands for. */
export function oneOf<T>(values: Readonly<Record<string, T>>): Kind<T> {
  return {
    expected: `one of ${Object.keys(values).join(', ')}`,
    isSecret: false,
    parse: (value) => (Object.hasOwn(values, value) ? values[value] : undefined),
  };
}

/** A switch: on, true or 1; off, false or 0. */
export function onOrOff(): Kind<boolean> {
  const { parse } = oneOf({ on: true, off: false, true: true, false: false, 1: true, 0: false });
  return { expected: 'on or off', isSecret: false, parse: (value) => parse(value.toLowerCase()) };
}

const logLevels = {
  trace: 'trace',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'fatal',
  silent: 'silent',
} as const;

/** pino's levels. */
export function logLevel() {
  return oneOf<keyof typeof logLevels>(logLevels);
}

const executors = { compiled: 'compiled', 'graphql-js': 'graphql-js' } as const;

/** What executes operations. */
export function executor() {
  return oneOf<keyof typeof executors>(executors);
}

/** An absolute address; kept as written, since some are compared with what others wrote. */
export function address(...protocols: readonly string[]): Kind<string> {
  return {
    expected: `an address that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`,
    isSecret: true,
    parse: (value) =>
      protocols.includes(parseUrl(value)?.protocol ?? '') && /^\w+:\/\//.test(value)
        ? value
        : undefined,
  };
}

/** The address that paths are put behind; anything after its own path would get lost there. */
export function baseAddress(): Kind<string> {
  const { expected, parse } = address('http:', 'https:');
  return {
    expected: `${expected} and has no user, query or fragment`,
    isSecret: true,
    parse: (value) => (/[@?#]/.test(value) ? undefined : parse(value)),
  };
}

function parseUrl(value: string): URL | null {
  return URL.canParse(value) ? new URL(value) : null;
}

/** Signatures that a public key verifies. HMAC would turn the published key into a secret, none is no signature. */
const asymmetric = /^(?:RS256|RS384|RS512|PS256|PS384|PS512|ES256|ES384|ES512|EdDSA|Ed25519)$/;

/** A list of names of RFC 7518 and 8037. */
export function algorithms(): Kind<readonly string[]> {
  return {
    expected: 'a comma-separated list of RS256 to RS512, PS256 to PS512, ES256 to ES512, EdDSA',
    isSecret: false,
    parse: (value) => parseList(value, (item) => asymmetric.test(item)),
  };
}

/** A list of web origins (RFC 6454), as browsers send them. */
export function origins(): Kind<readonly string[]> {
  return {
    expected:
      'a comma-separated list of origins such as https://app.example, or localhost for any port of it',
    isSecret: false,
    parse: (value) => parseList(value, isOrigin),
  };
}

function isOrigin(item: string): boolean {
  const url = parseUrl(item);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  return item === 'localhost' || (isWeb && url.origin === item);
}

function parseList(value: string, isItem: (item: string) => boolean): string[] | undefined {
  const items = value.split(',').map((item) => item.trim());
  return items.every(isItem) ? items : undefined;
}
