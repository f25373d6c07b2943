// A page: every field is read as documented. A wrong value in a row affects its field or its row; wrong totals affect
// the page.
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { NO_KEY } from '../../../src/upstream/shape/shapes.ts';
import { hashOf } from '../../../src/json/text-hash.ts';
import {
  type StatementRow,
  type Transaction,
  transactionFields,
} from '../../../src/upstream/shape/shapes.ts';
import { readPage } from '../../support/service-answers.ts';
import { expectViolation, json, without } from './answer-parts.ts';

const row = {
  id: '0B1F7C1E-53a5-4f4e-8d9b-2f0d7a4b1c11',
  amount: '§12.50§',
  status: 'DONE',
  externalStatus: 'PROCESSING',
  category: 'Transferência enviada',
  beneficiaryName: 'Zoé',
  type: 'TED',
  credit: false,
  createdAt: '2024-05-01T10:00:00.250Z',
};
const pagination = { totalItems: 38, currentPage: 0, itemsPerPage: 20, totalPages: 2 };

function parseRow(sent: unknown): StatementRow {
  const page = readPage(json({ data: [row, sent], pagination }));
  expect(page.rows[0]?.node).toMatchObject({ amount: '12.50' });
  return page.rows[1] as StatementRow;
}

function parseTransaction(changes: object): Transaction {
  const { node } = parseRow({ ...row, ...changes });
  expect(node).not.toBeInstanceOf(GatewayError);
  return node as Transaction;
}

const thrownBy = (text: string): unknown => {
  try {
    return readPage(text);
  } catch (error) {
    return error;
  }
};

describe('a row', () => {
  it('has every field, with numbers as decimals, and a signedAmount', () => {
    expect(parseRow(row)).toMatchObject({
      key: hashOf(row.id),
      createdAtMs: Date.parse(row.createdAt),
      node: { ...row, amount: '12.50', signedAmount: '-12.50' },
    });
  });

  it('is read with null for each field that is missing or null', () => {
    const names = [...Object.keys(transactionFields), 'signedAmount'];
    const blank = Object.fromEntries(names.map((name) => [name, null]));
    const expected = {
      ...{ key: hashOf('a'), createdAtMs: null },
      node: { ...blank, id: 'a' },
    };
    expect(parseRow({ id: 'a' })).toEqual(expected);
    expect(parseRow({ ...blank, id: 'a' })).toEqual(expected);
  });

  const wrong = { text: [42, true, {}, []], flag: [1, 'true', {}, []] };
  const number: unknown[] = ['12.50', true, {}, [], '§-0.01§', '§1e100§'];
  it.each([
    ...['status', 'externalStatus', 'category', 'beneficiaryName', 'type', 'createdAt'].flatMap(
      (key) => wrong.text.map((value) => [key, value] as const),
    ),
    ...wrong.flag.map((value) => ['credit', value] as const),
    ...number.map((value) => ['amount', value] as const),
    ...['done', 'REFUNDED', ''].map((value) => ['status', value] as const),
    ...['2024-05-01', '2024-02-30T00:00:00Z'].map((value) => ['createdAt', value] as const),
  ] as const)('has a violation only at %s if its value is %j', (key, value) => {
    const node = parseTransaction({ [key]: value });
    expectViolation(node[key as keyof Transaction], `/data/1/${key} `);
    const expected = { ...row, amount: '12.50' };
    expect(node).toMatchObject(without(expected, key));
  });

  it.each([undefined, null, 42, '', {}, '\ud800'])(
    'is a violation but keeps its place if its id is %j',
    (id) => {
      const parsed = parseRow({ ...row, id });
      expect(parsed.key).toBe(NO_KEY);
      expect(parsed.createdAtMs).toBe(Date.parse(row.createdAt));
      expectViolation(parsed.node, '/data/1/id ');
    },
  );

  it.each([null, 'x', 7, [], '§1.5§'])('is a violation as a whole if it is %j', (sent) => {
    const parsed = parseRow(sent);
    expect(parsed).toMatchObject({ key: NO_KEY, createdAtMs: null });
    expectViolation(parsed.node, '/data/1 ');
  });

  it.each([
    ['12.50', true, '12.50', '12.50'],
    ['12.50', false, '12.50', '-12.50'],
    ['0.00', false, '0.00', '0.00'],
    ['0', false, '0', '0'],
    ['-0.00', false, '-0.00', '0.00'],
    ['-0.00', true, '-0.00', '0.00'],
    ['1.5e3', false, '1500', '-1500'],
    ['12345678901234567.89', false, '12345678901234567.89', '-12345678901234567.89'],
    [null, false, null, null],
    ['1.0', null, '1.0', null],
  ])(
    'with amount %s and credit %s has the amount %s and the signedAmount %s',
    (amount, credit, shown, signed) => {
      const sent = amount === null ? null : `§${amount}§`;
      expect(parseTransaction({ amount: sent, credit })).toMatchObject({
        amount: shown,
        signedAmount: signed,
      });
    },
  );

  it('has a violation as signedAmount if one of amount and credit is a violation and the other is not null', () => {
    const badAmount = parseTransaction({ amount: 'x' });
    expect(badAmount.signedAmount).toBe(badAmount.amount);
    const badCredit = parseTransaction({ credit: 1 });
    expect(badCredit.signedAmount).toBe(badCredit.credit);
    expect(parseTransaction({ amount: 'x', credit: null }).signedAmount).toBeNull();
    expect(parseTransaction({ amount: null, credit: 1 }).signedAmount).toBeNull();
  });

  it('with a wrong value has an error message that does not quote the value', () => {
    const { category } = parseTransaction({ category: { secret: 'Zoé' } });
    expect((category as GatewayError).message).not.toMatch(/secret|Zoé/);
  });

  it('is read even if a key is escaped or a string contains the character DEL', () => {
    const text = json({ data: [{ ...row, beneficiaryName: '\x7f1', category: 'a' }], pagination });
    for (const spelled of [text, text.replace('"amount"', String.raw`"\u0061mount"`)]) {
      const page = readPage(spelled);
      expect(page.totalItems).toBe(38);
      expect(page.rows[0]?.node).toMatchObject({ amount: '12.50', beneficiaryName: '\x7f1' });
    }
  });
});

