// What a request to the server is for: the service, its token key, or the script that moves the bank about.
import type { RequestListener, ServerResponse } from 'node:http';
import { isControl } from './control/control.ts';
import { serveRequest, type ExchangeParts } from './service/bank-exchange.ts';
import { sendAnswer, sendBody } from './service/send.ts';
import type { TokenMint } from './tokens.ts';

/** Where the JWK set of the bank's tokens is. */
export const keySetPath = '/.well-known/jwks.json';

/** What the listener hands requests to. */
interface ListenerParts extends ExchangeParts {
  readonly mint: TokenMint;
}

type Handler = (...exchange: Parameters<RequestListener>) => Promise<void>;

/** Makes the server's listener. */
export function createListener(parts: ListenerParts, control: Handler): RequestListener {
  const serve: Handler = async (request, response) => {
    if (request.url === keySetPath) {
      sendAnswer(response, { status: 200, body: JSON.stringify(await parts.mint.keySet()) });
    } else if (isControl(request)) {
      parts.connections.scripts(request.socket);
      await control(request, response);
    } else {
      await serveRequest(parts, request, response);
    }
  };
  return (request, response) => {
    // A client that leaves early is an error of the response; the journal has it.
    response.on('error', () => undefined);
    serve(request, response).catch((cause: unknown) => sendDefect(response, cause));
  };
}

/** Says that the bank itself, or the hook of a test, is wrong: that must not look like an answer of the service. */
function sendDefect(response: ServerResponse, cause: unknown): void {
  const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  if (response.headersSent) response.destroy();
  else
    sendBody(response, 599, `The sandbox bank failed: ${message}`, {
      'content-type': 'text/plain',
    });
}
