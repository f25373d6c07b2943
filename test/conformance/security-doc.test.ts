// SECURITY.md names tests that exist.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('SECURITY.md', 'utf8');

/** `test/a/{b,c}.test.ts` stands for two files. */
function filesOf(name: string): string[] {
  const [, before = '', choices, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
  return choices === undefined ? [name] : choices.split(',').map((one) => before + one + after);
}

const names = Array.from(page.matchAll(/`(test\/[^`]+\.ts)`/g), ([, name = '']) => name);

test('SECURITY.md names tests', () => {
  expect(names.length).toBeGreaterThan(20);
});

test.each(names.flatMap(filesOf))('%s exists', (file) => {
  expect(existsSync(file)).toBe(true);
});

/** Stores, queues and loops: the bound, its source and its tests. */
const stores = page
  .slice(page.indexOf('### Stores'), page.indexOf('## Where a deployment'))
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.split(/ +\| +/) as [string, string, string, string]);

test.each(stores)('%s: the bound is in the named source, and the row names a test', (...row) => {
  const [, , where, heldBy] = row;
  expect(heldBy).toMatch(/`test\//);
  const [file] = /src\/[\w/.-]+/.exec(where) ?? [];
  if (file === undefined) return;
  const source = readFileSync(file, 'utf8');
  for (const [, name = ''] of where.matchAll(/`(\w+)`/g)) expect(source).toContain(name);
});
