// The arguments of the scripts in package.json that take options, and programs that one of them misses.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const run = (script: string, ...args: string[]) =>
  promisify(execFile)(process.execPath, [script, ...args], { cwd: root });

test.each([
  'scripts/schema-files.ts',
  'scripts/made-pages.ts',
  'scripts/check-clients.ts',
  'scripts/example.ts',
  'test/walk/table.ts',
  'test/walk/prove.ts',
  'bench/compare.ts',
])('%s prints its usage, or one line about a wrong option', async (script) => {
  const { stdout } = await run(script, '--help');
  expect(stdout).toMatch(/^Usage: npm run .+\n$/);
  await expect(run(script, '--nonsense')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Unknown option '--nonsense'.* Usage: npm run .+\n$/) as string,
  });
});

test('bench/compare.ts prints one line about programs that are missing', async () => {
  const env = { ...process.env, PATH: '' };
  const compared = promisify(execFile)(process.execPath, ['bench/compare.ts'], { cwd: root, env });
  const stderr =
    'To measure this, install nginx, wrk, taskset, go; bench/README.md names the Debian packages.\n';
  await expect(compared).rejects.toMatchObject({ code: 1, stdout: '', stderr });
});
