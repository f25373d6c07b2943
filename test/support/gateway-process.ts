// A gateway in a separate process: `node src/main.ts`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string;
  readonly pid: number;
  /** The lines of its standard output. */
  readonly lines: readonly string[];
  /** Everything that it printed on standard output and standard error. */
  readonly printed: string;
  /** Sends a signal to the gateway and resolves with its exit status. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** What a gateway takes from the environment of the tests: no settings. */
export const inherited = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
};

/** Starts a gateway on free ports with these settings, named as in the environment, and waits until it listens. */
export async function startGatewayProcess(
  env: Readonly<Record<string, string>>,
): Promise<GatewayProcess> {
  const child = spawn(process.execPath, ['src/main.ts'], {
    env: { ...inherited, PORT: '0', ADMIN_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The event `close` follows the exit once all output has arrived.
  const closed = once(child, 'close') as Promise<[number | null]>;
  const lines: string[] = [];
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  }
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line));
  const early = closed.then(() => Promise.reject(new Error(`it ended after printing ${printed}`)));
  let addresses: { url: string; adminUrl: string } | undefined;
  while (addresses === undefined) {
    await Promise.race([once(output, 'line'), early]);
    const line = lines.find((text) => text.includes('"adminUrl"'));
    if (line !== undefined) addresses = JSON.parse(line) as { url: string; adminUrl: string };
  }
  early.catch(() => undefined);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [status] = await closed;
    return status;
  };
  return {
    url: addresses.url,
    adminUrl: addresses.adminUrl,
    pid: child.pid ?? 0,
    lines,
    get printed() {
      return printed;
    },
    end,
    async [Symbol.asyncDispose]() {
      await end('SIGTERM');
    },
  };
}
