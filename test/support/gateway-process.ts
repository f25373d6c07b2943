// A gateway as a process of its own, as it ships: `node src/main.ts`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string;
  /** What it logged, line by line. */
  readonly lines: readonly string[];
}

/** Starts one on free ports with these settings, by their names in the environment, and waits until it listens. */
export async function startGatewayProcess(
  env: Readonly<Record<string, string>>,
): Promise<GatewayProcess> {
  const child = spawn(process.execPath, ['src/main.ts'], {
    env: { PATH: process.env['PATH'], PORT: '0', ADMIN_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines: string[] = [];
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line));
  let addresses: { url: string; adminUrl: string } | undefined;
  while (addresses === undefined) {
    await Promise.race([once(output, 'line'), exit.then(() => Promise.reject(new Error('ended')))]);
    const line = lines.find((text) => text.includes('"adminUrl"'));
    if (line !== undefined) addresses = JSON.parse(line) as { url: string; adminUrl: string };
  }
  return {
    url: addresses.url,
    adminUrl: addresses.adminUrl,
    lines,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exit;
    },
  };
}
