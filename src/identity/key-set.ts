// The key set that tokens are verified against: read over HTTP within limits, and kept while it cannot be read.
import { unescape } from 'node:querystring';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

export interface KeySetSettings {
  /** Address of the JWK set (RFC 7517 5); a user and a password in it are sent as Basic authorization. */
  readonly url: string;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Called each time the set cannot be read; the error quotes neither the address nor the content. */
  readonly onFailure: (error: unknown) => void;
}

/** The longest that one read may take, body included. */
const timeoutMs = 5000;

/**
 * From the start of one read to the start of the next, whether or not the first succeeds. Short, so that a new key is
 * soon known: jose's own 30 s would reject callers whose tokens were just signed with it. Not zero, because anyone can
 * name a key that does not exist.
 */
const pauseMs = 3000;

/** A set this old is read again, so that a withdrawn key is noticed; meanwhile it is still used. */
const maxAgeMs = 300_000;

/** After this long without a successful read, the set is no longer trusted. */
const maxOutageMs = 86_400_000;

/** Room for more than a hundred keys. */
const maxBytes = 262_144;

/**
 * A remote key set, first read when a key is needed. Rejects with jose's errors if the fault is the token's, and with any
 * other error if the key is not known and the set cannot be read. It replaces jose's `createRemoteJWKSet`, which requests
 * an unavailable set again for every token, and trusts no set beyond its maximum age.
 */
export function createKeySet(settings: KeySetSettings): JWTVerifyGetKey {
  return new KeySet(settings).key;
}

class KeySet {
  readonly #settings: KeySetSettings;
  readonly #source: Source;
  #keys: JWTVerifyGetKey | null = null;
  #keysAtMs = 0;
  /** The latest read, which may be over, and its start. */
  #reading: Promise<JWTVerifyGetKey> | null = null;
  #readingAtMs = 0;
  #isReading = false;

  constructor(settings: KeySetSettings) {
    this.#settings = settings;
    this.#source = sourceOf(settings.url);
  }

  readonly key: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.#current();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The key may be newer than the set.
      return (await this.#latest())(header, token);
    }
  };

  #current(): JWTVerifyGetKey | Promise<JWTVerifyGetKey> {
    const ageMs = this.#settings.now() - this.#keysAtMs;
    if (this.#keys === null || ageMs >= maxOutageMs) return this.#latest();
    // No request waits for this read, and its failure is already reported.
    if (ageMs >= maxAgeMs) this.#latest().catch(() => undefined);
    return this.#keys;
  }

  /** The latest read if it is in progress or began within the pause, otherwise a new one. */
  #latest(): Promise<JWTVerifyGetKey> {
    const nowMs = this.#settings.now();
    if (this.#reading !== null && (this.#isReading || nowMs < this.#readingAtMs + pauseMs)) {
      return this.#reading;
    }
    this.#readingAtMs = nowMs;
    this.#reading = this.#read();
    return this.#reading;
  }

  async #read(): Promise<JWTVerifyGetKey> {
    this.#isReading = true;
    try {
      const keys = await readKeys(this.#source);
      this.#keys = keys;
      this.#keysAtMs = this.#readingAtMs;
      return keys;
    } catch (error) {
      this.#settings.onFailure(error);
      throw error;
    } finally {
      this.#isReading = false;
    }
  }
}

interface Source {
  readonly address: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** fetch rejects an address with credentials, and its message quotes them. */
function sourceOf(url: string): Source {
  const address = new URL(url);
  const { username, password } = address;
  const accept = 'application/jwk-set+json, application/json';
  if (username === '' && password === '') return { address, headers: { accept } };
  address.username = address.password = '';
  const credentials = Buffer.from(unescape(`${username}:${password}`));
  return { address, headers: { accept, authorization: `Basic ${credentials.toString('base64')}` } };
}

async function readKeys({ address, headers }: Source): Promise<JWTVerifyGetKey> {
  const signal = AbortSignal.timeout(timeoutMs);
  const { status, body } = await fetch(address, { headers, signal, redirect: 'error' });
  if (status !== 200) {
    await body?.cancel();
    throw new Error(`the status is ${status}`);
  }
  // jose checks the content.
  return createLocalJWKSet(parseJson(await readText(body)) as JSONWebKeySet);
}

/** Leaving the loop closes the answer's connection, so a body that is too large is not read to its end. */
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

/** JSON.parse's own message quotes the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
}
