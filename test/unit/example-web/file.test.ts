// The summary of an export of the example web app: which transactions are in the file and in its sums.
import { expect, test } from 'vitest';
import { zoneOf } from '../../../examples/web/src/dates.ts';
import {
  createFile,
  type ExportFormat,
  type ExportedFile,
} from '../../../examples/web/src/export/file.ts';
import { always } from '../../../examples/web/src/statement/period.ts';
import { pt } from '../../../examples/web/src/text/pt.ts';
import { lineOf } from '../../support/statement-files.ts';

const lines = [
  lineOf({ signedAmount: '-22.00' }),
  lineOf({ signedAmount: null }),
  lineOf({ signedAmount: null, status: 'CANCELED' }),
  lineOf({ signedAmount: '5.50' }),
  lineOf({ signedAmount: '-100.00', status: 'CANCELED' }),
  lineOf({ signedAmount: '-7.00', status: 'ERROR' }),
  lineOf({ signedAmount: '-3.10', status: 'PROCESSING' }),
  lineOf({ signedAmount: '2.00', status: null }),
];

function fileAs(format: ExportFormat): ExportedFile {
  return createFile({
    account: { id: '1', bank: null, agency: null, number: null },
    period: always,
    timeZone: zoneOf('SP'),
    format,
    text: pt,
    lines,
    unreadable: 0,
    balance: '0.00',
  });
}

test('a CSV file has the transactions without an amount, which are counted because they are in no sum', () => {
  expect(fileAs('csv')).toMatchObject({ count: 8, withoutAmount: 2, leftOut: 0 });
});

test('an OFX file leaves out the transactions without an amount', () => {
  expect(fileAs('ofx')).toMatchObject({ count: 2, withoutAmount: 0, leftOut: 6 });
});

test('the sum of each status is separate, because only completed transactions moved money', () => {
  expect(fileAs('csv').sums).toEqual([
    { status: 'DONE', sum: '-16.50' },
    { status: 'PROCESSING', sum: '-3.10' },
    { status: 'CANCELED', sum: '-100.00' },
    { status: 'ERROR', sum: '-7.00' },
    { status: 'UNKNOWN', sum: '2.00' },
  ]);
  expect(fileAs('ofx').sums).toEqual([{ status: 'DONE', sum: '-16.50' }]);
});
