// Connections that nothing is read from for a while, as their clients were just told to come back later.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** What waited on a connection for less than this can still be answered in good time. */
const shortHoldMs = 500;

/**
 * Who comes back at once on the same connection waits, and costs nothing meanwhile: each answer costs 40 µs, however short
 * it is, and the refusals alone could else take up what is left to serve with.
 */
export class HeldConnections {
  /** Those that were told in this turn of the event loop, and for how long they are held. */
  #told: Socket[] = [];
  #holdMs = 0;
  /** Those that are being read from again since this turn, after a long hold. */
  readonly #released = new Set<Socket>();

  /** Holds a request's connection once all of it is read; all that are told in one turn, for the time that the last one is. */
  hold(request: IncomingMessage, ms: number): void {
    const { socket } = request;
    // Not before: node:http begins to read again for the rest of the request. And not later, such as in the turn after
    // this one: while there is much to read, libuv polls up to 48 times a turn, and would hand over as many requests.
    request.once('close', () => {
      socket.pause();
      this.#holdMs = ms;
      if (this.#told.length === 0) setImmediate(() => this.#releaseLater());
      this.#told.push(socket);
    });
  }

  /** Whether a request that has just been read came while its connection was held, and long ago perhaps. */
  hasWaited(socket: Socket): boolean {
    return this.#released.has(socket);
  }

  #releaseLater(): void {
    const [sockets, ms] = [this.#told, this.#holdMs];
    this.#told = [];
    setTimeout(() => this.#release(sockets, ms), ms).unref();
  }

  #release(sockets: readonly Socket[], heldMs: number): void {
    for (const socket of sockets) socket.resume();
    if (heldMs < shortHoldMs) return;
    for (const socket of sockets) this.#released.add(socket);
    // What has waited is read in the turn after this one at the latest.
    setImmediate(() => setImmediate(() => this.#forget(sockets)));
  }

  #forget(sockets: readonly Socket[]): void {
    for (const socket of sockets) this.#released.delete(socket);
  }
}
