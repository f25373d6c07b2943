// The memory that connections hold: bounded, because clients that do not read or that pipeline could use it all up.
import type { Socket } from 'node:net';
import type { ByteBudget } from '../byte-budget.ts';

export class ConnectionMemory {
  readonly #budget: ByteBudget;
  readonly #held = new Map<Socket, number>();

  /** Nothing else may use `budget`. */
  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /**
   * Counts bytes that a connection holds until it is closed or the returned function is called, once. If the budget is
   * too small, the connections that hold most are closed.
   */
  hold(socket: Socket, bytes: number): () => void {
    if (!socket.destroyed && !this.#held.has(socket)) {
      this.#held.set(socket, 0);
      socket.once('close', () => this.#release(socket));
    }
    while (!this.#resize(socket, bytes)) this.#closeLargest(socket, bytes);
    return () => void this.#resize(socket, -bytes);
  }

  /** Returns false if the budget is too small. */
  #resize(socket: Socket, bytes: number): boolean {
    const before = this.#held.get(socket);
    if (before === undefined) return true;
    if (!this.#budget.take(bytes)) return false;
    this.#held.set(socket, before + bytes);
    return true;
  }

  /** Closes the connection that would hold most if `socket` held `bytes` more. */
  #closeLargest(socket: Socket, bytes: number): void {
    const sizeOf = ([one, held]: [Socket, number]) => (one === socket ? held + bytes : held);
    const [largest] = [...this.#held].reduce((one, other) =>
      sizeOf(other) > sizeOf(one) ? other : one,
    );
    this.#release(largest);
    largest.destroy();
  }

  #release(socket: Socket): void {
    this.#budget.take(-(this.#held.get(socket) ?? 0));
    this.#held.delete(socket);
  }
}
