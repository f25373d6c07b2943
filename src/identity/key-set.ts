// The key set for verifying tokens. It is read over HTTP, with limits, and kept if a later read fails.
import { unescape } from 'node:querystring';
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool, request } from 'undici';
import { VerificationKeys } from './verification-keys.ts';

export interface KeySetSettings {
  /** The address of the JWK set (RFC 7517 5); a user and password in it are sent as Basic authorization. */
  readonly url: string;
  /** Whether HTTP_PROXY, HTTPS_PROXY and NO_PROXY apply, as in Node.js with NODE_USE_ENV_PROXY=1. */
  readonly usesProxy: boolean;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** The names of the signature algorithms for which keys are needed. */
  readonly algorithms: readonly string[];
  /** Called each time the set cannot be read. The error quotes neither credentials nor the set. */
  readonly onFailure: (error: unknown) => void;
  /** Called if a new set has keys that cannot be used, with their number. */
  readonly onUnusable: (count: number) => void;
}

/** Both reject with the error of `onFailure` if the set has to be read and cannot. */
export interface KeySet {
  /** The known set. It is read if it is not known, or has not been read for too long. */
  current(): VerificationKeys | Promise<VerificationKeys>;
  /** The latest set, for a token that the known set does not verify. It is read at most once in 3 seconds. */
  latest(): Promise<VerificationKeys>;
}

const timeoutMs = 5000;

/** The shortest time between the starts of two reads, because any client can send tokens with unknown keys. */
const pauseMs = 3000;

/** A set of this age is read again in the background, so that a withdrawn key is noticed. */
const maxAgeMs = 300_000;

/** After this long without a successful read, the set is no longer trusted. */
const maxOutageMs = 86_400_000;

/** Enough for more than a hundred keys, of which not more are used. */
const maxBytes = 262_144;

/** Unlike jose's `createRemoteJWKSet`, limits the size of a set and the requests for an unavailable set. */
export function createKeySet(settings: KeySetSettings): KeySet {
  const { url, usesProxy, now, algorithms, onFailure, onUnusable } = settings;
  const address = new URL(url);
  const headers = headersFor(address);
  const dispatcher = createDispatcher(usesProxy);
  let known: {
    readonly text: string;
    readonly keys: VerificationKeys;
    readonly atMs: number;
  } | null = null;
  /** The latest read, in progress or ended. */
  let latest: Promise<VerificationKeys> | null = null;
  /** When the next read may begin: never during a read. */
  let nextReadMs = 0;

  function readLatest(): Promise<VerificationKeys> {
    const atMs = now();
    if (latest === null || atMs >= nextReadMs) {
      nextReadMs = Infinity;
      latest = read(atMs);
    }
    return latest;
  }

  async function read(atMs: number): Promise<VerificationKeys> {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const { statusCode, body } = await request(address, { headers, signal, dispatcher });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`the status is ${statusCode}`);
      const keys = known?.text === text ? known.keys : importKeys(text);
      known = { text, keys, atMs };
      return keys;
    } catch (error) {
      const failure = withoutBytes(error);
      onFailure(failure);
      throw failure;
    } finally {
      nextReadMs = atMs + pauseMs;
    }
  }

  function importKeys(text: string): VerificationKeys {
    const keys = new VerificationKeys(text, algorithms);
    if (keys.unusable > 0) onUnusable(keys.unusable);
    return keys;
  }

  function current(): VerificationKeys | Promise<VerificationKeys> {
    if (known === null) return readLatest();
    const ageMs = now() - known.atMs;
    if (ageMs >= maxOutageMs) return readLatest();
    // This request does not wait for the read, which itself reports a failure.
    if (ageMs >= maxAgeMs) readLatest().catch(() => undefined);
    return known.keys;
  }

  return { current, latest: readLatest };
}

/** The limits are set by the factory, because a proxy without a tunnel passes no others on. */
function createDispatcher(usesProxy: boolean): Dispatcher {
  const factory = (origin: string | URL, options: object) =>
    new Pool(origin, { ...options, allowH2: false, maxResponseSize: maxBytes });
  return usesProxy ? new EnvHttpProxyAgent({ factory }) : new Agent({ factory });
}

/** undici's error for an answer that is not HTTP has the bytes of the answer, which can echo the credentials. */
function withoutBytes(error: unknown): unknown {
  return error instanceof Error && 'data' in error ? new Error(error.message) : error;
}

/** undici ignores the user and password of an address. */
function headersFor({ username, password }: URL): Readonly<Record<string, string>> {
  const headers = {
    accept: 'application/jwk-set+json, application/json',
    'user-agent': 'account-bff',
  };
  if (username === '' && password === '') return headers;
  const credentials = Buffer.from(unescape(`${username}:${password}`));
  return { ...headers, authorization: `Basic ${credentials.toString('base64')}` };
}
