// JSON in the sandbox bank: numbers keep every digit, and the value at a pointer can be changed.
import { describe, expect, it } from 'vitest';
import { changeJson, parseExact, rawNumber } from '../../../src/sandbox/json.ts';

describe('JSON numbers', () => {
  it.each(['1523.40', '-0', '0.00', '1e400', '1E-7', '12345678901234567.89'])(
    'keep the digits %s',
    (digits) => {
      expect(JSON.stringify({ n: rawNumber(digits) })).toBe(`{"n":${digits}}`);
      expect(JSON.stringify(parseExact(`[${digits},"${digits}"]`))).toBe(`[${digits},"${digits}"]`);
    },
  );

  it.each(['', 'abc', '"1"', 'null', 'true', '01', '1,5', '.5', ' 1', '[1]'])(
    'cannot be made from %o',
    (text) => {
      expect(() => rawNumber(text)).toThrow(SyntaxError);
    },
  );
});

describe('changeJson', () => {
  const text = '{"a":[{"b":1.10},null],"c/d":"x","e~f":{"":2.0}}';
  it.each<[string, Parameters<typeof changeJson>[2], string]>([
    ['/a/0/b', { value: 'y' }, '{"a":[{"b":"y"},null],"c/d":"x","e~f":{"":2.0}}'],
    ['/a/1', { value: { n: 1 } }, '{"a":[{"b":1.10},{"n":1}],"c/d":"x","e~f":{"":2.0}}'],
    ['/a/0/new', { value: true }, '{"a":[{"b":1.10,"new":true},null],"c/d":"x","e~f":{"":2.0}}'],
    ['/c~1d', { remove: true }, '{"a":[{"b":1.10},null],"e~f":{"":2.0}}'],
    ['/a/0', { remove: true }, '{"a":[null],"c/d":"x","e~f":{"":2.0}}'],
    ['/e~0f/', { raw: '1e999' }, '{"a":[{"b":1.10},null],"c/d":"x","e~f":{"":1e999}}'],
    ['', { value: [] }, '[]'],
    ['', { remove: true }, 'null'],
    ['', { raw: 'oops' }, 'oops'],
    ['/a/7', { remove: true }, text],
    ['/a/x', { remove: true }, text],
    ['/z/y', { value: 1 }, text],
    ['/a/0/b/c', { value: 1 }, text],
    ['/toString/x', { value: 1 }, text],
  ])('changes only the value at the pointer %o (the change: %o)', (pointer, change, expected) => {
    expect(changeJson(text, pointer, change)).toBe(expected);
  });
});
