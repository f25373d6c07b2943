// The body of a message while it is received in chunks.

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
