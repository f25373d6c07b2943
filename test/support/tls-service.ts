// The sandbox bank behind TLS: a server that ends TLS, perhaps with client certificates, and passes requests on.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import { type Authority, type Certificate, pemOf } from './certificates.ts';

export interface TlsService extends AsyncDisposable {
  readonly url: string;
  /** The common name of the client certificate of each request, in order; null for a client without one. */
  readonly clients: readonly (string | null)[];
  /** The number of connections opened so far. */
  readonly connections: () => number;
}

export interface TlsServiceOptions {
  /** The bank's address. */
  readonly target: string;
  readonly certificate: Certificate;
  /** If set, clients need a certificate of this authority. */
  readonly clientsOf?: Authority;
}

function clientOf(socket: Socket): string | null {
  if (!(socket instanceof TLSSocket)) return null;
  const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>;
  const name = subject?.CN;
  return typeof name === 'string' ? name : null;
}

export async function startTlsService(options: TlsServiceOptions): Promise<TlsService> {
  const { target, certificate, clientsOf } = options;
  const clients: (string | null)[] = [];
  let connections = 0;
  const agent = new Agent({ keepAlive: true });
  const server = createServer({
    ...pemOf(certificate),
    ...(clientsOf && { ca: readFileSync(clientsOf.ca), requestCert: true }),
    keepAliveTimeout: 65_000,
  });
  server.on('secureConnection', () => connections++);
  server.on('request', (request, response) => {
    clients.push(clientOf(request.socket));
    const { url, headers } = request;
    const forwarded = httpRequest(target + (url ?? ''), { headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    forwarded.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clients,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}
