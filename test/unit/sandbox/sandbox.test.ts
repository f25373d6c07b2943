// The bank as a separate process: `npm run bank`.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { describeBank, holderLines, introductionTo } from '../../../src/sandbox/describe.ts';
import { startBank } from '../../../src/sandbox/bank.ts';

const main = fileURLToPath(new URL('../../../src/sandbox/sandbox.ts', import.meta.url));

it('the sandbox process prints an example request, serves it, and exits on SIGTERM', async () => {
  const child = spawn(process.execPath, [main, '--port', '0', '--seed', 'mine'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (line.includes("-H 'Authorization")) break;
  }
  const printed = lines.join('\n');
  const [, url = ''] = /Sandbox bank at (\S+),/.exec(printed) ?? [];
  const [, token = ''] = /Authorization: Bearer (\S+)'/.exec(printed) ?? [];
  const [, tenant = ''] = /x-tenant-id: ([^'\s]+)'/.exec(printed) ?? [];
  const headers = {
    authorization: `Bearer ${token}`,
    'x-tenant-id': tenant,
    'content-type': 'application/json',
  };
  expect((await fetch(`${url}/persons`, { headers })).status).toBe(200);
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

const run = (script: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [script, ...args]);
const example = fileURLToPath(new URL('../../../scripts/example.ts', import.meta.url));

it.each([
  ['the bank', main],
  ['the example', example],
])('%s prints its usage, or one line about a wrong argument', async (_, script) => {
  const { stdout } = await run(script, '--help');
  expect(stdout).toMatch(/^Usage: npm run .+\n$/);
  for (const args of [['--port', 'abc'], ['extra'], ['--nonsense']]) {
    await expect(run(script, ...args)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^.+Usage: npm run .+\n$/) as string,
    });
  }
});

it('the sandbox process ends with one line if its port is in use', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await expect(run(main, '--port', `${port}`)).rejects.toMatchObject({
    code: 1,
    stderr: `Port ${port} is in use: stop the program that uses it, or choose another with --port.\n`,
  });
  server.close();
});

it('the introduction has no query and no explorer if the gateway accepts only its own operations', async () => {
  await using bank = await startBank();
  const description = await describeBank(bank);
  const introduction = (operationsOnly: boolean) =>
    introductionTo(description, 'http://gateway', { explorer: true, operationsOnly });
  expect(introduction(false)).toMatch(/curl http:\/\/gateway\/graphql[^]+\/explorer/);
  expect(introduction(true)).not.toMatch(/curl|explorer/);
  expect(holderLines(description.holders).join('\n')).toMatch(/: 1 transaction\n/);
});
