// Dispatches the server's requests to the service, the key set or the control routes.
import type { RequestListener, ServerResponse } from 'node:http';
import { isControl } from './control/control.ts';
import { serveRequest, type ExchangeParts } from './service/bank-exchange.ts';
import { sendAnswer, sendBody } from './service/send.ts';
import type { TokenMint } from './tokens.ts';

/** The path of the JWK set for the bank's tokens. */
export const keySetPath = '/.well-known/jwks.json';

/** The parts of the bank that requests need. */
interface ListenerParts extends ExchangeParts {
  readonly mint: TokenMint;
}

type Handler = (...exchange: Parameters<RequestListener>) => Promise<void>;

/** Passes each request to the key set, to `control` or to the service. */
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
    // Errors of the response are ignored, because they come from clients that disconnect, and the journal records
    // disconnects.
    response.on('error', () => undefined);
    serve(request, response).catch((cause: unknown) => sendDefect(response, cause));
  };
}

/**
 * Reports a defect of the bank or of a test's hook with status 599, which cannot be mistaken for an answer of the
 * service. If an answer has already begun, closes the connection.
 */
function sendDefect(response: ServerResponse, cause: unknown): void {
  const message = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  if (response.headersSent) response.destroy();
  else
    sendBody(response, 599, `The sandbox bank failed: ${message}`, {
      'content-type': 'text/plain',
    });
}
