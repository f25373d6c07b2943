// The reader accepts exactly the JSON that JSON.parse accepts, and finds the place and kind of each value.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { braces, JsonReader, notJson, valueKinds } from '../../../src/json/json-reader.ts';
import { Literal, SourceText } from '../../../src/json/json-bytes.ts';

const readerOf = (text: string) => new JsonReader(new SourceText(Buffer.from(text)));

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
/** Generates a JSON string in which any character may be escaped. */
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

/** The members of an object: the key, and the value as it was sent. */
function membersOf(text: string): [string, string][] {
  const json = readerOf(text);
  const members: [string, string][] = [];
  for (let isMore = json.enter(braces); isMore; isMore = json.goOn(braces)) {
    const name = json.name();
    json.any();
    members.push([name, json.text.slice(json.start, json.end)]);
  }
  json.finish();
  return members;
}

describe('the JSON reader', () => {
  it.each([
    ['null', 'null'],
    ['true', 'flag'],
    ['-120', 'whole'],
    ['0', 'whole'],
    ['-0.00', 'fraction'],
    ['1E+2', 'exponent'],
    ['1.50e-7', 'exponent'],
    ['"a"', 'ascii'],
    ['"é"', 'text'],
    ['"\\u0041"', 'escaped'],
    ['{"a":[{}]}', 'object'],
    ['[[],{"a":[1]}]', 'list'],
  ] as const)('reads %s as a value of the kind %s', (text, kind) => {
    const json = readerOf(` \r\n\t${text} `);
    expect(json.any()).toBe(valueKinds[kind]);
    expect(json.text.slice(json.start, json.end)).toBe(text);
    json.finish();
  });

  it('finds the values of members as they were sent', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(stringText, jsonText), { maxLength: 5 }), (members) => {
        const text = `{${members.map(([key, value]) => `${key} :${value}`).join()}}`;
        const expected = members.map(([key, value]) => [JSON.parse(key) as unknown, value.trim()]);
        expect(membersOf(text)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('finds the index of a key, however it is written', () => {
    const keys = ['"id"', '"é"', '"amount"'].map((text) => new Literal(text));
    fc.assert(
      fc.property(stringText, fc.constantFrom(-1, 0, 1, 2, 3), (text, likely) => {
        const name = JSON.parse(text) as string;
        expect(readerOf(`${text} : 1`).key(keys, likely)).toBe(['id', 'é', 'amount'].indexOf(name));
      }),
      { numRuns: 2000 },
    );
    expect(readerOf('"amoun\\u0074":1').key(keys, 0)).toBe(2);
    expect(readerOf('"\\u00e9":1').key(keys, 0)).toBe(1);
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
        expect(isRead(broken)).toBe(isJson(broken));
      }),
      { numRuns: 5000 },
    );
  });

  it('reads values that are nested a million levels deep', () => {
    const deep = '[{"a":'.repeat(500_000) + '"}]"' + '}]'.repeat(500_000);
    expect(membersOf(`{"a":${deep},"n":1.50}`)).toEqual([
      ['a', deep],
      ['n', '1.50'],
    ]);
    expect(isRead(deep.slice(0, -1))).toBe(false);
    expect(isRead('['.repeat(4_000_000))).toBe(false);
  });
});

function isRead(text: string): boolean {
  const json = readerOf(text);
  try {
    json.any();
    json.finish();
    return true;
  } catch (error) {
    expect(error).toBe(notJson);
    return false;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
