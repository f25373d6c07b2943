// SECURITY.md names tests that there are.
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('SECURITY.md', 'utf8');

/** `test/a/{b,c}.test.ts` is two files. */
function filesOf(name: string): string[] {
  const [, before = '', choices, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(name) ?? [];
  return choices === undefined ? [name] : choices.split(',').map((one) => before + one + after);
}

const names = Array.from(page.matchAll(/`(test\/[^`]+\.ts)`/g), ([, name = '']) => name);

test('it names tests', () => {
  expect(names.length).toBeGreaterThan(20);
});

test.each(names.flatMap(filesOf))('%s is there', (file) => {
  expect(existsSync(file)).toBe(true);
});
