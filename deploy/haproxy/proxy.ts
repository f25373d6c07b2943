// Starts HAProxy with this folder's configuration, over two replicas.
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** The ports of a replica: for GraphQL and for the admin listener. */
export type ReplicaPorts = readonly [port: number, adminPort: number];

/**
 * Starts HAProxy on a port of 127.0.0.1. Kill the returned process to stop it; if it exits by itself, this process
 * fails.
 */
export function startHAProxy(listen: number, a: ReplicaPorts, b: ReplicaPorts): ChildProcess {
  const env = {
    ...{ LISTEN: `127.0.0.1:${listen}`, A_PORT: `${a[0]}`, A_ADMIN_PORT: `${a[1]}` },
    ...{ B_PORT: `${b[0]}`, B_ADMIN_PORT: `${b[1]}` },
  };
  const child = spawn('haproxy', ['-db', '-f', 'deploy/haproxy/haproxy.cfg'], {
    env: { ...process.env, ...env },
    // HAProxy prints every change of a health check; here only the answers matter.
    stdio: 'ignore',
  });
  child.once('exit', (code) => {
    if (!child.killed) throw new Error(`haproxy ended with ${code}`);
  });
  return child;
}

/** Waits until a health check has succeeded, and HAProxy passes requests on to a replica. */
export async function untilServed(listen: number): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${listen}/graphql`).catch(() => null);
    if (response?.status === 400) return;
    await sleep(100);
  }
}
