// In docs/bounds.md, the table of stores, queues and loops names a test for each bound. If a row names a source file, the
// file contains the identifiers that the row names.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('docs/bounds.md', 'utf8');

/** The table. Each row has a bound, its source and its tests. */
const stores = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.split(/ +\| +/) as [string, string, string, string]);

test.each(stores)(
  'the row "%s" of docs/bounds.md names a test, and a source file that contains the bound',
  (...row) => {
    const [, , where, heldBy] = row;
    expect(heldBy).toMatch(/`test\//);
    const [file] = /src\/[\w/.-]+/.exec(where) ?? [];
    if (file === undefined) return;
    const source = readFileSync(file, 'utf8');
    for (const [, name = ''] of where.matchAll(/`(\w+)`/g)) expect(source).toContain(name);
  },
);

test('SECURITY.md has at most 8 KB', () => {
  expect(readFileSync('SECURITY.md').length).toBeLessThanOrEqual(8192);
});
