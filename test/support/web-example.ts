// The example web app as `npm run example` starts it, and its bank.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from './port.ts';

export interface WebExample extends AsyncDisposable {
  readonly url: string;
  /** Asks the bank's script (docs/sandbox.md): the path below `/__bank`. */
  script(method: string, path: string, body?: object): Promise<unknown>;
}

/** Starts it, where its packages are missing after installing them, and waits until it serves. */
export async function startWebExample(): Promise<WebExample> {
  const port = await freePort();
  const child = spawn(process.execPath, ['scripts/example.ts', '--port', String(port)], {
    env: { ...process.env, NODE_ENV: 'development', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines: string[] = [];
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line));
  while (!lines.some((line) => line.includes('ready in'))) {
    await Promise.race([once(output, 'line'), exit.then(() => Promise.reject(new Error('ended')))]);
  }
  const [, controlUrl = ''] = /(http\S+__bank)/.exec(lines.join('\n')) ?? [];
  return {
    url: `http://localhost:${port}/`,
    async script(method, path, body) {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      const response = await fetch(controlUrl + path, init);
      if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
      return response.status === 204 ? null : response.json();
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exit;
    },
  };
}
