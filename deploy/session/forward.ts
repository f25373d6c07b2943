// POST /graphql: adds the token and the tenant of the session, and streams the gateway's answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'hono/utils/cookie';
import { Pool } from 'undici';
import { sessionCookie } from './app.ts';
import { isFromApp } from './same-origin.ts';
import type { Sessions } from './sessions.ts';

export interface ForwardParts {
  readonly origin: string;
  readonly gatewayUrl: URL;
  readonly sessions: Sessions;
  readonly log: (message: string, error: unknown) => void;
}

export interface Forward {
  (request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

/** What of the browser's request goes on: neither its cookies nor a token of its own. */
const requestHeaders = [
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-length',
  'content-type',
  'traceparent',
  'tracestate',
  'x-request-id',
  'graphql-client-name',
  'graphql-client-version',
  'apollographql-client-name',
  'apollographql-client-version',
];
const answerHeaders = [
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'retry-after',
  'vary',
  'x-request-id',
];

const maxConnections = 256;

export function createForward({ origin, gatewayUrl, sessions, log }: ForwardParts): Forward {
  const pool = new Pool(gatewayUrl.origin, { connections: maxConnections });
  const path = `${gatewayUrl.pathname.replace(/\/$/, '')}/graphql`;

  const send = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') {
      refuse(response, 405, 'BAD_REQUEST', 'Send a POST.');
      return;
    }
    if (!isFromApp((name) => request.headers[name], origin)) {
      refuse(response, 403, 'FORBIDDEN', 'The request does not come from the app.');
      return;
    }
    const id = parse(request.headers.cookie ?? '', `__Host-${sessionCookie}`)[
      `__Host-${sessionCookie}`
    ];
    const session = id === undefined ? null : await sessions.find(id);
    if (session === null) {
      refuse(response, 401, 'UNAUTHENTICATED', 'There is no session, or it has ended.');
      return;
    }
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    const headers = {
      ...picked(request.headers, requestHeaders),
      authorization: `Bearer ${session.accessToken}`,
      'x-tenant-id': session.tenant,
    };
    const asked = { path, method: 'POST', headers, body: request, signal: gone.signal } as const;
    await pool.stream(asked, ({ statusCode, headers: answered }) => {
      response.writeHead(statusCode, picked(answered, answerHeaders));
      return response;
    });
  };

  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await send(request, response);
    } catch (error) {
      if (response.destroyed) return;
      log('an operation could not be forwarded', error);
      if (response.headersSent) response.destroy();
      else refuse(response, 503, 'UPSTREAM_UNAVAILABLE', 'Try again in a moment.');
    }
  };
  return Object.assign(forward, { close: () => pool.close() });
}

type HeaderValues = Readonly<Record<string, string | string[] | undefined>>;

function picked(
  headers: HeaderValues,
  names: readonly string[],
): Record<string, string | string[]> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Answers as the gateway does, so that clients need no second way of reading errors. */
function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, {
    'content-type': 'application/graphql-response+json',
    'cache-control': 'no-store',
    ...(status === 405 && { allow: 'POST' }),
    ...(status === 503 && { 'retry-after': '1' }),
    // What is left of the body is not read.
    connection: 'close',
  });
  response.end(JSON.stringify({ errors: [{ message, extensions: { code } }] }));
}
