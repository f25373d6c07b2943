// The life of a gateway: it listens, drains after a signal, and then stops its parts one by one.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Drain } from './http/connection/drain.ts';
import { listen, type Listener, stopListening } from './http/connection/listen.ts';
import type { Settings } from './settings.ts';
import type { Log } from './telemetry/log/log.ts';

/** A gateway that listens. Disposing of it closes it. */
export interface Gateway extends AsyncDisposable {
  /** `http://…`, without a path. */
  readonly url: string;
  /** The admin listener's address. */
  readonly adminUrl: string;
  /**
   * Stops: not ready from now on, still serving for SHUTDOWN_DELAY_MS; then it accepts no more connections, answers
   * requests on open ones, and resolves when they are closed, after SHUTDOWN_GRACE_MS at the latest.
   */
  close(): Promise<void>;
}

export interface LifeCycleParts {
  readonly settings: Pick<
    Settings,
    'port' | 'host' | 'adminPort' | 'adminHost' | 'shutdownDelayMs' | 'shutdownGraceMs'
  >;
  /** How long an idle connection stays open once no more are accepted; `defaultIdleMs` unless given. */
  readonly idleMs: number | undefined;
  readonly log: Pick<Log, 'info'>;
  readonly drain: Drain;
  readonly clients: Listener;
  readonly admin: Listener;
  /** Stops the other parts, in this order, once no request is in progress. */
  readonly stops: readonly (() => Promise<void> | void)[];
}

/**
 * Longer than a steady client pauses between two requests: its next answer tells it to close the connection. A request on
 * a connection that is being closed would be lost.
 */
const defaultIdleMs = 1000;

/** Starts listening; if a port is taken, stops everything and rejects. */
export async function openGateway(parts: LifeCycleParts): Promise<Gateway> {
  const { settings, clients, admin, log, drain } = parts;
  const { port, host, adminPort, adminHost } = settings;
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => stop(parts));
  const url = await listen(clients.server, port, host);
  const urls = { url, adminUrl: await listen(admin.server, adminPort, adminHost) };
  cleanup.move();
  drain.enter('serving');
  log.info(urls, 'listening');
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= drainAndStop(parts));
  return { ...urls, close, [Symbol.asyncDispose]: close };
}

/** Load balancers need a moment to notice that the gateway is not ready; their requests are served meanwhile. */
async function drainAndStop(parts: LifeCycleParts): Promise<void> {
  const { drain, log, settings } = parts;
  drain.enter('draining');
  log.info('draining');
  await sleep(settings.shutdownDelayMs);
  await stop(parts);
  log.info('stopped');
}

/** The admin listener stops last: until then it answers that the gateway is not ready. */
async function stop(parts: LifeCycleParts): Promise<void> {
  const { settings, clients, admin, stops, idleMs = defaultIdleMs } = parts;
  await stopListening(clients, { idleMs, graceMs: settings.shutdownGraceMs });
  for (const stopOne of stops) await stopOne();
  await stopListening(admin, { idleMs: 0, graceMs: 0 });
}
