// Takes the chunks of a body from node:http's parser, without the events of a stream, which would take too long if a
// client sent each byte as a chunk.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/**
 * Calls `take` with each chunk of the body; `end` and `error` are emitted as usual. By default node:http pushes each
 * chunk onto the request, whose stream schedules a callback; that takes longer than the rest of the work on a chunk.
 * The returned function makes the request an ordinary stream again, paused, with the chunks that were not taken.
 */
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
 * Drops the chunks that have arrived for a request whose connection will be closed. One read of the socket can contain
 * 10,000 small chunks, and node:http's parser makes a Buffer for each, even if the connection is destroyed. The
 * parser's callback has no public name; if it is not found, dropping takes longer. Call this while the parser is
 * running, for example from a `data` listener.
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
