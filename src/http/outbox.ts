// Sends the answers of a listener: together at the end of a turn, and within limits for clients that read slowly.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ByteBudget } from '../byte-budget.ts';
import { ConnectionMemory } from './connection-memory.ts';

/** If this many answers or bytes are ready, they are sent immediately instead of at the end of the turn. */
const enough = 32;
const enoughBytes = 1_048_576;

/** The longest time for which a client may pause while it reads an answer. Detection takes up to twice as long. */
const maxReadPauseMs = 10_000;

export class Outbox {
  readonly #unread: ConnectionMemory;
  readonly #ready: (() => void)[] = [];
  #readyBytes = 0;

  /** `unread` is for the answers that clients have not read yet. */
  constructor(unread: ByteBudget) {
    this.#unread = new ConnectionMemory(unread);
  }

  /** Calls `end` by the end of this turn, so that a proxy that gets many answers at once is woken only once. */
  endSoon(bytes: number, end: () => void): void {
    this.#ready.push(end);
    this.#readyBytes += bytes;
    if (this.#ready.length >= enough || this.#readyBytes >= enoughBytes) this.#endReady();
    else if (this.#ready.length === 1) setImmediate(this.#endReady);
  }

  readonly #endReady = (): void => {
    this.#readyBytes = 0;
    for (const end of this.#ready.splice(0)) end();
  };

  /** Call this after an answer was written: counts the bytes that the operating system has not accepted yet. */
  written(response: ServerResponse): void {
    // Usually zero: the operating system has accepted the whole answer.
    if (response.writableLength === 0) return;
    onTurn(response, (socket) => limitReadPauses(response, socket));
    response.once('finish', this.#unread.hold(response.req.socket, response.writableLength));
  }
}

function limitReadPauses(response: ServerResponse, socket: Socket): void {
  socket.setTimeout(maxReadPauseMs);
  // Before the listener of node:http, which sets another timeout, or begins with the next answer of the connection.
  response.prependOnceListener('finish', () => socket.setTimeout(0));
}

/** Calls `action` once the answers to earlier requests of the connection have been sent. */
export function onTurn(response: ServerResponse, action: (socket: Socket) => void): void {
  if (response.socket === null) response.once('socket', action);
  else action(response.socket);
}
