// Numbers keep their digits, strings are never taken for numbers, and everything else equals the result of JSON.parse.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createExactParser,
  type ExactJson,
  JsonNumber,
  parseEveryNumber,
} from '../../../src/upstream/shape/exact-json.ts';

const keys = ['amount', 'balance'];
const parse = createExactParser(keys);

/** A tree for comparisons, in which each value shows its type. */
type Shown = string | Shown[];

function show(value: unknown, digits: ExactJson['digits']): Shown {
  const source = digits(value);
  if (source !== null) return `exact ${source}`;
  if (Array.isArray(value)) return ['array', ...value.map((item) => show(item, digits))];
  if (typeof value !== 'object' || value === null)
    return `${typeof value} ${JSON.stringify(value)}`;
  return ['object', ...Object.entries(value).flatMap(([key, item]) => [key, show(item, digits)])];
}

const shown = ({ root, digits }: ExactJson) => show(root, digits);

class Source {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

function shownByReviver(text: string): Shown {
  const revive: Reviver = (key, value, { source }) =>
    typeof value === 'number' && keys.includes(key) ? new Source(source ?? '') : value;
  const root: unknown = JSON.parse(text, revive as (key: string, value: unknown) => unknown);
  return show(root, (value) => (value instanceof Source ? value.text : null));
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
/** A string as JSON, each of its characters literal or escaped. */
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

describe('createExactParser', () => {
  it.each([
    ['{"amount":12.50}', ['object', 'amount', 'exact 12.50']],
    ['{ "amount" :\r\n\t-0.00 }', ['object', 'amount', 'exact -0.00']],
    ['{"amount":1E+2}', ['object', 'amount', 'exact 1E+2']],
    [
      '{"amount":123456789012345678901234567890.10}',
      ['object', 'amount', 'exact 123456789012345678901234567890.10'],
    ],
    ['{"total":12.50}', ['object', 'total', 'number 12.5']],
    ['{"amount":"12.50"}', ['object', 'amount', 'string "12.50"']],
    ['{"amount":["12.50"]}', ['object', 'amount', ['array', 'string "12.50"']]],
    ['{"amount":1,"amount":"x"}', ['object', 'amount', 'string "x"']],
    ['{"amount":"x","amount":1.0}', ['object', 'amount', 'exact 1.0']],
    ['{"__proto__":{"amount":1.0}}', ['object', '__proto__', ['object', 'amount', 'exact 1.0']]],
    ['{"a\\"amount":1.0}', ['object', 'a"amount', 'number 1']],
    ['{"n":"\\"amount\\":1.0,"}', ['object', 'n', 'string "\\"amount\\":1.0,"']],
    ['{"amoun\\u0074":1.0}', ['object', 'amount', 'exact 1.0']],
  ])('reads %s', (text, expected) => {
    expect(shown(parse(text))).toEqual(expected);
  });

  it('never takes a string for a number, however it is spelled', () => {
    for (const spelling of ['\x7f1.0', '\\u007f1.0', '\\u007F1.0']) {
      const text = `{"amount":"${spelling}","balance":1.0}`;
      expect(shown(parse(text))).toEqual([
        'object',
        'amount',
        'string "\x7f1.0"',
        'balance',
        'exact 1.0',
      ]);
    }
  });

  it('agrees with a reviver that uses context.source for any JSON', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(shown(parse(text))).toEqual(shownByReviver(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('rejects exactly the texts that JSON.parse rejects', () => {
    const junk = fc.constantFrom(
      ...'"\\:,{}[]0129.eE+-\x7f tn'.split(''),
      '"amount":',
      '01',
      '1.',
      '""',
    );
    fc.assert(
      fc.property(jsonText, fc.nat(), fc.nat(3), junk, (text, place, removed, added) => {
        const at = place % (text.length + 1);
        const broken = text.slice(0, at) + added + text.slice(at + removed);
        expect(isRead(() => parse(broken))).toBe(isRead(() => JSON.parse(broken)));
      }),
      { numRuns: 5000 },
    );
  });
});

function isRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return false;
  }
}

describe('parseEveryNumber', () => {
  it('keeps the digits of every number, at any key and in lists', () => {
    const root = parseEveryNumber('{"a":[1.50,"1.50",{"b":-0}],"c":1e3,"c":2.0}');
    expect(root).toEqual({
      a: [new JsonNumber('1.50'), '1.50', { b: new JsonNumber('-0') }],
      c: new JsonNumber('2.0'),
    });
  });

  it('throws a RangeError for a text that is nested too deeply', () => {
    const deep = 100_000;
    expect(() => parseEveryNumber('['.repeat(deep) + ']'.repeat(deep))).toThrow(RangeError);
  });

  it('does not confuse an escaped key with an earlier one', () => {
    const texts = [String.raw`{"h":[],"\\":1.0}`, String.raw`{"h":1,"\"":2.50}`];
    const [one, other] = texts.map((text) => {
      JSON.parse(text);
      return parseEveryNumber(text);
    });
    expect(one).toEqual({ h: [], '\\': new JsonNumber('1.0') });
    expect(other).toEqual({ h: new JsonNumber('1'), '"': new JsonNumber('2.50') });
  });
});
