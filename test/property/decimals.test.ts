// JSON numbers are returned over HTTP with all their digits, at any position and with any text around them. Numbers
// that are violations become null.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerWith, holderOf } from '../support/bank.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { holds } from '../support/properties.ts';
import { type Answer, query } from '../support/query.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

const digit = fc.integer({ min: 0, max: 9 }).map(String);
const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: digit, minLength, maxLength });
const noZero = fc.integer({ min: 1, max: 9 }).map(String);

/**
 * The digits before the decimal point: mostly as in amounts of money, sometimes more than a double can hold, and
 * sometimes hundreds of digits.
 */
const wholePart = fc.oneof(
  { weight: 2, arbitrary: fc.constant('0') },
  { weight: 4, arbitrary: fc.tuple(noZero, digits(0, 5)).map(join) },
  { weight: 2, arbitrary: fc.tuple(noZero, digits(15, 40)).map(join) },
  { weight: 1, arbitrary: fc.tuple(noZero, digits(90, 400)).map(join) },
);
const fractionPart = fc.oneof(
  { weight: 2, arbitrary: fc.constant('') },
  { weight: 4, arbitrary: digits(1, 3).map((text) => `.${text}`) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }).map((n) => `.${'0'.repeat(n)}`) },
  { weight: 1, arbitrary: digits(15, 200).map((text) => `.${text}`) },
);
const exponentPart = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('e', 'E'),
        fc.constantFrom('', '+', '-'),
        fc.constantFrom('', '0', '00'),
        fc.nat(120),
      )
      .map(join),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('e999', 'E-999', 'e99999999999999999999', 'e-99999999999999999999'),
  },
);
/** The text of any JSON number. */
const signed = fc
  .tuple(fc.constantFrom('', '', '', '-'), wholePart, fractionPart, exponentPart)
  .map(join);

function join(parts: readonly (string | number)[]): string {
  return parts.join('');
}

/** The expected text of a number; null if it is a violation (docs/exactness.md). */
function shownOf(text: string): string | null {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (exponent === undefined) return text;
  const scale = BigInt(fraction.length) - BigInt(exponent);
  const coefficient = BigInt(whole + fraction);
  // With such an exponent, the number has far more digits than the gateway writes, and would take too long to compute.
  if (scale > 1000n || (scale < -1000n && coefficient !== 0n)) return null;
  const shown =
    scale <= 0n
      ? coefficient * 10n ** (coefficient === 0n ? 0n : -scale)
      : pointed(coefficient, Number(scale));
  const written = shown.toString();
  return written.replace('.', '').length > 100 ? null : sign + written;
}

function pointed(coefficient: bigint, scale: number): string {
  const padded = coefficient.toString().padStart(scale + 1, '0');
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** Whether a number is zero, whatever its exponent. */
const isZero = (source: string) => !/[1-9]/.test(source.replace(/e.*/i, ''));

/** Whether a number is negative; -0 is not. The service does not document negative amounts. */
const isNegative = (source: string) => source.startsWith('-') && !isZero(source);

/** The amount, negative if credit is false; zero has no sign. */
function signedOf(shown: string | null, credit: boolean): string | null {
  if (shown === null) return null;
  if (isZero(shown)) return shown.replace('-', '');
  return credit ? shown : `-${shown}`;
}

/** White space that JSON allows between tokens. */
const gap = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 2 });

/** Strings that resemble the source of a number, or that might end the search for a number too early. */
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '"amount":1.50',
    '\\"amount\\": 1.50',
    '\\',
    '\\\\',
    '"',
    '\u007f1.50',
    '\u007f',
    'amount',
    '}, {"amount": 7',
    '\u0000',
    '__proto__',
  ),
);

/** A key of plain letters as JSON text, rarely with some letters escaped. */
const key = (name: string) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(`"${name}"`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(...Array.from(name, (letter) => fc.constantFrom(letter, escaped(letter))))
        .map((letters) => `"${join(letters)}"`),
    },
  );

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The text of an object with these fields, given as JSON text, in any order and with any white space. */
function objectText(fields: Readonly<Record<string, string>>): fc.Arbitrary<string> {
  const written = Object.entries(fields).map(([name, value]) =>
    fc.tuple(gap, key(name), gap, fc.constant(`:`), gap, fc.constant(value), gap).map(join),
  );
  return fc
    .tuple(
      fc.tuple(...written),
      fc.shuffledSubarray([...written.keys()], { minLength: written.length }),
    )
    .map(([parts, order]) => `{${order.map((index) => parts[index]).join(',')}}`);
}

/**
 * A JSON value: `source` is its text in the service's answer, and `shown` its expected text in the gateway's answer.
 * `shown` is null if the value contains a violation.
 */
interface Json {
  readonly source: string;
  readonly shown: string | null;
}

const numberJson = signed.map((source): Json => {
  const shown = shownOf(source);
  return { source, shown: shown === null ? null : JSON.stringify(shown) };
});

const same = (source: string): Json => ({ source, shown: source });

function listOf(items: readonly Json[]): Json {
  return {
    source: `[${items.map(({ source }) => source).join(',')}]`,
    shown: within('[', items, ']'),
  };
}

