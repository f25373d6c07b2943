// The chunks of a body, taken from node:http's parser without the events of a stream: a client can send a chunk for each
// byte.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/**
 * Calls `take` with each chunk of the body; `end` and `error` are emitted as usual. node:http pushes chunks onto the
 * request, whose stream would schedule a callback for each, which takes longer than the rest of the work on a chunk. The
 * returned function makes the request an ordinary stream again, paused, with the chunks that were not taken.
 */
export function takeChunks(request: IncomingMessage, take: (chunk: Buffer) => void): () => void {
  const push = (chunk: Buffer | null) => Readable.prototype.push.call(request, chunk);
  request.push = (chunk: Buffer | null) => {
    // Chunks that arrived before this call are in the stream, and come first.
    if (chunk === null || request.readableLength > 0) return push(chunk);
    take(chunk);
    return true;
  };
  request.on('data', take);
  return () => {
    request.push = push;
    // Paused explicitly: otherwise the data would be buffered, and a later listener would not restart the flow.
    request.off('data', take).pause();
  };
}

interface Parser {
  [place: string]: unknown;
}

/**
 * Drops the chunks that have arrived, of a request whose connection will be closed. A read has room for 10,000 small ones,
 * and node:http's parser makes a Buffer for each, even if the connection is destroyed. The parser's callback has no public
 * name; if it cannot be found, dropping them takes longer. To be called while the parser reads, for example by a listener
 * of `data`.
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
  // Restored before the next read, and before the connection is closed: then another one reuses the parser.
  setImmediate(() => (parser[place] = onBody));
}
