// Hashes of row ids: independent of letter case, the same in every release, and different for thousands of ids. Also
// the fingerprints of keys.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintOf, hashText, hasRepeatedKey } from '../../../src/statement/row-key.ts';
import { hashOf } from '../../../src/json/text-hash.ts';
import { NO_KEY } from '../../../src/upstream/shape/shapes.ts';

const uuid = (n: number): string => `0b1f7c1e-53a5-4f4e-8d9b-${n.toString(16).padStart(12, '0')}`;

describe('hashOf', () => {
  it.each([
    ['', 6_170_997_291_353_931],
    ['a', 1_347_123_468_032_410],
    ['0b1f7c1e-53a5-4f4e-8d9b-2f0d7a4b1c11', 74_888_651_939_254],
  ])('returns the same hash for %j as in earlier releases', (text, hash) => {
    expect(hashOf(text)).toBe(hash);
  });

  it('returns a safe, positive integer for any text', () => {
    const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(Number.isSafeInteger(hashOf(text)) && hashOf(text) > NO_KEY).toBe(true);
      }),
    );
  });

  it('returns the same hash for an id in upper and lower case', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(hashOf(id.toUpperCase())).toBe(hashOf(id.toLowerCase()));
      }),
    );
  });

  it('returns different hashes for 20,000 consecutive ids', () => {
    const hashes = Array.from({ length: 20_000 }, (_, n) => hashOf(uuid(n)));
    expect(new Set(hashes).size).toBe(20_000);
  });
});

describe('hashText', () => {
  it.each(['', 'a', 'long text '.repeat(500), 'São Paulo '.repeat(50), '\ud800'])(
    'returns the hash in base 36: %#',
    (text) => expect(hashText(text)).toBe(hashOf(text).toString(36)),
  );

  it('does not depend on the text before', () => {
    const texts = ['x'.repeat(341), 'x'.repeat(342), 'é'.repeat(341), 'é'.repeat(342)];
    const inBytes = texts.map((text) => hashOf(Buffer.from(text).toString()));
    expect(texts.toReversed().map(hashOf).toReversed()).toEqual(inBytes);
  });
});

describe('hasRepeatedKey', () => {
  it('compares whole keys, even if many have the same last bits, and ignores rows without ids', () => {
    const key = fc.integer({ min: 0, max: 6 }).map((n) => (n < 4 ? n * 2 ** 40 : n));
    const page = fc.array(key.map((one) => ({ key: one }))).map((rows) => ({ rows }));
    fc.assert(
      fc.property(fc.array(page), (pages) => {
        const keys = pages
          .flatMap(({ rows }) => rows.map((row) => row.key))
          .filter((one) => one !== NO_KEY);
        expect(hasRepeatedKey(pages)).toBe(new Set(keys).size < keys.length);
      }),
    );
  });
});

describe('fingerprintOf', () => {
  it('returns a number of at most five base-36 digits, and seldom the same number for two ids', () => {
    const fingerprints = Array.from({ length: 5_000 }, (_, n) => fingerprintOf(hashOf(uuid(n))));
    expect(Math.max(...fingerprints)).toBeLessThan(36 ** 5);
    expect(new Set(fingerprints).size).toBeGreaterThan(4_995);
  });

  it('is the remainder of the key, even next to the largest multiples of 36 ** 5', () => {
    for (let n = Math.floor(Number.MAX_SAFE_INTEGER / 36 ** 5); n > 148_900_000; n -= 997) {
      expect(fingerprintOf(n * 36 ** 5 - 1)).toBe(36 ** 5 - 1);
      expect(fingerprintOf(n * 36 ** 5)).toBe(0);
    }
  });
});