function objectOf(fields: readonly (readonly [string, Json])[]): Json {
  const named = fields.map(([name, { source, shown }]) => {
    const head = `${JSON.stringify(name)}:`;
    return { source: head + source, shown: shown === null ? null : head + shown };
  });
  return {
    source: `{${named.map(({ source }) => source).join(',')}}`,
    shown: within('{', named, '}'),
  };
}

function within(open: string, items: readonly Json[], close: string): string | null {
  return items.some(({ shown }) => shown === null)
    ? null
    : open + items.map(({ shown }) => shown).join(',') + close;
}

/** Without backslashes: in Node.js 24, such a name can make JSON.parse misread other names (nodejs/node#63785). */
const memberName = fc.oneof(
  text.map((name) => name.replaceAll('\\', '/')),
  fc.constantFrom('balance', 'amount', 'income'),
);

const { object: investment } = fc.letrec<{ json: Json; object: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: numberJson },
    { weight: 1, arbitrary: text.map((value) => same(JSON.stringify(value))) },
    { weight: 1, arbitrary: fc.constantFrom('null', 'true', 'false').map(same) },
    { weight: 1, arbitrary: fc.array(tie('json'), { maxLength: 3 }).map(listOf) },
    { weight: 1, arbitrary: tie('object') },
  ),
  object: fc
    .uniqueArray(fc.tuple(memberName, tie('json')), { maxLength: 3, selector: ([name]) => name })
    .map(objectOf),
}));

const statement = fc
  .array(fc.record({ amount: signed, credit: fc.boolean(), name: text }), {
    minLength: 1,
    maxLength: 20,
  })
  .chain((rows) => {
    const data = rows.map(({ amount, credit, name }, index) =>
      objectText({
        id: `"t${index}"`,
        amount,
        credit: String(credit),
        beneficiaryName: JSON.stringify(name),
        category: '"amount"',
        unknown: '{"amount": 1.50, "credit": [-0.0]}',
      }),
    );
    const pagination = `{"totalItems":${rows.length},"currentPage":0,"itemsPerPage":20}`;
    const body = fc
      .tuple(...data)
      .map((texts) => `{"data":[${texts.join(',')}],"pagination":${pagination}}`);
    return fc.record({ rows: fc.constant(rows), body });
  });

test('amounts keep their digits or are violations, and `credit` determines the sign of signedAmount', () =>
  holds(statement, async ({ rows, body }) => {
    const answer = await ask(
      body,
      'query Q($id: ID!) { transactions(accountId: $id) { nodes { amount signedAmount beneficiaryName } } }',
    );
    const expected = rows.map(({ amount, credit, name }) => {
      const shown = isNegative(amount) ? null : shownOf(amount);
      return { amount: shown, signedAmount: signedOf(shown, credit), beneficiaryName: name };
    });
    expect(answer.data).toEqual({ transactions: { nodes: expected } });
    const bad = expected.filter(({ amount }) => amount === null);
    expect(answer.errors ?? []).toHaveLength(2 * bad.length);
  }));

const profile = fc
  .record({
    income: signed,
    motherName: text,
    accounts: fc.array(fc.record({ balance: signed, investmentAccount: fc.option(investment) }), {
      minLength: 1,
      maxLength: 6,
    }),
  })
  .chain(({ accounts, ...individual }) => {
    const texts = accounts.map(({ balance, investmentAccount }, index) =>
      objectText({
        id: `"0b7d6a52-3c1e-4f0a-8b9d-7e6c5d4f3a2${index}"`,
        balance,
        investmentAccount: investmentAccount?.source ?? 'null',
      }),
    );
    const { income, motherName } = individual;
    const own = objectText({ id: '"i"', income, motherName: JSON.stringify(motherName) });
    const body = fc
      .tuple(own, ...texts)
      .map(
        ([one, ...all]) =>
          `{"person":{"id":"p"},"individual":${one},"accounts":[${all.join(',')}]}`,
      );
    return fc.record({
      individual: fc.constant(individual),
      accounts: fc.constant(accounts),
      body,
    });
  });

test('income, balances and all numbers of an investmentAccount keep their digits or are violations', () =>
  holds(profile, async ({ individual, accounts, body }) => {
    const answer = await ask(
      body,
      '{ me { ... on Person { individual { income motherName } } } accounts { balance investmentAccount } }',
    );
    const income = shownOf(individual.income);
    expect(answer.data?.['me']).toEqual({ individual: { ...individual, income } });
    const expected = accounts.map(({ balance, investmentAccount }) => ({
      balance: shownOf(balance),
      investmentAccount: JSON.parse(investmentAccount?.shown ?? 'null') as unknown,
    }));
    expect(isDeepStrictEqual(answer.data?.['accounts'], expected), `${body} ${answer.text}`).toBe(
      true,
    );
    const bad = [
      income,
      ...accounts.flatMap(({ balance, investmentAccount }) => [
        shownOf(balance),
        investmentAccount === null ? '' : investmentAccount.shown,
      ]),
    ].filter((shown) => shown === null);
    expect(answer.errors ?? []).toHaveLength(bad.length);
  }));

/** Makes the service answer with this body, and sends a query. */
function ask(body: string, document: string): Promise<Answer> {
  const { bank } = gateway;
  bank.clearFaults();
  bank.resetCalls();
  answerWith(bank, {}, body);
  const [id] = holderOf(bank, 'PERSON').accounts;
  return query(gateway, document, document.includes('$id') ? { variables: { id } } : {});
}
