// Runs as a process whose standard output is a connection. Sends up to 200 MiB of a body in chunks of one size, until
// the connection is closed. The parent process reads the answer, because after a failed write, this process would
// discard an answer that it has not read yet.
import { writeSync } from 'node:fs';

/**
 * The file descriptor of standard output. `process.stdout` is not used, because opening it would make writes fail if
 * the connection's buffer is full.
 */
const connection = 1;
const chunkBytes = Number(process.argv[2]);
const maxBytes = 200 * 1_048_576;

const chunk = `${chunkBytes.toString(16)}\r\n${'x'.repeat(chunkBytes)}\r\n`;
const block = Buffer.from(chunk.repeat(Math.ceil(65_536 / chunkBytes)));

const head = ['POST /graphql HTTP/1.1', 'Host: a', 'Content-Type: application/json'];
writeSync(connection, [...head, 'Transfer-Encoding: chunked', '', ''].join('\r\n'));
process.send?.(sendUntilDisconnected());
process.disconnect();

/** Sends the body; returns the number of bytes sent. */
function sendUntilDisconnected(): number {
  let sentBytes = 0;
  try {
    while (sentBytes < maxBytes) sentBytes += writeSync(connection, block);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPIPE' && code !== 'ECONNRESET') throw error;
  }
  return sentBytes;
}
