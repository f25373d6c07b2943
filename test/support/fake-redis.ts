// A TCP server in place of Redis, which sends any bytes in answer to commands.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface FakeRedis extends AsyncDisposable {
  /** `redis://127.0.0.1:…` */
  readonly url: string;
  /** All connections so far, in order. */
  readonly sockets: readonly Socket[];
  /** Called for each command that arrives. */
  onCommand: (name: string, socket: Socket) => void;
}

/** The reply of a Redis without keys. */
export function properReply(name: string): string {
  if (name === 'GET') return '$-1\r\n';
  return name === 'EVAL' ? '*2\r\n:1\r\n:60000\r\n' : '+OK\r\n';
}

/** Starts a server that replies like a Redis without keys until `onCommand` is replaced. */
export async function startFakeRedis(): Promise<FakeRedis> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.setEncoding('latin1').on('error', () => undefined);
    socket.on('data', (text: string) => {
      for (const [, name = ''] of text.matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        fake.onCommand(name, socket);
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const fake: FakeRedis = {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    onCommand: (name, socket) => void socket.write(properReply(name)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}

/** Sends the start of a reply and then filling until the connection is closed, as fast as the peer reads. */
export function pour(socket: Socket, start: string, filling: string): void {
  const block = Buffer.from(filling.repeat(Math.ceil(65_536 / filling.length)));
  const fill = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on('drain', fill);
  socket.write(start);
  fill();
}
