// src/README.md is accurate: its table of imports is the one that ESLint enforces, and its tree lists the files in use
// outside the sandbox.
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

const sourceFolder = new URL('../../src/', import.meta.url);
const page = readFileSync(new URL('README.md', sourceFolder), 'utf8');

test('the table of imports in src/README.md equals mayImport of eslint.config.js, and lets gateway import everything', async () => {
  const configFile = new URL('../../eslint.config.js', import.meta.url);
  const { mayImport } = (await import(configFile.href)) as { mayImport: Record<string, string[]> };
  const { gateway, ...rows } = tableOfImports();
  expect(rows).toEqual(mayImport);
  // ESLint does not restrict the imports of src/gateway.ts.
  expect(gateway).toEqual(['everything']);
});

test('every folder and file directly below src, and the doctor, has a row in the table of imports', () => {
  const names = globSync('*', { cwd: sourceFolder, exclude: ['README.md'] });
  const rows = [...names.map((name) => basename(name, '.ts')), 'doctor'].sort();
  expect(Object.keys(tableOfImports()).sort()).toEqual(rows);
});

test('the tree in src/README.md lists every file, except those of the sandbox and those that are not imported yet', () => {
  const files = globSync('**/*.ts', { cwd: sourceFolder }).filter((name) => !/^sandbox/.test(name));
  const code = files.map((name) => readFileSync(new URL(name, sourceFolder), 'utf8')).join('\n');
  const isStart = (name: string) => ['cli.ts', 'main.ts'].includes(name);
  const inUse = files.filter((name) => isStart(name) || code.includes(`/${basename(name)}'`));
  expect(filesOfTree().sort()).toEqual(inUse.sort());
});

/** The rows of the table in the notation of `mayImport` in eslint.config.js, where `types of x` is `types:x`. */
function tableOfImports(): Record<string, string[]> {
  const rows = page.matchAll(/^\| `([\w-]+)` *\| (.+?) *\|$/gm);
  return Object.fromEntries([...rows].map(([, from = '', cell = '']) => [from, allowedIn(cell)]));
}

function allowedIn(cell: string): string[] {
  if (cell === 'everything') return [cell];
  const [values = '', types = ''] = cell.split('types of ');
  return [...codesIn(values), ...codesIn(types).map((name) => `types:${name}`)];
}

function codesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** The paths of the tree in the first fenced block, in which each level is indented by two spaces. */
function filesOfTree(): string[] {
  const tree = /```\n([^]+?)```/.exec(page)?.[1] ?? '';
  const folders: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', name = ''] = /^( *)([\w.-]+\/?)/.exec(line) ?? [];
    folders.length = indent.length / 2;
    if (name.endsWith('.ts')) return [[...folders, name].join('')];
    folders.push(name);
    return [];
  });
}
