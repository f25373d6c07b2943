// The output of `account-bff cursor`, and its error messages.
import { expect, test } from 'vitest';
import { describeCursor } from '../../src/describe-cursor.ts';
import { scopeOf } from '../../src/statement/cursor.ts';
import { cursorText } from '../support/cursors.ts';

const account = '5f6c1a52-7f57-4d39-9f2c-6a1f9d0c7e11';
const scope = scopeOf({ accountId: account, to: '2026-06-30' });
const cursor = {
  key: 4711,
  index: 6,
  total: 95,
  size: 20,
  createdAtMs: Date.UTC(2026, 5, 30, 4, 29, 15, 361),
  newer: { fingerprints: [1, 2, 3], ties: 2, complete: false },
  older: { fingerprints: [4], ties: 0, complete: true },
  isReordered: false,
};

test('the cursor command prints each part of a cursor', () => {
  expect(describeCursor([cursorText(scope, cursor)]).split('\n')).toEqual([
    'version     2',
    `statement   ${scope} (a hash of account, from and to; --account compares it)`,
    'row         key 4711',
    'place       7 of 95 from the newest, in pages of 20',
    'createdAt   2026-06-30T04:29:15.361Z',
    'newer rows  3 named, 2 of them with the same createdAt; more rows may share it',
    'older rows  1 named, 0 of them with the same createdAt; no other row shares it',
  ]);
});

test('the cursor command prints that ties have changed their order only if they have', () => {
  const line = 'ties        have changed their order';
  expect(describeCursor([cursorText(scope, cursor)])).not.toContain(line);
  expect(describeCursor([cursorText(scope, { ...cursor, isReordered: true })])).toContain(line);
});

test('the cursor command prints "none" for a missing createdAt', () => {
  const text = cursorText(scope, { ...cursor, createdAtMs: null });
  expect(describeCursor([text])).toContain('createdAt   none\n');
});

test.each([
  [['--account', account, '--to', '2026-06-30'], 'which is the one given'],
  [['--account', account], 'which is another one than given'],
  [['--account', account, '--from', '2026-06-30'], 'which is another one than given'],
])(
  'the cursor command reports whether the cursor belongs to the statement of %j',
  (options, answer) => {
    expect(describeCursor([cursorText(scope, cursor), ...options])).toContain(
      `${scope}, ${answer}`,
    );
  },
);

test.each([
  ['an argument that is not a cursor', ['abc'], 'This is not a cursor of this gateway'],
  ['a truncated cursor', [cursorText(scope, cursor).slice(0, -1)], 'This is not a cursor'],
  [
    'an impossible createdAt',
    [cursorText(scope, { ...cursor, createdAtMs: 9e15 })],
    'This is not a cursor',
  ],
  ['a missing cursor', [], 'Usage: account-bff cursor TEXT'],
  ['two cursors', ['a', 'b'], 'Usage: account-bff cursor TEXT'],
  ['an unknown option', ['a', '--until', 'b'], "Unknown option '--until'"],
])('the cursor command rejects %s', (_what, args, message) => {
  expect(() => describeCursor(args)).toThrow(new RegExp(`^${message}`));
  expect(() => describeCursor(args)).toThrow(TypeError);
});

test('the cursor command returns its usage for --help', () => {
  expect(describeCursor(['--help'])).toMatch(/^Usage: account-bff cursor TEXT/);
});
