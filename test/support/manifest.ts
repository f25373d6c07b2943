// Operations manifests for tests: files in a folder of their own, written as @apollo/generate-persisted-query-manifest does.
import { hash } from 'node:crypto';
import { mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An operation as manifests list it, under the id that the tool gives by default. */
export function listed(name: string, body: string, id = sha256(body)) {
  return { id, name, type: 'query', body };
}

export function sha256(text: string): string {
  return hash('sha256', text);
}

/** The text of a manifest. */
export function manifestOf(...operations: readonly object[]): string {
  return JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations });
}

/** A new folder. */
export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'manifest-'));
}

/** Writes a file in one step, as deployments do; gives its path. */
export function put(folder: string, text: string): string {
  const path = join(folder, 'manifest.json');
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
}

/** What a client sends in place of the document. */
export function byId(sha256Hash: string) {
  return { persistedQuery: { version: 1, sha256Hash } };
}
