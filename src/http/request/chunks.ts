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
    // Without this pause, the data would be buffered, and a later listener would not restart the flow.
    request.off('data', take).pause();
  };
}

/** The `push` of Readable, as one function for all requests. */
function push(this: Readable, chunk: Buffer | null): boolean {
  return Readable.prototype.push.call(this, chunk);
}
