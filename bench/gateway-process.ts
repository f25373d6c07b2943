// Starts a gateway as a separate process for measurements, and reads the CPU time of processes. With PIN=1, `taskset`
// binds the gateway to core 0.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string;
  readonly pid: number;
  /**
   * The CPU time used so far, in seconds. On a shared machine, this is the most reliable measure of the cost of a load.
   */
  cpuSeconds(): number;
  /** Sends a message to the preloaded module, and returns its answer. */
  ask(message: string): Promise<unknown>;
  /** Stops the process; returns its exit code, or null if the signal ended it. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

export interface ProcessOptions {
  /** Environment variables for the gateway, in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** A module to load first, and flags for Node.js. */
  readonly preload?: { readonly path: string; readonly flags: readonly string[] };
}

/**
 * Starts a gateway in production mode, with the permissions of the image; resolves when the gateway listens. Its log is
 * not kept.
 */
export async function startProcess(
  upstreamUrl: string,
  { env = {}, preload }: ProcessOptions = {},
): Promise<GatewayProcess> {
  const flags = preload === undefined ? [] : [...preload.flags, `--import=${preload.path}`];
  const child = spawnGateway(flags, {
    ...process.env,
    ...{ NODE_ENV: 'production', UPSTREAM_URL: upstreamUrl, SHUTDOWN_DELAY_MS: '0' },
    ...{ PORT: '0', ADMIN_PORT: '0', ...env },
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const failed = ended.then(([code]) => Promise.reject(new Error(`it ended with ${code}`)));
  const urls = await Promise.race([listening(child.stdout as Readable), failed]);
  failed.catch(() => undefined);
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [code] = await ended;
    return code;
  };
  const pid = child.pid ?? 0;
  return {
    ...urls,
    pid,
    cpuSeconds: () => readCpuSeconds(pid),
    async ask(message) {
      const answer = once(child, 'message') as Promise<[unknown]>;
      // If sending fails, the process has ended, which `failed` reports.
      child.send(message, () => undefined);
      return (await Promise.race([answer, failed]))[0];
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop('SIGTERM');
    },
  };
}

/** The permissions of the image's process, for this folder in place of the image's. */
function permissions(): string[] {
  const dockerfile = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', '');
  const [, entrypoint = '[]'] = /^ENTRYPOINT (\[.+\])$/m.exec(dockerfile) ?? [];
  return (JSON.parse(entrypoint) as string[])
    .filter((flag) => /^--(?:permission|allow-)/.test(flag))
    .map((flag) => flag.replace('=/app/', `=${process.cwd()}/`));
}

function spawnGateway(flags: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const node = [process.execPath, ...permissions(), ...flags, 'src/main.ts'];
  const [file = '', ...args] = process.env['PIN'] === '1' ? ['taskset', '-c', '0', ...node] : node;
  return spawn(file, args, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
}

type Urls = Pick<GatewayProcess, 'url' | 'adminUrl'>;

/** Waits for the addresses in the log. The log is read to its end, because a full pipe would block the process. */
function listening(log: Readable): Promise<Urls> {
  const { promise, resolve } = Promise.withResolvers<Urls>();
  createInterface(log).on('line', (line) => {
    const { url, adminUrl } = JSON.parse(line) as Partial<Urls>;
    if (url !== undefined && adminUrl !== undefined) resolve({ url, adminUrl });
  });
  return promise;
}

/**
 * The CPU time that a process has used so far, in seconds. In proc_pid_stat(5), utime and stime are the 14th and 15th
 * fields, in ticks of 10 ms.
 */
export function readCpuSeconds(pid: number): number {
  const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = after.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
