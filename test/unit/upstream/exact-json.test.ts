// parseBody keeps all digits of numbers, never takes a string for a number, and otherwise agrees with JSON.parse.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContractViolationError } from '../../../src/errors.ts';
import { JsonNumber, parseBody } from '../../../src/upstream/shape/exact-json.ts';

/** A tree for comparisons, in which each value shows its type. */
type Shown = string | Shown[];

function show(value: unknown): Shown {
  if (value instanceof JsonNumber) return `exact ${value.text}`;
  if (Array.isArray(value)) return ['array', ...value.map(show)];
  if (typeof value !== 'object' || value === null)
    return `${typeof value} ${JSON.stringify(value)}`;
  return ['object', ...Object.entries(value).flatMap(([key, item]) => [key, show(item)])];
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/**
 * Parses with JSON.parse and a reviver. The result is right only if no key has escapes:
 * https://github.com/nodejs/node/issues/63785.
 */
function shownByReviver(text: string): Shown {
  const revive: Reviver = (_key, value, { source }) =>
    typeof value === 'number' ? new JsonNumber(source ?? '') : value;
  return show(JSON.parse(text, revive as (key: string, value: unknown) => unknown));
}

const digit = fc.constantFrom(...'0123456789'.split(''));
const digits = fc.string({ unit: digit, minLength: 1, maxLength: 25 });
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.constant('0'),
      digits.map((text) => text.replace(/^0+(?=.)/, '').replace(/^0$/, '7')),
    ),
    fc.option(digits, { nil: null }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-'), digits), { nil: null }),
  )
  .map(([sign, whole, fraction, exponent]) =>
    [sign, whole, fraction === null ? '' : `.${fraction}`, ...(exponent ?? [])].join(''),
  );

const character = fc.oneof(
  fc.constantFrom(...'"\\/amount:,{}[] 0.5\n\x7f'.split(''), 'ç', '€', '😀', '\ud800'),
  fc.string({ minLength: 1, maxLength: 1 }),
);
const content = fc.oneof(
  fc.constantFrom('amount', 'balance', '__proto__', '"amount":1', '\x7f1', '1', 'x,"amount', 'a\\'),
  fc.string({ unit: character, maxLength: 12 }),
);
/** A JSON string in which each character is literal or escaped. */
const stringText = fc
  .tuple(content, fc.infiniteStream(fc.nat(6)))
  .map(([text, choices]) => `"${Array.from(text, (c) => spell(c, next(choices))).join('')}"`);

function next(choices: Iterator<number>): number {
  return choices.next().value as number;
}

function spell(c: string, choice: number): string {
  if (choice > 0) return JSON.stringify(c).slice(1, -1);
  return c.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const gap = fc.oneof(
  fc.constant(''),
  fc.string({ unit: fc.constantFrom(...' \t\r\n'.split('')), maxLength: 3 }),
);
const keyText = fc.oneof(fc.constantFrom('"amount"', '"balance"', '"id"'), stringText);

const jsonText = fc.letrec<Record<'value' | 'array' | 'object', string>>((tie) => ({
  value: fc
    .tuple(
      gap,
      fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        numberText,
        stringText,
        fc.constantFrom('null', 'true', 'false'),
        tie('object'),
        tie('array'),
      ),
      gap,
    )
    .map((parts) => parts.join('')),
  array: fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
  object: fc
    .array(fc.tuple(gap, keyText, gap, tie('value')), { maxLength: 5 })
    .map(
      (members) => `{${members.map(([a, key, b, value]) => `${a}${key}${b}:${value}`).join(',')}}`,
    ),
})).value;

const objectText = jsonText.map((value) => `{"value":${value}}`);

describe('parseBody', () => {
  it.each([
    ['{"amount":12.50}', ['object', 'amount', 'exact 12.50']],
    ['{ "amount" :\r\n\t-0.00 }', ['object', 'amount', 'exact -0.00']],
    ['{"amount":1E+2}', ['object', 'amount', 'exact 1E+2']],
    [
      '{"amount":123456789012345678901234567890.10}',
      ['object', 'amount', 'exact 123456789012345678901234567890.10'],
    ],
    [
      '{"a":[1.50,"1.50",{"b":-0}]}',
      ['object', 'a', ['array', 'exact 1.50', 'string "1.50"', ['object', 'b', 'exact -0']]],
    ],
    ['{"amount":"12.50"}', ['object', 'amount', 'string "12.50"']],
    ['{"amount":1,"amount":"x"}', ['object', 'amount', 'string "x"']],
    ['{"amount":"x","amount":1.0}', ['object', 'amount', 'exact 1.0']],
    ['{"__proto__":{"amount":1.0}}', ['object', '__proto__', ['object', 'amount', 'exact 1.0']]],
    ['{"a\\"amount":1.0}', ['object', 'a"amount', 'exact 1.0']],
    ['{"n":"\\"amount\\":1.0,"}', ['object', 'n', 'string "\\"amount\\":1.0,"']],
    ['{"amoun\\u0074":1.0}', ['object', 'amount', 'exact 1.0']],
    [String.raw`{"h":[],"\\":1.0}`, ['object', 'h', ['array'], '\\', 'exact 1.0']],
  ])('parses the body %s with its numbers as sent', (text, expected) => {
    expect(show(parseBody(text))).toEqual(expected);
  });

  it('agrees with JSON.parse and a reviver that uses context.source, for text without escapes', () => {
    fc.assert(
      fc.property(
        objectText.filter((text) => !text.includes('\\')),
        (text) => {
          expect(show(parseBody(text))).toEqual(shownByReviver(text));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('agrees with JSON.parse for strings with any escapes', () => {
    fc.assert(
      fc.property(stringText, (text) => {
        expect(parseBody(`{"value":${text}}`)).toEqual({ value: JSON.parse(text) as unknown });
      }),
      { numRuns: 2000 },
    );
  });

  it('rejects exactly the bodies that JSON.parse does not parse as an object', () => {
    const junk = fc.constantFrom(
      ...'"\\:,{}[]0129.eE+-\x7f tn'.split(''),
      '"amount":',
      '01',
      '1.',
      '""',
    );
    fc.assert(
      fc.property(objectText, fc.nat(), fc.nat(3), junk, (text, place, removed, added) => {
        const at = place % (text.length + 1);
        const broken = text.slice(0, at) + added + text.slice(at + removed);
        expect(isRead(broken)).toBe(isObject(broken));
      }),
      { numRuns: 5000 },
    );
  });

  it('parses the other values of a body if one is nested too deeply', () => {
    const deep = '[{"a":'.repeat(100_000) + '"}]"' + '}]'.repeat(100_000);
    const { a, n, s } = parseBody(`{"a":${deep},"n":1.50,"s":"[\\"{${'['.repeat(300)}"}`);
    expect(Array.isArray(a)).toBe(true);
    expect(n).toEqual(new JsonNumber('1.50'));
    expect(s).toBe(`["{${'['.repeat(300)}`);
  });
});

function isRead(text: string): boolean {
  try {
    parseBody(text);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ContractViolationError);
    return false;
  }
}

function isObject(text: string): boolean {
  try {
    const root: unknown = JSON.parse(text);
    return typeof root === 'object' && root !== null && !Array.isArray(root);
  } catch {
    return false;
  }
}
