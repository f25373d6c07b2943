// A proxy that records the gateway's answers to a client.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A recording proxy. Disposing of the proxy closes its connections. */
export interface Recorder extends AsyncDisposable {
  /** The URL to use instead of the gateway's /graphql. */
  readonly url: string;
  /** The parsed bodies of the answers, in the order of their arrival. */
  readonly answers: readonly unknown[];
}

/** Starts a proxy that passes POST requests on to a gateway's /graphql. */
export async function startRecorder(gateway: { readonly url: string }): Promise<Recorder> {
  const answers: unknown[] = [];
  const pass = async (headers: Readonly<Record<string, string>>, body: string) => {
    const answer = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
    const received = await answer.text();
    answers.push(JSON.parse(received));
    return { status: answer.status, type: answer.headers.get('content-type') ?? '', received };
  };
  const server = createServer((request, response) => {
    const { accept = '*/*', authorization = '', 'x-tenant-id': tenant } = request.headers;
    const headers = { accept, authorization, 'x-tenant-id': String(tenant) };
    void text(request)
      .then((body) => pass({ ...headers, 'content-type': 'application/json' }, body))
      .then(({ status, type, received }) =>
        response.writeHead(status, { 'content-type': type }).end(received),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    answers,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
