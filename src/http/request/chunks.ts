// Takes the chunks of a body from node:http's parser, without a stream's events, which are too slow for tiny chunks.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Calls `take` with each chunk. The returned function makes the request an ordinary stream again, but paused. */
export function takeChunks(request: IncomingMessage, take: (chunk: Buffer) => void): () => void {
  request.push = (chunk: Buffer | null) => {
    // Chunks that arrived before takeChunks was called are still in the stream, and are taken first.
    if (chunk === null || request.readableLength > 0) return push.call(request, chunk);
    take(chunk);
    return true;
  };
  request.on('data', take);
  return () => {
    request.push = push;
    // Without this pause the data would be buffered, and a later listener would not restart the flow.
    request.off('data', take).pause();
  };
}

/** The `push` of Readable, as one function for all requests. */
function push(this: Readable, chunk: Buffer | null): boolean {
  return Readable.prototype.push.call(this, chunk);
}

interface Parser {
  [place: string]: unknown;
}

/**
 * Drops the chunks that have arrived for a request whose connection will be closed: one read can contain 10,000, and
 * node:http's parser makes a Buffer for each. The parser must be running; its callback has no public name.
 */
export function dropArrivedChunks({ headers, socket }: IncomingMessage): void {
  // Without chunked coding a read has at most one chunk of this body, and perhaps one of the next request.
  if (headers['transfer-encoding'] === undefined) return;
  const { parser } = socket as typeof socket & { readonly parser?: Parser | null };
  const [place, onBody] =
    Object.entries(parser ?? {}).find(
      ([, callback]) => typeof callback === 'function' && callback.name === 'parserOnBody',
    ) ?? [];
  if (!parser || place === undefined) return;
  parser[place] = null;
  // Restored before the next read, and before the connection closes: its parser is then reused for another connection.
  setImmediate(() => (parser[place] = onBody));
}
