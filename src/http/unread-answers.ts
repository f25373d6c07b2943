// The memory for answers that clients have not read yet.
import type { ServerResponse } from 'node:http';
import { ConnectionMemory } from './connection-memory.ts';

/** Eight times the longest answer. */
const unread = new ConnectionMemory(64 * 1_048_576);

/** Call this after an answer was written: counts the bytes that the operating system has not accepted yet. */
export function holdUnread(response: ServerResponse): void {
  response.once('finish', unread.hold(response.req.socket, response.writableLength));
}
