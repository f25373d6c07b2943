// Operations manifests for tests, as files in a separate folder and in the format of
// @apollo/generate-persisted-query-manifest; also ids of operations.
import { hash } from 'node:crypto';
import { mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An entry of a manifest, by default with the id that the tool generates. */
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

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'manifest-'));
}

/** Writes manifest.json atomically, as deployments do, and returns its path. */
export function put(folder: string, text: string): string {
  const path = join(folder, 'manifest.json');
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
  return path;
}

/** The extensions that a client sends in place of the document. */
export function byId(sha256Hash: string) {
  return { persistedQuery: { version: 1, sha256Hash } };
}
