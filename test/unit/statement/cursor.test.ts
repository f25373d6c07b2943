// Cursors: how they are encoded and decoded, and which text is refused.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import {
  type Cursor,
  decodeCursor,
  MAX_AHEAD,
  MAX_BEHIND,
  scopeOf,
} from '../../../src/statement/cursor.ts';
import { fingerprintOf } from '../../../src/statement/row-key.ts';
import { hashOf } from '../../../src/json/text-hash.ts';
import { cursorText } from '../../support/cursors.ts';

const accountId = '5f6c1a52-7f57-4d39-9f2c-6a1f9d0c7e11';
const scope = scopeOf({ accountId, to: '2026-06-30' });

const encode = (cursor: Cursor) => cursorText(scope, cursor);

function errorOf(text: string, ofScope = scope): unknown {
  try {
    return decodeCursor(text, ofScope);
  } catch (error) {
    return error;
  }
}

function expectRefused(text: string, message = /malformed/): void {
  const error = errorOf(text);
  expect(error, text).toBeInstanceOf(GatewayError);
  expect(error, text).toMatchObject({ code: 'BAD_USER_INPUT' });
  expect((error as GatewayError).message).toMatch(message);
}

const most = 2 ** 31 - 1;
/** Generates the part of a cursor's content that describes the rows on one side of its row. */
const side = (names: number) =>
  fc
    .record({
      fingerprints: fc.array(fc.nat(36 ** 5 - 1), { maxLength: names, size: 'max' }),
      ties: fc.nat(names),
      complete: fc.boolean(),
    })
    .map((one) => ({ ...one, ties: Math.min(one.ties, one.fingerprints.length) }));

/** Generates any valid cursor. */
const cursors: fc.Arbitrary<Cursor> = fc
  .record({
    key: fc.maxSafeNat(),
    index: fc.nat(most - 1),
    total: fc.integer({ min: 1, max: most }),
    size: fc.integer({ min: 1, max: most }),
    createdAtMs: fc.option(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 })),
    newer: side(MAX_BEHIND),
    older: side(MAX_AHEAD),
    isReordered: fc.boolean(),
  })
  .map((cursor) => ({ ...cursor, total: Math.max(cursor.total, cursor.index + 1) }));

const none = { fingerprints: [], ties: 0, complete: true };

/** The content of a version 2 cursor, and the text that every release with this version issues for it. */
const plain: Issued = {
  text: '2.14x96g08td2.2n.k.3040xxma1.j.mr0rwio0.1a0qglj0000g.0s.5ly25',
  cursor: {
    ...{ key: 8_472_093_847_561, index: 19, total: 95, size: 20 },
    createdAtMs: Date.UTC(2026, 5, 30, 15),
    newer: { fingerprints: [1_234_567, 16], ties: 1, complete: true },
    older: { ...none, complete: false },
    isReordered: false,
  },
};

interface Issued {
  readonly text: string;
  readonly cursor: Cursor;
}

describe('a cursor', () => {
  it('is encoded in at most 256 URL-safe characters and decoded unchanged, whatever it contains', () => {
    fc.assert(
      fc.property(cursors, (cursor) => {
        const text = encode(cursor);
        expect(text).toMatch(/^[0-9a-z.-]{1,256}$/);
        expect(decodeCursor(text, scope)).toEqual(cursor);
      }),
      { numRuns: 1000 },
    );
  });

  it('fits into 256 characters at its longest', () => {
    const names = (count: number) => ({
      ...{ fingerprints: Array.from({ length: count }, () => 36 ** 5 - 1), ties: count },
      complete: true,
    });
    const cursor = {
      ...{ key: Number.MAX_SAFE_INTEGER, index: most - 1, total: most, size: most },
      createdAtMs: -62_135_596_800_000,
      ...{ newer: names(MAX_BEHIND), older: names(MAX_AHEAD), isReordered: true },
    };
    const text = encode(cursor);
    expect(text.length).toBeLessThanOrEqual(256);
    expect(decodeCursor(text, scope)).toEqual(cursor);
  });

  it('has the same text in all releases that use version 2 of the format', () => {
    expect(decodeCursor(plain.text, scope)).toEqual(plain.cursor);
    expect(encode(plain.cursor)).toBe(plain.text);
    const reordered = { ...plain.cursor, isReordered: true };
    const text = '2.14x96g08td2.2n.k.3040xxma1.j.mr0rwio0.1a0qglj0000g.0s.r.5borw';
    expect(decodeCursor(text, scope)).toEqual(reordered);
    expect(encode(reordered)).toBe(text);
  });
});

