// The bank as a separate process: `npm run bank`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

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
