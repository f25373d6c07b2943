// The operation cache: how operations are found, which ones are evicted, and how much memory a document may take.
import { hash } from 'node:crypto';
import { type DocumentNode, Location, parse, Source } from 'graphql';
import { describe, expect, test } from 'vitest';
import { OperationCache } from '../../../src/graphql/operation/operation-cache.ts';

/** Operation text of about `weight` bytes by the cache's estimate, different for each name. */
const textOf = (name: string, weight: number) => `query ${name} { a } #`.padEnd(weight / 2, '-');

const hot = Array.from({ length: 20 }, (_, i) => textOf(`Hot${i}`, 20_000));

/** Parses only the operation: the comment that makes the text long would take most of the time. */
function documentOf(text: string): DocumentNode {
  const document = parse(text.split('#', 1).join());
  const { loc } = document;
  if (loc === undefined) throw new Error('the document has no location');
  return Object.assign(document, {
    loc: new Location(loc.startToken, loc.endToken, new Source(text)),
  });
}

/** Looks up operation text as the gateway does, and adds its document on a miss. Returns true on a hit. */
function use(cache: OperationCache, text: string): boolean {
  if (cache.find(text) !== null) return true;
  cache.add(documentOf(text));
  return false;
}

describe('an operation that is used repeatedly', () => {
  test.each([
    ['large operations', 1_500_000, 8],
    ['small operations', 10_000, 400],
    ['operations too large to cache', 3_000_000, 4],
  ])(
    'is missed at most twice on average while other clients send %s that are never repeated',
    (_what, weight, between) => {
      const cache = new OperationCache();
      let strangers = 0;
      let missed = 0;
      // Before each use of a repeated operation, `between` other operations arrive.
      for (const text of [...hot, ...hot, ...hot, ...hot]) {
        for (let i = 0; i < between; i++) use(cache, textOf(`Stranger${strangers++}`, weight));
        if (!use(cache, text)) missed++;
      }
      // A repeated operation is missed at its first use, and again if it was evicted before its second use.
      expect(missed).toBeLessThanOrEqual(2 * hot.length);
    },
  );

  test('is evicted once other operations are used instead', () => {
    const cache = new OperationCache();
    for (let times = 0; times < 3; times++) use(cache, '{ old }');
    for (let i = 0; i < 30; i++) {
      for (let times = 0; times < 3; times++) use(cache, textOf(`New${i}`, 1_500_000));
    }
    expect(cache.find('{ old }')).toBeNull();
    expect(cache.find(textOf('New29', 1_500_000))).not.toBeNull();
  });
});

test('the operation cache finds a document by its text, not by its hash', () => {
  const cache = new OperationCache();
  const document = parse('{ a }');
  const { hash } = cache.add(document);
  expect(cache.find('{ a }')?.document).toBe(document);
  expect(cache.find(hash)).toBeNull();
});

test('a document that is too large for the operation cache gets an entry that is not kept; a slightly smaller document is kept', () => {
  const cache = new OperationCache();
  const document = parse(textOf('Large', 2 * 1024 * 1024));
  expect(cache.add(document).operation('Large')?.node.name?.value).toBe('Large');
  expect(cache.find(textOf('Large', 2 * 1024 * 1024))).toBeNull();
  use(cache, textOf('Largest', 2 * 1024 * 1024 - 10_000));
  expect(use(cache, textOf('Largest', 2 * 1024 * 1024 - 10_000))).toBe(true);
});

test('an operation is found by its name, or without a name if its document has no other operation', () => {
  const cache = new OperationCache();
  const two = cache.add(parse('query A { a } query B { b }'));
  expect(two.operation('A')?.node.name?.value).toBe('A');
  expect(two.operation('C')).toBeNull();
  expect(two.operation(null)).toBeNull();
  const one = cache.add(parse('query A { a }'));
  expect(one.operation(null)).toBe(one.operation('A'));
});

test.each([
  ['is kept at its second use after 9,999 other new texts', 9999, true],
  ['counts as new again after 10,000 other new texts', 10_000, false],
])('in a cache that is three quarters full, a text %s', (_what, others, isKept) => {
  const cache = new OperationCache();
  for (let i = 0; i < 14; i++) cache.add(parse(textOf(`Large${i}`, 1_900_000)));
  const document = parse('{ repeated }');
  cache.add(document);
  for (let i = 0; i < others; i++) cache.add(document, hash('sha256', `other ${i}`));
  expect(cache.find('{ repeated }')).toBeNull();
  cache.add(document);
  expect(cache.find('{ repeated }') !== null).toBe(isKept);
});

describe('the plans of a document', () => {
  const known = () =>
    new OperationCache().add(parse('query ($a: Boolean!) { a @include(if: $a) }'));
  const notRun = () => {
    throw new Error('not run');
  };
  const plan = (weight: number) => ({ weight, load: notRun, write: notRun });

  test('are limited to 16, and the least recently used is evicted first', () => {
    const document = known();
    const before = document.weight;
    for (let i = 0; i < 16; i++) document.setState(`key ${i}`, plan(100));
    document.stateOf('key 0');
    document.setState('key 16', 'answered');
    expect(document.stateOf('key 0')).toBeDefined();
    expect(document.stateOf('key 1')).toBeUndefined();
    expect(document.weight - before).toBe(1501);
  });

  test('are evicted to stay within the weight limit of an entry', () => {
    const document = known();
    for (let i = 0; i < 4; i++) document.setState(`key ${i}`, plan(900_000));
    expect(document.weight).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect(document.stateOf('key 3')).toBeDefined();
    expect(document.stateOf('key 0')).toBeUndefined();
  });

  test('have different short keys for each operation and each set of conditions, however long its names are', () => {
    const long = 'x'.repeat(50_000);
    const text = `query A${long}($a${long}: Boolean, $b: Boolean) { a } query B($a: Boolean) { a }`;
    const document = new OperationCache().add(parse(text));
    const [first, second] = [document.operation(`A${long}`), document.operation('B')];
    if (first === null || second === null) throw new Error('not found');
    const a = `a${long}`;
    const sets = [{}, { [a]: true }, { [a]: false }, { b: true }, { [a]: true, b: false }];
    const keys = [
      ...sets.map((variables) => document.keyOf(first, variables)),
      ...[{}, { a: true }, { a: false }].map((variables) => document.keyOf(second, variables)),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(Math.max(...keys.map((key) => key.length))).toBeLessThan(10);
  });

  test('are not compiled again if one is too large to be kept', () => {
    const document = known();
    document.setState('key', plan(2 * 1024 * 1024));
    expect(document.stateOf('key')).toBe('unsupported');
  });

  test('count towards the weight of the cache', () => {
    const cache = new OperationCache();
    const texts = Array.from({ length: 40 }, (_, i) => `query Q${i} { a }`);
    for (const text of texts) {
      for (let times = 0; times < 2; times++) use(cache, text);
      const found = cache.find(text);
      if (found === null) throw new Error('not kept');
      found.setState('', plan(1024 * 1024));
      cache.reweigh(found);
    }
    const kept = texts.filter((text) => cache.find(text) !== null);
    expect(kept).toEqual(texts.slice(-31));
  });
});
