// A key server on loopback, as an issuer of tokens runs. A test can change the keys and the answers.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Signer } from './tokens.ts';

/** Answers a read of the key set; by default with the set and status 200. */
export type KeyAnswer = (response: ServerResponse, keySet: string) => void;

/** A key server, which is closed when it is disposed of. */
export interface KeyServer extends AsyncDisposable {
  /** The value for JWT_JWKS_URL. */
  readonly url: string;
  /** The published keys, in order. */
  keys: readonly Pick<Signer, 'jwk'>[];
  /** The handler of reads from now on. */
  answer: KeyAnswer;
  /** All requests, whatever their outcome. */
  readonly reads: readonly IncomingMessage[];
  /** Refuses connections until `goOnline`, which uses the same port. */
  goOffline(): Promise<void>;
  goOnline(): Promise<void>;
}

export async function startKeyServer(...keys: readonly Signer[]): Promise<KeyServer> {
  const reads: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    reads.push(request);
    const keySet = JSON.stringify({ keys: keyServer.keys.map(({ jwk }) => jwk) });
    keyServer.answer(response, keySet);
  });
  const port = await listen(server, 0);
  const keyServer: KeyServer = {
    url: `http://127.0.0.1:${port}/jwks`,
    keys,
    answer: answerKeySet,
    reads,
    goOffline: () => stop(server),
    goOnline: async () => {
      await listen(server, port);
    },
    [Symbol.asyncDispose]: () => stop(server),
  };
  return keyServer;
}

/** The normal answer of an issuer. */
export function answerKeySet(response: ServerResponse, keySet: string): void {
  response.writeHead(200, { 'content-type': 'application/jwk-set+json' }).end(keySet);
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