describe('a page', () => {
  it('has its totals and the order of its rows as sent', () => {
    const data = ['a', 'b', 'c'].map((id) => ({ ...row, id }));
    const { rows, ...totals } = readPage(json({ data, pagination }));
    expect(totals).toEqual(pagination);
    expect(rows.map(({ key }) => key)).toEqual(['a', 'b', 'c'].map(hashOf));
  });

  it.each([{ data: [] }, { data: null }, {}])('may have no rows: %j', (data) => {
    expect(readPage(json({ ...data, pagination })).rows).toEqual([]);
  });

  it.each([
    ['', 'not JSON'],
    ['<html></html>', 'not JSON'],
    ['{"data":[', 'not JSON'],
    ['\ufeff{}', 'not JSON'],
    ['null', 'the body'],
    ['[]', 'the body'],
    ['"x"', 'the body'],
    ['{}', '/pagination '],
    [json({ data: {}, pagination }), '/data '],
    [json({ data: [] }), '/pagination '],
    [json({ data: [], pagination: null }), '/pagination '],
    [json({ data: [], pagination: [] }), '/pagination '],
  ])("is a violation if its text is '%s'", (text, where) => {
    expectViolation(thrownBy(text), where);
  });

  const noCounts = [undefined, null, '2O', '-1', -1, 1.5, true, 2 ** 53, '§1e400§'];

  it.each(noCounts)('is a violation if totalItems is %j', (totalItems) => {
    const changed = { ...pagination, totalItems };
    expectViolation(thrownBy(json({ data: [], pagination: changed })), '/pagination/totalItems ');
  });

  it.each(
    ['currentPage', 'itemsPerPage', 'totalPages'].flatMap((key) =>
      noCounts.map((value) => [key, value] as const),
    ),
  )('has null as %s if it is %j', (key, value) => {
    const changed = { ...pagination, [key]: value };
    expect(readPage(json({ data: [], pagination: changed }))).toMatchObject({ [key]: null });
  });

  const withTotal = (total: string) =>
    json({ data: [], pagination }).replace('"totalItems":38', `"totalItems":${total}`);

  it.each(['0.99999999999999999999', '2147483646.99999999999', '1e-400', '-1e-400', '5e-1'])(
    'is a violation if totalItems is %s, which is not rounded',
    (total) => expectViolation(thrownBy(withTotal(total)), '/pagination/totalItems '),
  );

  it.each([
    ['20.000', 20],
    ['2e1', 20],
    ['200E-1', 20],
    ['0.2e2', 20],
    ['-0', -0],
    ['2147483647', 2_147_483_647],
    ['"20"', 20],
  ])('is read if totalItems is %s', (total, expected) => {
    expect(readPage(withTotal(total)).totalItems).toBe(expected);
  });

  it('is read or rejected even if values are nested a million levels deep', () => {
    const bomb = '['.repeat(1e6) + ']'.repeat(1e6);
    expectViolation(thrownBy(bomb), 'the body');
    expectViolation(thrownBy('['.repeat(4e6)), 'the body is not JSON');
    expectViolation(thrownBy(`{"x":"\x7f","data":${bomb}}`), '/pagination ');
    const ignored = readPage(`{"x":${bomb},${json({ data: [row], pagination }).slice(1)}`);
    expect(ignored.rows).toHaveLength(1);
  });
});

it('a page with too many rows is a violation', () => {
  const page = (rows: number) => json({ data: Array<null>(rows).fill(null), pagination });
  expect(readPage(page(5000)).rows).toHaveLength(5000);
  expectViolation(thrownBy(page(5001)), '/data has more than 5000 items');
});

it('a page with too many wrong values is a violation', () => {
  const row = { id: 'a', amount: 'x', status: 1, category: 1, type: 1 };
  const page = (rows: number) => json({ data: Array(rows).fill(row), pagination });
  expect(readPage(page(2500)).rows).toHaveLength(2500);
  expectViolation(thrownBy(page(2501)), '/data has more than 10000 wrong values');
});
