// What is deployed is what is developed: the image has the Node.js of the lockfile.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

test('the image has the Node.js that the tests run on', () => {
  const [, inImage] = /^FROM \S+\/node:([\d.]+)-bookworm-slim(?:@\S+)? AS base$/m.exec(
    readText('Dockerfile'),
  ) ?? [undefined];
  const { packages } = JSON.parse(readText('package-lock.json')) as {
    packages: Record<string, { version: string }>;
  };
  expect(inImage).toBe(packages['node_modules/node']?.version);
});

function readText(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}
