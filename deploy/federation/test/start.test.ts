// `npm run supergraph` leaves no process behind, however it ends, and explains wrong options.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const accountLine = /Apollo Sandbox +(\S+)/;
const routerLine = /: ask it with the headers above/;

const cwd = fileURLToPath(new URL('../', import.meta.url));

/** Starts the command on free ports, and calls `onLine` with each line that it prints. */
function startCommand(
  args: readonly string[],
  onLine: (line: string, child: ChildProcess) => void,
) {
  const child = spawn(process.execPath, ['start.ts', '--free-ports', ...args], {
    cwd,
    // Without the test's NODE_ENV, with which Apollo Server would ignore signals.
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line);
    onLine(line, child);
  });
  // `close` is emitted when no process has the output open any longer, neither the command nor account-bff.
  return once(child, 'close').then(() => ({
    account: lines.join('\n').match(accountLine)?.[1] ?? '',
    isServing: lines.some((line) => routerLine.test(line)),
  }));
}

test.each(['hive', 'apollo'])('on SIGTERM, %s and account-bff end', async (router) => {
  const { account, isServing } = await startCommand(
    ['--port', '0', '--router', router],
    (line, child) => routerLine.test(line) && child.kill('SIGTERM'),
  );
  expect(isServing).toBe(true);
  await expect(fetch(account)).rejects.toThrow('fetch failed');
});

test('on SIGTERM during the start, account-bff ends', async () => {
  const { account } = await startCommand(
    ['--port', '0'],
    (line, child) => accountLine.test(line) && child.kill('SIGTERM'),
  );
  await expect(fetch(account)).rejects.toThrow('fetch failed');
});

test.each(['hive', 'apollo'])('if %s cannot listen, account-bff ends', async (router) => {
  await using other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { account, isServing } = await startCommand(
    ['--port', String(port), '--router', router],
    () => undefined,
  );
  expect(isServing).toBe(false);
  await expect(fetch(account)).rejects.toThrow('fetch failed');
});

test.each([
  ['--nonsense', /^Unknown option '--nonsense'.* Usage: npm run supergraph .+\n$/],
  ['--router=nginx', /^--router is one of hive, apollo\. Usage: npm run supergraph .+\n$/],
])('%s is answered with one line', (option, line) => {
  const { status, stderr } = spawnSync(process.execPath, ['start.ts', option], { cwd });
  expect(stderr.toString()).toMatch(line);
  expect(status).toBe(2);
});
