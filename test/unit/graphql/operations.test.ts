// The manifest's operations by themselves: what is kept ready, under which key it is found, and when it is looked at.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type DocumentNode, parse } from 'graphql';
import { afterEach, expect, test, vi } from 'vitest';
import { ChangingFile } from '../../../src/graphql/changing-file.ts';
import { createDocumentStore } from '../../../src/graphql/document-store.ts';
import { type Operations, openOperations } from '../../../src/graphql/operations.ts';
import { createPersistedQueries } from '../../../src/graphql/persisted-queries.ts';
import { listed, manifestOf, newFolder, put, sha256 } from '../../support/manifest.ts';

const messages: string[] = [];
const tell = (_fields: object, message: string) => void messages.push(message);
const log = { info: tell, warn: tell, error: tell };

const opened: Operations[] = [];
afterEach(() => {
  for (const operations of opened.splice(0)) operations.close();
  messages.length = 0;
});

async function open(path: string | null, prepare: (text: string) => DocumentNode = parse) {
  const operations = await openOperations({ path, prepare, log });
  opened.push(operations);
  return operations;
}

/** A document of so many characters. */
const documentOf = (name: string, length: number) =>
  `{ ${name} }`.padEnd(length, ' # filled up with a comment');

const noStore = {
  get: () => Promise.resolve<string | undefined>('from the store'),
  set: () => Promise.resolve(),
};

test('without a manifest nothing is listed', async () => {
  const operations = await open(null);
  expect(operations.find('a')).toBeUndefined();
  expect(operations.hasText('{ a }')).toBe(false);
});

test('a first version that is wrong is an error that names the setting', async () => {
  await expect(open(put(newFolder(), '{'))).rejects.toThrow('OPERATIONS_MANIFEST: it is not JSON');
  await expect(open(join(newFolder(), 'nothing'))).rejects.toThrow(/^OPERATIONS_MANIFEST: ENOENT/);
});

test('as many documents are kept ready as there is room for; all of them are listed', async () => {
  const names = Array.from({ length: 6 }, (_, n) => `field${n}`);
  const large = names.map((name) => listed(name, documentOf(name, 100 * 1024), name));
  const operations = await open(put(newFolder(), manifestOf(...large)));
  const kept = names.filter((name) => operations.find(name)?.document !== null);
  expect(kept).toEqual(names.slice(0, 5));
  expect(names.every((name) => operations.hasText(operations.find(name)?.body ?? ''))).toBe(true);
});

test('a document that is kept is never asked of the store that forgets', async () => {
  const body = '{ a }';
  const operations = await open(put(newFolder(), manifestOf(listed('A', body))));
  const documents = createDocumentStore(operations);
  const document = operations.find(sha256(body))?.document;
  expect(await documents.get(`schema:${sha256(body)}`)).toBe(document);
  expect(await documents.get(`schema:${sha256('{ b }')}`)).toBeUndefined();
});

test('a document under an id that means another text by now is not used', async () => {
  const unkept = {
    find: (id: string) =>
      id === 'a' ? { id, name: 'A', body: '{ b }', document: null } : undefined,
  };
  const documents = createDocumentStore(unkept);
  await documents.set('schema:a', parse('{ a }'));
  expect(await documents.get('schema:a')).toBeUndefined();
  const right = parse('{ b }');
  await documents.set('schema:a', right);
  expect(await documents.get('schema:a')).toBe(right);
});

test('a document that did not change is not prepared again', async () => {
  const folder = newFolder();
  const prepare = vi.fn((text: string) => parse(text));
  const operations = await open(put(folder, manifestOf(listed('A', '{ a }'))), prepare);
  const before = operations.find(sha256('{ a }'))?.document;
  put(folder, manifestOf(listed('A', '{ a }'), listed('B', '{ b }')));
  await vi.waitFor(() => expect(operations.hasText('{ b }')).toBe(true), { timeout: 5000 });
  expect(operations.find(sha256('{ a }'))?.document).toBe(before);
  expect(prepare).toHaveBeenCalledTimes(2);
});

test('the manifest is asked before the store, and the store only for a SHA-256', async () => {
  const operations = await open(put(newFolder(), manifestOf(listed('A', '{ a }', 'a/1'))));
  const queries = createPersistedQueries(operations, noStore);
  expect(await queries.find('a/1')).toBe('{ a }');
  expect(await queries.find('a/2')).toBeUndefined();
  expect(await queries.find('A'.repeat(64))).toBeUndefined();
  expect(await queries.find('a'.repeat(1_000_000))).toBeUndefined();
  expect(await queries.find(sha256('{ b }'))).toBe('from the store');
});

test('a file is read once a version, and complained about once', async () => {
  const folder = newFolder();
  const file = new ChangingFile(put(folder, 'one'));
  expect(await file.readIfChanged()).toBe('one');
  expect(await file.readIfChanged()).toBeNull();
  put(folder, 'two');
  expect(await file.readIfChanged()).toBe('two');
  rmSync(join(folder, 'manifest.json'));
  await expect(file.readIfChanged()).rejects.toThrow('ENOENT');
  expect(await file.readIfChanged()).toBeNull();
  put(folder, 'two');
  expect(await file.readIfChanged()).toBe('two');
});
