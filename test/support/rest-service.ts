// A plain REST service with one statement, whose pages a test provides.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer of the service; without a text, the body is empty. */
export interface RestAnswer {
  readonly status: number;
  readonly text?: string;
}

export interface RestService extends AsyncDisposable {
  readonly url: string;
}

/** Starts a service that answers each request for a page of a statement; `page` is the number as requested. */
export async function startRestService(
  answer: (page: number) => RestAnswer | Promise<RestAnswer>,
): Promise<RestService> {
  const server = createServer((request, response) => {
    const page = Number(new URL(request.url ?? '', 'http://service').searchParams.get('page'));
    const send = async () => {
      const { status, text = '' } = await answer(page);
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    };
    send().catch((error: unknown) => response.destroy(error as Error));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
