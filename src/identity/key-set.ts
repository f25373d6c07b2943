// The key set for verifying tokens. It is read over HTTP, with limits, and kept if a later read fails.
import { unescape } from 'node:querystring';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

export interface KeySetSettings {
  /** Address of the JWK set (RFC 7517 5); a user and password in it are sent as Basic authorization. */
  readonly url: string;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /**
   * Called each time the set cannot be read. The error quotes neither credentials nor the set, but its cause may name
   * the host.
   */
  readonly onFailure: (error: unknown) => void;
}

/** The longest time that one read may take, including the body. */
const timeoutMs = 5000;

/** The shortest time between two reads: clients must not cause too many reads, and a new key must soon be known. */
const pauseMs = 3000;

/** A set of this age is read again, so that a withdrawn key is noticed. The old set is used until the read succeeds. */
const maxAgeMs = 300_000;

/** After this long without a successful read, the set is no longer trusted. */
const maxOutageMs = 86_400_000;

/** The longest body of a set: enough for more than a hundred keys. */
const maxBytes = 262_144;

/**
 * Returns a function that finds a token's key in a remote key set. The set is first read when a key is needed. If the
 * token is at fault, the function rejects with an error of jose. jose's own `createRemoteJWKSet` requests an
 * unavailable set again for every token, and has neither a background refresh nor a size limit.
 */
export function createKeySet({ url, now, onFailure }: KeySetSettings): JWTVerifyGetKey {
  const { address, headers } = splitCredentials(url);
  let known: { readonly keys: JWTVerifyGetKey; readonly atMs: number } | null = null;
  /** The latest read, in progress or ended. */
  let latest: { readonly keys: Promise<JWTVerifyGetKey>; readonly atMs: number } | null = null;
  let isReading = false;

  /** The latest read if it is in progress or began less than `pauseMs` ago, otherwise a new one. */
  function readLatest(): Promise<JWTVerifyGetKey> {
    const atMs = now();
    if (latest === null || (!isReading && atMs >= latest.atMs + pauseMs)) {
      isReading = true;
      latest = { keys: read(atMs), atMs };
    }
    return latest.keys;
  }

  async function read(atMs: number): Promise<JWTVerifyGetKey> {
    try {
      known = { keys: await readKeys(address, headers), atMs };
      return known.keys;
    } catch (error) {
      onFailure(error);
      throw error;
    } finally {
      isReading = false;
      // Otherwise Node.js's performance timeline keeps the timings of 250 fetches, 2 KB each.
      performance.clearResourceTimings();
    }
  }

  function current(): JWTVerifyGetKey | Promise<JWTVerifyGetKey> {
    if (known === null) return readLatest();
    const ageMs = now() - known.atMs;
    if (ageMs >= maxOutageMs) return readLatest();
    // No request waits for this read, and its failure is already reported.
    if (ageMs >= maxAgeMs) readLatest().catch(() => undefined);
    return known.keys;
  }

  return async (header, token) => {
    const keys = await current();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The key may be newer than the set.
      return (await readLatest())(header, token);
    }
  };
}

type RequestHeaders = Readonly<Record<string, string>>;

/**
 * Separates the credentials from an address: fetch rejects an address with credentials, and quotes them in its error
 * message.
 */
function splitCredentials(url: string): { address: URL; headers: RequestHeaders } {
  const address = new URL(url);
  const { username, password } = address;
  const accept = 'application/jwk-set+json, application/json';
  if (username === '' && password === '') return { address, headers: { accept } };
  address.username = address.password = '';
  const credentials = Buffer.from(unescape(`${username}:${password}`));
  return { address, headers: { accept, authorization: `Basic ${credentials.toString('base64')}` } };
}

async function readKeys(address: URL, headers: RequestHeaders): Promise<JWTVerifyGetKey> {
  const signal = AbortSignal.timeout(timeoutMs);
  const { status, body } = await fetch(address, { headers, signal, redirect: 'error' });
  if (status !== 200) {
    await body?.cancel();
    throw new Error(`the status is ${status}`);
  }
  // jose checks the content of the set.
  return createLocalJWKSet(parseJson(await readText(body)) as JSONWebKeySet);
}

/**
 * The body as text. The throw in the loop closes the connection, so a body that is too large is not read to its end.
 */
async function readText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The parsed value. Unlike the error of JSON.parse, the error thrown here does not quote the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
}
