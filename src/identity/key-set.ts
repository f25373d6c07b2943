// The key set that tokens are verified against: read over HTTP within limits, and kept while it cannot be read.
import { unescape } from 'node:querystring';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

export interface KeySetSettings {
  /** Address of the JWK set (RFC 7517 5); a user and a password in it go out as Basic authorization. */
  readonly url: string;
  /** A steady clock, in milliseconds. */
  readonly now: () => number;
  /** Told each time that the set cannot be read; the error quotes neither the address nor what was read. */
  readonly onFailure: (error: unknown) => void;
}

/** The longest that one read may take, its body included. */
const timeoutMs = 5000;

/**
 * From the start of one read to that of the next, whatever came of it. Short, so that a new key is known soon: jose's
 * own 30 s would keep out who has just been given a token by it. Not none, since a stranger can name a key that there is
 * not.
 */
const pauseMs = 3000;

/** A set as old as this is read again, so that a withdrawn key is noticed; it goes on being used meanwhile. */
const maxAgeMs = 300_000;

/** A set that could not be read again for so long says nothing any more. */
const maxOutageMs = 86_400_000;

/** A hundred keys, and more. */
const maxBytes = 262_144;

/**
 * A remote key set, first read when a key is asked for. Rejects with jose's errors where the fault is the token's, and
 * with any other where the key is not known and the set cannot be read. It takes jose's place at `createRemoteJWKSet`,
 * which asks at every request for a set that is away, and believes none for longer than its age.
 */
export function createKeySet(settings: KeySetSettings): JWTVerifyGetKey {
  return new KeySet(settings).key;
}

class KeySet {
  readonly #settings: KeySetSettings;
  readonly #source: Source;
  #keys: JWTVerifyGetKey | null = null;
  #keysAtMs = 0;
  /** The latest read, which may be over, and when it began. */
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
    // Nobody waits for it, and its failure has been told.
    if (ageMs >= maxAgeMs) this.#latest().catch(() => undefined);
    return this.#keys;
  }

  /** What the latest read gave, where it began a moment ago or goes on, else a new one. */
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

/** fetch takes no credentials within an address, and says so in a message that quotes them. */
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
  // jose checks what it is given.
  return createLocalJWKSet(parseJson(await readText(body)) as JSONWebKeySet);
}

/** Leaving the loop ends the answer's connection, so that what is too large is not read to its end. */
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
