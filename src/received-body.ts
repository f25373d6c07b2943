// The body of a message while it is received in chunks, and the limit of memory for all such bodies.

export class BodyMemory {
  readonly #freeBytes: number;
  #leftBytes: number;

  /** `maxBytes` is for all bodies together. The first `freeBytes` of each do not count: ordinary bodies are smaller. */
  constructor(maxBytes: number, freeBytes: number) {
    this.#leftBytes = maxBytes;
    this.#freeBytes = freeBytes;
  }

  /** Reserves or releases memory for a body whose size changes; returns false if too little memory is left. */
  resize(fromBytes: number, toBytes: number): boolean {
    return this.take(Math.max(this.#freeBytes, toBytes) - Math.max(this.#freeBytes, fromBytes));
  }

  /** Reserves memory, or releases it if `bytes` is negative; returns false if too little memory is left. */
  take(bytes: number): boolean {
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }
}

/**
 * Returns a buffer with `chunk` after the first `bytes` bytes of `body`. A list of tiny chunks would need 500 times the
 * memory, and a small body in Node.js's pool would retain 64 KiB of the pool.
 */
export function append(body: Buffer, bytes: number, chunk: Buffer, maxBytes: number): Buffer {
  if (bytes === 0) return chunk;
  const length = bytes + chunk.length;
  const room =
    length <= body.length ? body : Buffer.allocUnsafeSlow(Math.min(2 * length, maxBytes));
  if (room !== body) body.copy(room, 0, 0, bytes);
  chunk.copy(room, bytes);
  return room;
}
