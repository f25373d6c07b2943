// A gateway as a process of its own, on a core of its own where there is `taskset`, for loads that measure it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string;
  /** Seconds of CPU that it took so far: on a machine that others use too, what a load costs is told by this alone. */
  cpuSeconds(): number;
  /** Ends it; its exit code, null where the signal ended it. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts it as in production, with what it logs thrown away. */
export async function startProcess(
  upstreamUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<GatewayProcess> {
  const node = [process.execPath, 'src/main.ts'];
  const command = process.env['PIN'] === '1' ? ['taskset', '-c', '0', ...node] : node;
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    env: {
      ...process.env,
      ...{ NODE_ENV: 'production', UPSTREAM_URL: upstreamUrl, SHUTDOWN_DELAY_MS: '0' },
      ...{ PORT: '0', ADMIN_PORT: '0', ...env },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const { promise: listening, resolve } = Promise.withResolvers<{
    url: string;
    adminUrl: string;
  }>();
  // Read to the end, as a pipe that nobody empties would hold the process up.
  createInterface(child.stdout).on('line', (line) => {
    const { url, adminUrl } = JSON.parse(line) as { url?: string; adminUrl?: string };
    if (url !== undefined && adminUrl !== undefined) resolve({ url, adminUrl });
  });
  const failed = ended.then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
  const urls = await Promise.race([listening, failed]);
  failed.catch(() => undefined);
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [code] = await ended;
    return code;
  };
  return {
    ...urls,
    cpuSeconds: () => readCpuSeconds(child.pid ?? 0),
    stop,
    async [Symbol.asyncDispose]() {
      await stop('SIGTERM');
    },
  };
}

/** proc_pid_stat(5): utime and stime, which are the 14th and 15th field, in hundredths. */
function readCpuSeconds(pid: number): number {
  const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = after.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
