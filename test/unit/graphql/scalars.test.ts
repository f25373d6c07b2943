// Each scalar: the arguments that it accepts, and the values that it writes.
import {
  buildSchema,
  execute,
  getNamedType,
  type GraphQLScalarType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { scalars } from '../../../src/graphql/resolvers/scalars.ts';
import { createSchema } from '../../../src/graphql/schema.ts';

const { Date: date, DateTime: dateTime, Decimal: decimal, JSONObject: jsonObject } = scalars;
const refusal = 'A Date must be a calendar day in the format yyyy-MM-dd, such as "2026-01-31".';

describe('Date as an argument', () => {
  test.each(['2026-01-31', '2024-02-29', '2000-02-29', '1999-12-31', '0001-01-01', '9999-12-31'])(
    'accepts the day %s unchanged',
    (day) => {
      expect(date.parseValue(day)).toBe(day);
    },
  );

  test.each([
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-00-10',
    '2026-13-01',
    '2026-01-00',
    '2026-01-32',
    '2026-1-31',
    '26-01-31',
    '+002026-01-31',
    '2026/01/31',
    '31-01-2026',
    '20260131',
    '2026-W05-6',
    '2026-01',
    '2026-01-31T00:00:00Z',
    '2026-01-31Z',
    ' 2026-01-31',
    '2026-01-31\n',
    '٢٠٢٦-٠١-٣١',
    '',
    'today',
  ])('rejects %j', (text) => {
    expect(() => date.parseValue(text)).toThrow(new TypeError(refusal));
  });

  test.each([20260131, 0, true, ['2026-01-31'], { day: '2026-01-31' }, new Date(0)])(
    'rejects %j, which is not a string',
    (value) => {
      expect(() => date.parseValue(value)).toThrow(new TypeError(refusal));
    },
  );

  const schema = buildSchema('scalar Date type Query { on(day: Date): Date }');
  Object.assign(schema.getType('Date') as GraphQLScalarType, {
    parseValue: date.parseValue,
    parseLiteral: date.parseLiteral,
    serialize: date.serialize,
  });
  const rootValue = { on: ({ day }: { day?: string | null }) => day };

  test('reports an invalid literal with its place in the document', () => {
    const [error] = validate(schema, parse('{ on(day: "2026-02-30") }'));
    expect(error?.message).toBe(`Expected value of type "Date", found "2026-02-30"; ${refusal}`);
    expect(error?.locations).toEqual([{ line: 1, column: 11 }]);
  });

  test('reports an invalid variable', async () => {
    const document = parse('query ($day: Date) { on(day: $day) }');
    const variableValues = { day: '2026-02-30' };
    const { errors } = await execute({ schema, document, rootValue, variableValues });
    expect(errors?.[0]?.message).toBe(
      `Variable "$day" got invalid value "2026-02-30"; Expected type "Date". ${refusal}`,
    );
  });

  test.each(['{ on(day: "2026-01-31") }', 'query ($day: Date = "2026-01-31") { on(day: $day) }'])(
    'reaches the resolver as a string: %s',
    async (source) => {
      const { data } = await execute({ schema, document: parse(source), rootValue });
      expect(data).toEqual({ on: '2026-01-31' });
    },
  );
});

test('no argument or input field of the schema has another scalar of this gateway than Date', () => {
  const types = Object.values(createSchema().getTypeMap());
  const inputs = types.flatMap((type) => {
    if (isInputObjectType(type)) return Object.values(type.getFields());
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.values(type.getFields()).flatMap(({ args }) => args);
  });
  const used = new Set(inputs.map(({ type }) => getNamedType(type).name));
  expect([...used].filter((name) => name in scalars)).toEqual(['Date']);
});

describe('in an answer', () => {
  test.each([
    [date, '1988-04-17'],
    [dateTime, '2026-01-31T12:34:56.789Z'],
    [dateTime, '2026-01-31T12:34:56.123456-03:00'],
    [decimal, '1523.40'],
    [decimal, '12345678901234567.89'],
    [decimal, '-0.00'],
  ])('%s writes %j unchanged', (scalar, text) => {
    expect(scalar.serialize(text)).toBe(text);
  });

  test.each([date, dateTime, decimal])('%s rejects values that are not strings', (scalar) => {
    for (const value of [1523.4, 42n, true, new Date(0), {}, ['1'], undefined]) {
      expect(() => scalar.serialize(value)).toThrow(`${scalar.name} is not a string`);
    }
  });

  test('JSONObject writes an object unchanged, even one without a prototype', () => {
    const bare = Object.assign(Object.create(null) as object, { yield: '0.1250', tags: [null] });
    expect(jsonObject.serialize(bare)).toBe(bare);
  });

  test.each(['text', 42, true, ['list'], null, undefined])('JSONObject rejects %j', (value) => {
    expect(() => jsonObject.serialize(value)).toThrow('A JSONObject must be an object.');
  });
});
