// The memory that connections hold: bounded, because clients that do not read or that pipeline could use it all up.
import type { Socket } from 'node:net';

export class ConnectionMemory {
  readonly #maxBytes: number;
  readonly #held = new Map<Socket, number>();
  #bytes = 0;

  /** `maxBytes` is for all connections together. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Counts bytes that a connection holds until it is closed or the returned function is called, once. Beyond the limit,
   * the connection that holds most is closed.
   */
  hold(socket: Socket, bytes: number): () => void {
    if (!socket.destroyed && !this.#held.has(socket)) {
      this.#held.set(socket, 0);
      socket.once('close', () => this.#release(socket));
    }
    this.#resize(socket, bytes);
    while (this.#bytes > this.#maxBytes) {
      const [largest] = [...this.#held].reduce((one, other) => (other[1] > one[1] ? other : one));
      this.#release(largest);
      largest.destroy();
    }
    return () => this.#resize(socket, -bytes);
  }

  #resize(socket: Socket, bytes: number): void {
    const before = this.#held.get(socket);
    if (before === undefined) return;
    this.#held.set(socket, before + bytes);
    this.#bytes += bytes;
  }

  #release(socket: Socket): void {
    this.#bytes -= this.#held.get(socket) ?? 0;
    this.#held.delete(socket);
  }
}