describe('text that is not an issued cursor', () => {
  const characters = '0123456789abcdefghijklmnopqrstuvwxyz.-AZ_ \n\u0000\u000eé'.split('');
  const older = { fingerprints: [1, 22, 333], ties: 3, complete: true };
  const texts = [plain.text, encode({ ...plain.cursor, older })];

  it.each(texts)('is refused if it is a cursor with one character changed: %s', (text) => {
    for (const at of text.split('').keys()) {
      for (const character of characters.filter((one) => one !== text[at])) {
        expectRefused(text.slice(0, at) + character + text.slice(at + 1), /malformed|belongs/);
      }
    }
  });

  it.each(texts)(
    'is refused if it is a cursor with one character removed or inserted: %s',
    (text) => {
      for (let at = 0; at <= text.length; at++) {
        const [start, end] = [text.slice(0, at), text.slice(at)];
        expectRefused(`${start}0${end}`, /malformed|belongs/);
        expectRefused(`${start}.${end}`);
        if (end !== '') expectRefused(start + end.slice(1), /malformed|belongs/);
      }
    },
  );

  it.each(texts)('is refused if it is only part of a cursor: %s', (text) => {
    for (let at = 1; at < text.length; at++) {
      expectRefused(text.slice(0, at));
      expectRefused(text.slice(at));
    }
  });

  it.each(['', '.', '..........', ' ', '1', 'null', 'YXJyYXljb25uZWN0aW9uOjA=', '1.'.repeat(11)])(
    'is refused with BAD_USER_INPUT: %j',
    (text) => {
      expectRefused(text);
    },
  );

  it('is refused with BAD_USER_INPUT if it is random', () => {
    const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));
    const texts = fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit }), fc.base64String());
    fc.assert(
      fc.property(texts, (text) => {
        expectRefused(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('is either decoded or refused with BAD_USER_INPUT if its checksum is valid', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '',
        '0',
        '1',
        '-',
        '-1',
        '0a',
        'r',
        '1s00001',
        'o00001',
        'zzzzzzzzzzz',
        scope,
      ),
      fc.string({ maxLength: 6 }),
      fc.string({ unit: fc.constantFrom('0', '1', '9', 'a', 'k', 's', 'z'), maxLength: 12 }),
    );
    const parts = fc.array(part, { minLength: 8, maxLength: 10 });
    fc.assert(
      fc.property(fc.constantFrom('1', '2'), parts, (version, [, ...others]) => {
        const cursor = errorOf(seal(version, scope, ...others));
        if (cursor instanceof Error) {
          expect(cursor).toMatchObject({ name: 'GatewayError', code: 'BAD_USER_INPUT' });
        } else {
          expect((cursor as Cursor).index).toBeLessThan((cursor as Cursor).total);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['an unknown version', ['3', scope, '2n', 'k', '5', 'j', '', '0a', '0a']],
    ['a missing part', ['2', scope, '2n', 'k', '5', 'j', '', '0a']],
    ['an extra part', ['2', scope, '2n', 'k', '5', 'j', '', '0a', '0a', '']],
    ['an unknown last part', ['2', scope, '2n', 'k', '5', 'j', '', '0a', '0a', 's']],
    ['a part after the last one', ['2', scope, '2n', 'k', '5', 'j', '', '0a', '0a', 'r', 'r']],
    ['no total', ['2', scope, '', 'k', '5', 'j', '', '0a', '0a']],
    ['a page size of 0', ['2', scope, '2n', '0', '5', 'j', '', '0a', '0a']],
    ['an index beyond the total', ['2', scope, '2n', 'k', '5', '2n', '', '0a', '0a']],
    ['a total that exceeds Int', ['2', scope, 'zik0zk', 'k', '5', 'j', '', '0a', '0a']],
    [
      'a number that no double represents exactly',
      ['2', scope, '2n', 'k', '2gosa7pa2gw', 'j', '', '0a', '0a'],
    ],
    ['a number that is too long', ['2', scope, '2n', 'k', '100000000000', 'j', '', '0a', '0a']],
    ['an upper-case digit', ['2', scope, '2N', 'k', '5', 'j', '', '0a', '0a']],
    ['a sign without a number', ['2', scope, '2n', 'k', '5', 'j', '-', '0a', '0a']],
    ['no names', ['2', scope, '2n', 'k', '5', 'j', '', '', '0a']],
    ['names of an unknown kind', ['2', scope, '2n', 'k', '5', 'j', '', '0x', '0a']],
    ['a truncated name', ['2', scope, '2n', 'k', '5', 'j', '', '0a0000', '0a']],
    ['more ties than names', ['2', scope, '2n', 'k', '5', 'j', '', '2a00001', '0a']],
  ])('is refused if it has %s, even if its checksum is valid', (_what, parts) => {
    expectRefused(seal(...parts));
  });
});

/** Joins parts and appends their checksum. */
function seal(...parts: readonly string[]): string {
  const text = `${parts.join('.')}.`;
  return text + fingerprintOf(hashOf(text)).toString(36).padStart(5, '0');
}

describe('the scope of a cursor', () => {
  it.each([
    [
      'of another account',
      scopeOf({ accountId: '5f6c1a52-7f57-4d39-9f2c-6a1f9d0c7e12', to: '2026-06-30' }),
    ],
    ['with a different to', scopeOf({ accountId, to: '2026-06-29' })],
    ['without a to', scopeOf({ accountId })],
    ['with a from', scopeOf({ accountId, from: '2026-06-30', to: '2026-06-30' })],
    ['with a from in place of its to', scopeOf({ accountId, from: '2026-06-30' })],
  ])('excludes a statement %s', (_what, other) => {
    expect(errorOf(plain.text, other)).toMatchObject({
      code: 'BAD_USER_INPUT',
      message: 'The cursor belongs to another account, from or to.',
    });
  });

  it('includes its account, in any letter case of the id', () => {
    const spelled = scopeOf({ accountId: accountId.toUpperCase(), to: '2026-06-30' });
    expect(decodeCursor(plain.text, spelled)).toEqual(plain.cursor);
  });
});
