// Which documents stay while others come.
import { type DocumentNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createDocumentCache } from '../../../src/graphql/document-cache.ts';

const room = 512 * 1024;

/** A document of so many characters. */
function documentOf(length: number): DocumentNode {
  return parse('{ a } #'.padEnd(length, '-'));
}

const hot = Array.from({ length: 20 }, (_, i) => [`hot ${i}`, documentOf(1000)] as const);

/** Asks as Apollo Server does; whether it was there. */
function use(cache: ReturnType<typeof createDocumentCache>, key: string, document: DocumentNode) {
  const known = cache.get(key);
  if (known === undefined) cache.set(key, document);
  return known === document;
}

describe('what is asked for again and again', () => {
  test.each([
    ['large documents', 30_000, 5],
    ['small ones', 100, 400],
    ['some that are too large to keep', 200_000, 1],
  ])('stays while strangers send %s, no two alike', (_what, length, between) => {
    const cache = createDocumentCache(room);
    let strangers = 0;
    let missed = 0;
    // From the start on there are as many strangers.
    for (const [key, document] of [...hot, ...hot, ...hot, ...hot]) {
      for (let i = 0; i < between; i++) use(cache, `stranger ${strangers++}`, documentOf(length));
      if (!use(cache, key, document)) missed++;
    }
    // Each when it came first, and again when it came next but had had to make way.
    expect(missed).toBeLessThanOrEqual(2 * hot.length);
  });

  test('makes way for what is asked for now', () => {
    const cache = createDocumentCache(room);
    const [old, now] = [documentOf(1000), documentOf(30_000)];
    for (let times = 0; times < 3; times++) use(cache, 'old', old);
    for (let i = 0; i < 30; i++) {
      for (let times = 0; times < 3; times++) use(cache, `new ${i}`, now);
    }
    expect(cache.get('old')).toBeUndefined();
    expect(cache.get('new 29')).toBeDefined();
  });
});

test('a document is kept once, in its latest form, and forgotten at once', () => {
  const cache = createDocumentCache(room);
  const [first, second] = [documentOf(100), documentOf(100)];
  for (const times of [1, 2]) {
    cache.set('a', first);
    for (let i = 0; i < times; i++) expect(cache.get('a')).toBe(first);
    cache.set('a', second);
    expect(cache.get('a')).toBe(second);
    expect(cache.delete('a')).toBe(true);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.delete('a')).toBe(false);
  }
});

test('what is too large takes no room', () => {
  const cache = createDocumentCache(room);
  cache.set('large', documentOf(room / 16 + 1));
  expect(cache.get('large')).toBeUndefined();
  cache.set('largest', documentOf(room / 16));
  expect(cache.get('largest')).toBeDefined();
});
