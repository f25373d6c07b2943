// The example web app as `npm run example` starts it, with its bank.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from './port.ts';

/** The folder of the build that test/browser/setup.ts makes. */
export const builtWebApp = fileURLToPath(new URL('../../.cache/web-app/', import.meta.url));

/** A transaction in the bank. */
export interface BankRow {
  readonly id: string;
  /** A decimal number as text. */
  readonly amount: string;
  readonly credit: boolean;
  readonly status: string;
  readonly createdAt: string;
}

export interface WebExample extends AsyncDisposable {
  readonly url: string;
  /** A token of Ana, whom `npm run example` names first. */
  readonly token: string;
  /** Calls a control route of the bank (docs/sandbox.md), given as the path below `/__bank`. */
  script(method: string, path: string, body?: object): Promise<unknown>;
  /** The whole statement of an account, newest first. */
  statementOf(accountId: string): Promise<readonly BankRow[]>;
}

/** Starts the app, and waits until it serves requests. */
export async function startWebExample(
  env: Readonly<Record<string, string>> = {},
  ...options: readonly string[]
): Promise<WebExample> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    ['scripts/example.ts', '--port', String(port), ...options],
    {
      env: { ...process.env, NODE_ENV: 'development', NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exit = once(child, 'exit');
  const lines: string[] = [];
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line));
  while (!lines.some((line) => line.includes('Local:'))) {
    await Promise.race([once(output, 'line'), exit.then(() => Promise.reject(new Error('ended')))]);
  }
  const [, controlUrl = ''] = /(http\S+__bank)/.exec(lines.join('\n')) ?? [];
  const script = async (method: string, path: string, body?: object): Promise<unknown> => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(controlUrl + path, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response.status === 204 ? null : response.json();
  };
  return {
    url: `http://localhost:${port}/`,
    token: /Bearer (\S+)/.exec(lines.join('\n'))?.[1] ?? '',
    script,
    async statementOf(accountId) {
      const answer = await script('GET', `/accounts/${accountId}/statement`);
      return (answer as { transactions: readonly BankRow[] }).transactions;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exit;
    },
  };
}
