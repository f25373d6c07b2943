// The key set for verifying tokens. It is read over HTTP, with limits, and kept if a later read fails.
import { unescape } from 'node:querystring';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

export interface KeySetSettings {
  /** The address of the JWK set (RFC 7517 5); a user and password in it are sent as Basic authorization. */
  readonly url: string;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Called each time the set cannot be read. The error quotes neither credentials nor the set. */
  readonly onFailure: (error: unknown) => void;
}

const timeoutMs = 5000;

/** The shortest time between two reads, because any client can send tokens with unknown keys. */
const pauseMs = 3000;

/** A set of this age is read again in the background, so that a withdrawn key is noticed. */
const maxAgeMs = 300_000;

/** After this long without a successful read, the set is no longer trusted. */
const maxOutageMs = 86_400_000;

/** Enough for more than a hundred keys. */
const maxBytes = 262_144;

/** Unlike jose's `createRemoteJWKSet`, limits the size of a set and the requests for an unavailable set. */
export function createKeySet({ url, now, onFailure }: KeySetSettings): JWTVerifyGetKey {
  const { address, headers } = splitCredentials(url);
  let known: { readonly keys: JWTVerifyGetKey; readonly atMs: number } | null = null;
  /** The latest read, in progress or ended. */
  let latest: { readonly keys: Promise<JWTVerifyGetKey>; readonly atMs: number } | null = null;
  let isReading = false;

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

/** Moves credentials to a header: fetch rejects an address with credentials, and quotes them in its error message. */
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

/** Reads a body of limited size. The throw in the loop closes the connection, so the rest is not read. */
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

/** Unlike the error of JSON.parse, the error thrown here does not quote the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
}
