// Opens connections to the service, with the certificates of the settings, directly or through a proxy.
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector, Client, type Dispatcher, EnvHttpProxyAgent } from 'undici';

/** An undici dispatcher that has one connection at a time. */
export interface Connection {
  readonly client: Pick<Dispatcher, 'dispatch' | 'close' | 'destroy'>;
  readonly origin: string;
  /** The current socket, or the latest one; null before the first. */
  socket: Socket | null;
  /** Whether the current connection has carried an answer. The service may close such a connection at any time. */
  hasServed: boolean;
}

export interface ConnectorSettings {
  /** The service's base address. */
  readonly url: string;
  /** The longest time to open a connection. */
  readonly timeoutMs: number;
  /** Certificates to trust and to present; null for those of Node.js. */
  readonly context: SecureContext | null;
  /** Whether HTTP_PROXY, HTTPS_PROXY and NO_PROXY apply, as in Node.js with NODE_USE_ENV_PROXY=1. */
  readonly usesProxy: boolean;
}

/** The limit on the characters in the names and values of an answer's headers; other characters do not count. */
const maxHeadCharacters = 16_384;

/** Creates a function that creates connections; a connection is opened when it is used. */
export function createConnector(settings: ConnectorSettings): () => Connection {
  const { url, timeoutMs, context, usesProxy } = settings;
  const { origin } = new URL(url);
  // With HTTP/2, many exchanges would share a connection, so aborting one exchange could not close the connection.
  const http1 = { allowH2: false, timeout: timeoutMs };
  const tls = { ...http1, ...(context !== null && { secureContext: context }) };
  // One connector for all undici clients; undici would create one for each, with its own TLS session cache.
  const direct = buildConnector(tls);

  return () => {
    const openClient = (to: URL | string, connect: buildConnector.connector): Client => {
      const client = new Client(to, {
        pipelining: 1,
        allowH2: false,
        connect: (options, callback) => {
          connect(options, (...outcome) => {
            [, connection.socket] = outcome;
            callback(...outcome);
          });
        },
        maxHeaderSize: maxHeadCharacters,
        // Both timeouts are off, because the calls that wait for the exchange have deadlines.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      return client.on('disconnect', () => (connection.hasServed = false));
    };
    const client = usesProxy
      ? new EnvHttpProxyAgent({
          allowH2: false,
          connectTimeout: timeoutMs,
          requestTls: tls,
          proxyTls: http1,
          // For a connection that is not proxied, `connect` is no function.
          factory: (to, { connect }: Client.Options) =>
            openClient(to, typeof connect === 'function' ? connect : direct),
        })
      : openClient(origin, direct);
    const connection: Connection = { client, origin, socket: null, hasServed: false };
    return connection;
  };
}
