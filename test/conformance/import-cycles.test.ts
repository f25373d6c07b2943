// src and doctor have no import cycles, not even of type imports, so each file can be read after the files that it imports.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const imports = new Map(
  globSync('{src,doctor}/**/*.ts', { cwd: root }).map((name) => {
    const code = readFileSync(join(root, name), 'utf8');
    const relative = [...code.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, to = '']) => to);
    return [name, relative.map((to) => join(name, '..', to))];
  }),
);

/**
 * Follows imports from the last file of the chain until a file occurs twice, and returns the chain up to this file;
 * undefined if there is no cycle.
 */
function cycleFrom(path: readonly string[], done: Set<string>): readonly string[] | undefined {
  const file = path.at(-1) ?? '';
  if (path.indexOf(file) < path.length - 1) return path;
  if (done.has(file)) return undefined;
  for (const next of imports.get(file) ?? []) {
    const cycle = cycleFrom([...path, next], done);
    if (cycle !== undefined) return cycle;
  }
  done.add(file);
  return undefined;
}

test('the imports of src and doctor have no cycles', () => {
  expect([...imports.values()].flat().every((file) => imports.has(file))).toBe(true);
  const done = new Set<string>();
  const cycles = [...imports.keys()].map((file) => cycleFrom([file], done));
  expect(cycles.find((cycle) => cycle !== undefined)).toBeUndefined();
});
