// The life of a gateway: it listens, drains once it is to stop, and then stops its parts one by one.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Drain } from './http/connection/drain.ts';
import { listen, type Listener, stopListening } from './http/connection/listen.ts';
import type { Settings } from './settings.ts';
import type { Log } from './telemetry/log/log.ts';

/** A gateway that listens. Disposing of it closes it. */
export interface Gateway extends AsyncDisposable {
  /** `http://…`, without a path. */
  readonly url: string;
  /** The same of the admin listener. */
  readonly adminUrl: string;
  /**
   * Stops: not ready from now on, serving for SHUTDOWN_DELAY_MS more; then it takes no more connections, answers what
   * comes on the open ones, and is done when they are closed, after SHUTDOWN_GRACE_MS at the latest.
   */
  close(): Promise<void>;
}

export interface LifeCycleParts {
  readonly settings: Pick<
    Settings,
    'port' | 'host' | 'adminPort' | 'adminHost' | 'shutdownDelayMs' | 'shutdownGraceMs'
  >;
  /** How long an idle connection stays open once no more are taken; `defaultIdleMs` unless given. */
  readonly idleMs: number | undefined;
  readonly log: Pick<Log, 'info'>;
  readonly drain: Drain;
  readonly clients: Listener;
  readonly admin: Listener;
  /** What stops all that is behind the listeners, in this order, once no request is under way. */
  readonly stops: readonly (() => Promise<void> | void)[];
}

/**
 * Longer than a client that asks steadily pauses between two requests: it asks on the connection once more, and is told to
 * close it by the answer. A request on a connection that is just being closed would be lost.
 */
const defaultIdleMs = 1000;

/** Listens; rejects if a port is taken, with all of it stopped. */
export async function openGateway(parts: LifeCycleParts): Promise<Gateway> {
  const { log, drain } = parts;
  const urls = await listenBoth(parts).catch(async (error: unknown) => {
    await stop(parts);
    throw error;
  });
  drain.enter('serving');
  log.info(urls, 'listening');
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= drainAndStop(parts));
  return { ...urls, close, [Symbol.asyncDispose]: close };
}

async function listenBoth({ settings, clients, admin }: LifeCycleParts) {
  const { port, host, adminPort, adminHost } = settings;
  const url = await listen(clients.server, port, host);
  return { url, adminUrl: await listen(admin.server, adminPort, adminHost) };
}

/** Load balancers need a moment to see that the gateway is not ready, and are served meanwhile. */
async function drainAndStop(parts: LifeCycleParts): Promise<void> {
  const { drain, log, settings } = parts;
  drain.enter('draining');
  log.info('draining');
  await sleep(settings.shutdownDelayMs);
  await stop(parts);
  log.info('stopped');
}

/** The operator's listener last: until then it answers that no more requests should be sent. */
async function stop(parts: LifeCycleParts): Promise<void> {
  const { settings, clients, admin, stops, idleMs = defaultIdleMs } = parts;
  await stopListening(clients, { idleMs, graceMs: settings.shutdownGraceMs });
  for (const stopOne of stops) await stopOne();
  await stopListening(admin, { idleMs: 0, graceMs: 0 });
}
