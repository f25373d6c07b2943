// Runs as a process: sends a body of 200 MiB in chunks of one size, until it is disconnected.
import { connect } from 'node:net';

const [port, chunkBytes] = process.argv.slice(2).map(Number) as [number, number];
const maxBytes = 200 * 1_048_576;

const socket = connect(port, '127.0.0.1');
const received: Buffer[] = [];
socket.on('data', (chunk) => received.push(chunk));
// Being disconnected is the expected result.
socket.on('error', () => undefined);
const closed = new Promise((resolve) => socket.once('close', resolve));

const head = ['POST /graphql HTTP/1.1', 'Host: a', 'Content-Type: application/json'];
socket.write([...head, 'Transfer-Encoding: chunked', '', ''].join('\r\n'));
const chunk = `${chunkBytes.toString(16)}\r\n${'x'.repeat(chunkBytes)}\r\n`;
const block = chunk.repeat(Math.ceil(65_536 / chunkBytes));

let sentBytes = 0;
while (sentBytes < maxBytes && !socket.destroyed) {
  sentBytes += block.length;
  if (!socket.write(block)) await Promise.race([drained(), closed]);
}
socket.end();
await closed;
const status = Number(/^HTTP\/1\.1 (\d+)/.exec(Buffer.concat(received).toString())?.[1]);
process.send?.({ sentBytes, status });
process.disconnect();

function drained(): Promise<unknown> {
  return new Promise((resolve) => socket.once('drain', resolve));
}
