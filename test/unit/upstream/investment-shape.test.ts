// The investmentAccount objects of a profile: how they are found in the text, and the limit on their length.
import fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import type { Account } from '../../../src/upstream/shape/shapes.ts';
import { readProfile } from '../../support/service-answers.ts';

const id = '0b7d6a52-3c1e-4f0a-8b9d-7e6c5d4f3a21';

const textOf = (...investments: readonly string[]) =>
  `{"accounts":[${investments.map((one) => `{"id":"${id}","investmentAccount":${one}}`).join()}]}`;

/** A JSON object of `length` characters that contains a list of numbers. */
function numbers(length: number): string {
  const items = Math.floor((length - '{"n":[]}'.length) / 2);
  const text = `{"n":[${'1,'.repeat(items - 1)}1]}`;
  return text.replace('1]', `${'1'.repeat(length - text.length + 1)}]`);
}

describe('the investmentAccounts of a profile', () => {
  const maxLength = 262_144;
  /** For each account: the error message if its object is too long, otherwise the number of the object's members. */
  const outcomes = (...investments: readonly string[]) =>
    accountsIn(textOf(...investments)).map(({ investmentAccount }) =>
      investmentAccount instanceof GatewayError
        ? investmentAccount.message
        : Object.keys(investmentAccount ?? {}).length,
    );
  const tooLong = (index: number) =>
    expect.stringContaining(`/accounts/${index}/investmentAccount is too long`) as string;

  it('may have 262,144 characters in total, but no more', () => {
    const half = numbers(maxLength / 2);
    expect(outcomes(numbers(maxLength), '{}')).toEqual([1, tooLong(1)]);
    expect(outcomes(half, 'null', half)).toEqual([1, 0, 1]);
  });

  it('are kept if another investmentAccount is a violation because it does not fit into 262,144 characters', () => {
    const long = numbers(maxLength + 1);
    expect(outcomes('{"a":1}', long, '{"b":2}')).toEqual([1, tooLong(1), 1]);
  });

  it('may have 262,144 characters in total without those that are violations for another reason', () => {
    const refused = numbers(maxLength - '1e200,'.length).replace('[', '[1e200,');
    const tooManyDigits = expect.stringContaining('too many digits') as string;
    expect(outcomes(refused, numbers(maxLength))).toEqual([tooManyDigits, 1]);
  });

  it('have a length that includes keys, commas and colons, but no white space', () => {
    const members = '{"a": 1, "\\u0062": [true, null], "c": "d"}';
    const compact = '{"a":1,"b":[true,null],"c":"d"}';
    const rest = maxLength - compact.length;
    expect(outcomes(members, numbers(rest))).toEqual([3, 1]);
    expect(outcomes(members, numbers(rest + 1))).toEqual([3, tooLong(1)]);
  });
});

describe('a repeated member of an investmentAccount', () => {
  const read = (investment: string) => accountsIn(textOf(investment))[0]?.investmentAccount;
  const bad = [
    ['1e100', '1e100'],
    ['an object with 1e100', '[{"b":1e100}]'],
    ['nested too deeply', `${'['.repeat(101)}${']'.repeat(101)}`],
  ];

  it.each(bad)('has its last value if an earlier one is %s', (_what, sent) => {
    expect(read(`{"a":${sent},"a":1,"c":2}`)).toEqual({ a: '1', c: '2' });
    expect(read(`{"a":{"b":${sent},"b":1}}`)).toEqual({ a: { b: '1' } });
  });

  it.each(bad)('is a violation if its last value is %s', (_what, sent) => {
    expect(read(`{"a":1,"a":${sent},"c":2}`)).toBeInstanceOf(GatewayError);
  });
});

const accountsIn = (text: string) => readProfile('PERSON', text).accounts as readonly Account[];

/** Generates JSON with any white space, escapes in keys, and repeated keys. */
const json = fc.letrec<{ value: string; object: string; list: string }>((tie) => {
  const gap = fc.constantFrom('', ' ', '\n\t');
  const names = [
    'a',
    'investmentAccount',
    'accounts',
    'investment\\u0041ccount',
    '}',
    '\\"',
    '\\\\',
  ];
  const key = fc.constantFrom(...names).map((name) => `"${name}"`);
  const member = fc.tuple(gap, key, gap, gap, tie('value'), gap).map((parts) => {
    const [before, name, between, behind, value, after] = parts;
    return `${before}${name}${between}:${behind}${value}${after}`;
  });
  const array = { maxLength: 3, depthIdentifier: 'json' };
  return {
    object: fc.array(member, array).map((members) => `{${members.join()}}`),
    list: fc.array(tie('value'), array).map((items) => `[${items.join(' , ')}]`),
    value: fc.oneof(
      { depthIdentifier: 'json', maxDepth: 4 },
      fc.constantFrom('1', '-0.5e3', 'true', 'null', '""', '"\\\\"', '"}\\"]"', '"é"'),
      tie('object'),
      tie('list'),
    ),
  };
});

// The expected objects come from lossless-json, because JSON.parse confuses escaped keys:
// https://github.com/nodejs/node/issues/63785.
it('investmentAccounts are found at any place that JSON allows', () =>
  fc.assert(
    fc.property(
      fc.array(fc.tuple(json.value, json.object, json.value), { maxLength: 3 }),
      json.value,
      (accounts, other) => {
        const items = accounts.map(
          ([before, investment, after]) =>
            `{"a": ${before}, "id": "${id}", "investmentAccount": 1, "investment\\u0041ccount": ${investment},"b":${after}}`,
        );
        const text = ` {"x":${other}, "accounts":[{}] ,"acc\\u006funts" : [${items.join()}]}`;
        const read = accountsIn(text);
        accounts.forEach(([, investment], index) => {
          expect(shown(read[index]?.investmentAccount)).toEqual(
            shown(
              parse(investment, null, {
                parseNumber: Number,
                onDuplicateKey: ({ newValue }) => newValue,
              }),
            ),
          );
        });
      },
    ),
    { numRuns: 1000, seed: 20_261_122 },
  ));

/** The value with all numbers as doubles, whether stored as numbers or as strings. */
function shown(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, one: unknown) =>
      typeof one === 'number' || (typeof one === 'string' && /^-?\d/.test(one)) ? Number(one) : one,
    ),
  );
}
