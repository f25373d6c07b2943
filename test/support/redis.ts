// A real Redis, on a free port, that can hang, be killed and be restarted.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Redis } from 'ioredis';
import { freePort } from './port.ts';

/** The path of the program in Debian's package `redis-server`, which .ci/run installs. */
const program = '/usr/bin/redis-server';

/** Whether tests that need Redis run: always in CI, and otherwise if Redis is installed. */
export const hasRedis = existsSync(program) || process.env['CI'] !== undefined;

export interface TestRedis extends AsyncDisposable {
  /** `redis://127.0.0.1:…` */
  readonly url: string;
  /** A client for the test itself, without the gateway's options. */
  readonly client: Redis;
  /** Pauses the process: its connections stay open, and nothing is answered. */
  hang(): void;
  /** Resumes the process. */
  goOn(): void;
  /** Kills the process; its data is lost. */
  kill(): Promise<void>;
  /** Starts the process again on the same port, without data. */
  start(): Promise<void>;
}

/** Starts a Redis without persistence; `args` are options of redis-server. */
export async function startRedis(args: readonly string[] = []): Promise<TestRedis> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  // The client retries without a limit, because the server may start slowly on a busy machine.
  const waiting = { retryStrategy: () => 20, maxRetriesPerRequest: null };
  const client = new Redis(url, { lazyConnect: true, ...waiting });
  // Errors are ignored, because tests stop the server.
  client.on('error', () => undefined);
  let child = spawnRedis(port, args);
  await client.ping();
  const kill = () => end(child);
  return {
    url,
    client,
    hang: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    kill,
    async start() {
      child = spawnRedis(port, args);
      await client.ping();
    },
    async [Symbol.asyncDispose]() {
      client.disconnect();
      await kill();
    },
  };
}

function spawnRedis(port: number, args: readonly string[]): ChildProcess {
  const own = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '-::1',
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const child = spawn(program, [...own, ...args], { stdio: 'ignore', cwd: '/tmp' });
  child.on('error', (cause) => {
    throw new Error(`${program} does not start: apt-get install redis-server`, { cause });
  });
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
