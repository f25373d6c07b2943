// The memory for answers that clients have not read yet: bounded, because clients that do not read could use it all up.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Eight times the longest answer. */
const maxUnreadBytes = 64 * 1_048_576;

/** The bytes of each connection that the operating system has not accepted yet. */
const unread = new Map<Socket, number>();
let unreadBytes = 0;

/** Call this after an answer was written. Beyond the limit, the connection that holds most of the memory is closed. */
export function holdUnread(response: ServerResponse): void {
  const { socket } = response.req;
  if (socket.destroyed) return;
  if (!unread.has(socket)) {
    unread.set(socket, 0);
    socket.once('close', () => release(socket));
  }
  const bytes = response.writableLength;
  resize(socket, bytes);
  response.once('finish', () => resize(socket, -bytes));
  while (unreadBytes > maxUnreadBytes) {
    const [largest] = [...unread].reduce((one, other) => (other[1] > one[1] ? other : one));
    release(largest);
    largest.destroy();
  }
}

function resize(socket: Socket, bytes: number): void {
  const before = unread.get(socket);
  if (before === undefined) return;
  unread.set(socket, before + bytes);
  unreadBytes += bytes;
}

function release(socket: Socket): void {
  unreadBytes -= unread.get(socket) ?? 0;
  unread.delete(socket);
}
