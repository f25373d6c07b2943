// A forward proxy: tunnels CONNECT, and forwards requests with an absolute target.
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface Proxy extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** Method and target of each request, in order. */
  readonly asked: readonly string[];
  /** The Proxy-Authorization of each request. */
  readonly credentials: readonly (string | undefined)[];
}

/** `refuses`: the proxy answers every request with this status. */
export async function startProxy(refuses?: number): Promise<Proxy> {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    credentials.push(request.headers['proxy-authorization']);
    if (refuses !== undefined) {
      response.writeHead(refuses).end();
      return;
    }
    const headers = { ...request.headers };
    delete headers['proxy-authorization'];
    const forwarded = httpRequest(request.url ?? '', { headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    forwarded.end();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', ({ url = '', headers }, socket: Socket, head: Buffer) => {
    asked.push(`CONNECT ${url}`);
    credentials.push(headers['proxy-authorization']);
    if (refuses !== undefined) {
      socket.end(`HTTP/1.1 ${refuses} Refused\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const [host, port] = url.split(':');
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    sockets.add(target);
    for (const end of [socket, target]) {
      end.on('error', () => undefined);
      end.on('close', () => (target.destroy(), socket.destroy()));
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    credentials,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
