// OFX 1.0.2 files of the example web app: structure, period and balance, which transactions are included, and how they
// are written.
import { describe, expect, test } from 'vitest';
import { zoneOf } from '../../../examples/web/src/dates.ts';
import { isPosted, type OfxStatement, writeOfx } from '../../../examples/web/src/export/ofx.ts';
import { elementsAt, lineOf, type OfxElement, readOfx } from '../../support/statement-files.ts';

const statement: OfxStatement = {
  account: {
    id: '79a4d1f3-49b2-4af8-b12d-1227cd0ebb86',
    bank: '341',
    agency: '0001',
    number: '884621',
  },
  lines: [lineOf()],
  period: { from: '2026-06-01', to: '2026-06-30' },
  timeZone: zoneOf('SP'),
  balance: '1523.40',
  balanceAt: new Date('2026-07-01T01:30:00.000Z'),
  language: 'POR',
};

const inStatement = ['BANKMSGSRSV1', 'STMTTRNRS', 'STMTRS'] as const;

function statementIn(given: Partial<OfxStatement> = {}): OfxElement {
  const { root } = readOfx(writeOfx({ ...statement, ...given }));
  const [found] = elementsAt(root, ...inStatement);
  if (found === undefined) throw new Error('no STMTRS');
  return found;
}

function transactionIn(line: Parameters<typeof lineOf>[0]): Record<string, string> {
  const [found] = elementsAt(statementIn({ lines: [lineOf(line)] }), 'BANKTRANLIST', 'STMTTRN');
  return valuesOf(found);
}

function valuesOf(element: OfxElement | undefined): Record<string, string> {
  return Object.fromEntries(element?.children.map(({ name, text }) => [name, text]) ?? []);
}

test('the OFX file has the required headers, and its elements are in the order of the DTD', () => {
  const { headers, root } = readOfx(writeOfx(statement));
  expect(Object.fromEntries(headers)).toEqual({
    OFXHEADER: '100',
    DATA: 'OFXSGML',
    VERSION: '102',
    SECURITY: 'NONE',
    ENCODING: 'USASCII',
    CHARSET: '1252',
    COMPRESSION: 'NONE',
    OLDFILEUID: 'NONE',
    NEWFILEUID: 'NONE',
  });
  expect(outlineOf(root)).toBe(
    'OFX(SIGNONMSGSRSV1(SONRS(STATUS(CODE SEVERITY) DTSERVER LANGUAGE)) ' +
      'BANKMSGSRSV1(STMTTRNRS(TRNUID STATUS(CODE SEVERITY) STMTRS(CURDEF ' +
      'BANKACCTFROM(BANKID BRANCHID ACCTID ACCTTYPE) ' +
      'BANKTRANLIST(DTSTART DTEND STMTTRN(TRNTYPE DTPOSTED TRNAMT FITID NAME MEMO)) ' +
      'LEDGERBAL(BALAMT DTASOF)))))',
  );
});

function outlineOf({ name, children }: OfxElement): string {
  return children.length === 0 ? name : `${name}(${children.map(outlineOf).join(' ')})`;
}

test('the OFX file has the account, period and balance of the statement', () => {
  const found = statementIn();
  expect(valuesOf(elementsAt(found, 'BANKACCTFROM')[0])).toEqual({
    BANKID: '341',
    BRANCHID: '0001',
    ACCTID: '884621',
    ACCTTYPE: 'CHECKING',
  });
  expect(valuesOf(elementsAt(found, 'LEDGERBAL')[0])).toEqual({
    BALAMT: '1523.40',
    DTASOF: '20260630223000[-3:BRT]',
  });
  expect(valuesOf(elementsAt(found, 'BANKTRANLIST')[0])).toMatchObject({
    DTSTART: '20260601000000[-3:BRT]',
    DTEND: '20260630235959[-3:BRT]',
  });
});

test.each([
  ['AC', '2026-06-01', '20260601000000[-5:ACT]'],
  ['SP', '2018-12-01', '20181201000000[-2:BRST]'],
  ['SP', '1900-01-01', '19000101000000[-3:BRT]'],
])('a period in %s from %s on has the offset of that day', (state, from, start) => {
  const found = statementIn({ period: { from, to: null }, timeZone: zoneOf(state) });
  expect(valuesOf(elementsAt(found, 'BANKTRANLIST')[0])['DTSTART']).toBe(start);
});

test('the OFX file without a period covers the time from the oldest transaction to the balance; a file may have no transactions', () => {
  const lines = [lineOf(), lineOf({ createdAt: '2026-01-02T12:00:00.000Z' })];
  const found = statementIn({ period: { from: null, to: null }, lines });
  expect(valuesOf(elementsAt(found, 'BANKTRANLIST')[0])).toMatchObject({
    DTSTART: '20260102090000[-3:BRT]',
    DTEND: '20260630223000[-3:BRT]',
  });
  expect(elementsAt(statementIn({ lines: [] }), 'BANKTRANLIST', 'STMTTRN')).toEqual([]);
});

describe('a transaction in an OFX file', () => {
  test('is dated in the holder’s time zone and keeps every digit of its amount', () => {
    const line = { createdAt: '2026-07-01T02:59:59.000Z', signedAmount: '-12345678901234567.890' };
    expect(transactionIn(line)).toEqual({
      TRNTYPE: 'DEBIT',
      DTPOSTED: '20260630235959[-3:BRT]',
      TRNAMT: '-12345678901234567.890',
      FITID: '00000000-0000-4000-8000-000000000001',
      NAME: 'João Pedro Almeida',
      MEMO: 'Pix enviado - João Pedro Almeida',
    });
  });

  test('has the type CREDIT for an inflow and FEE for a fee', () => {
    expect(transactionIn({ credit: true, signedAmount: '5.00' })['TRNTYPE']).toBe('CREDIT');
    expect(transactionIn({ signedAmount: '0.00' })['TRNTYPE']).toBe('DEBIT');
    expect(transactionIn({ type: 'FEE', signedAmount: '-0.99' })['TRNTYPE']).toBe('FEE');
  });

  test('has a name of at most 32 characters, and the whole name in the memo', () => {
    const name = 'Sandbox Instituição de Pagamento S.A.';
    const found = transactionIn({ beneficiaryName: name });
    expect(found['NAME']).toBe('Sandbox Instituição de Pagamento');
    expect(found['MEMO']).toContain(name);
  });

  test.each([
    ['A & B <C>', 'A & B <C>'],
    ['a\r\n</NAME><TRNAMT>9', 'a </NAME><TRNAMT>9'],
    ['Řeź ≤ 日本 Ł', 'Rez ? ?? ?'],
    ['‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ €5', '‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ €5'],
  ])('with the beneficiary %j has the name %j', (given, read) => {
    expect(transactionIn({ beneficiaryName: given })['NAME']).toBe(read);
  });

  test.each([
    [{}, true],
    [{ status: 'PROCESSING' as const }, false],
    [{ status: 'CANCELED' as const }, false],
    [{ status: 'ERROR' as const }, false],
    [{ status: null }, false],
    [{ signedAmount: null }, false],
    [{ createdAt: null }, false],
  ])('is included only if it is done and has an amount and a date (%j: %s)', (given, belongs) => {
    expect(isPosted(lineOf(given))).toBe(belongs);
  });
});
