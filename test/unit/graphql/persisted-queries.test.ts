// Persisted queries: how an id is looked up, and what happens if the manifest changes, is missing or is invalid.
import { join } from 'node:path';
import { parse } from 'graphql';
import { afterEach, expect, test, vi } from 'vitest';
import {
  createPersistedQueries,
  type Manifest,
  openManifest,
} from '../../../src/graphql/operation/persisted-queries.ts';
import { listed, manifestOf, newFolder, put, sha256 } from '../../support/manifest.ts';

const messages: string[] = [];
const tell = (_fields: object, message: string) => void messages.push(message);
const log = { info: tell, warn: tell, error: tell };

const opened: Manifest[] = [];
afterEach(() => {
  for (const operations of opened.splice(0)) operations.close();
  messages.length = 0;
});

async function open(path: string | null, prepare: (text: string) => void = parse) {
  const operations = await openManifest({ path, prepare, log });
  opened.push(operations);
  return operations;
}

const noStore = {
  get: () => Promise.resolve<string | undefined>('from the store'),
  set: () => Promise.resolve(),
};

test('no operation is found without a manifest', async () => {
  const operations = await open(null);
  expect(operations.find('a')).toBeUndefined();
  expect(operations.hasText('{ a }')).toBe(false);
});

test('opening an invalid manifest fails with an error that names the setting', async () => {
  await expect(open(put(newFolder(), '{'))).rejects.toThrow('OPERATIONS_MANIFEST: it is not JSON');
  await expect(open(join(newFolder(), 'nothing'))).rejects.toThrow(/^OPERATIONS_MANIFEST: ENOENT/);
});

test('an unchanged document is not prepared again when the manifest changes', async () => {
  const folder = newFolder();
  const prepare = vi.fn();
  const operations = await open(put(folder, manifestOf(listed('A', '{ a }'))), prepare);
  put(folder, manifestOf(listed('A', '{ a }'), listed('B', '{ b }')));
  await vi.waitFor(() => expect(operations.hasText('{ b }')).toBe(true), { timeout: 5000 });
  expect(prepare).toHaveBeenCalledTimes(2);
});

test('an id is looked up in the manifest, and in the store only if it is a lower-case SHA-256', async () => {
  const operations = await open(put(newFolder(), manifestOf(listed('A', '{ a }', 'a/1'))));
  const queries = createPersistedQueries(operations, noStore);
  expect(await queries.find('a/1')).toBe('{ a }');
  expect(await queries.find('a/2')).toBeUndefined();
  expect(await queries.find('A'.repeat(64))).toBeUndefined();
  expect(await queries.find('a'.repeat(1_000_000))).toBeUndefined();
  expect(await queries.find(sha256('{ b }'))).toBe('from the store');
});
