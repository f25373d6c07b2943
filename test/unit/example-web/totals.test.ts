// The totals of a period in the example web app.
import { expect, test } from 'vitest';
import { totalsOf } from '../../../examples/web/src/statement/totals.ts';
import { lineOf } from '../../support/statement-files.ts';

test('what came in and went out is added up exactly and by status, and what has no amount or direction is counted', () => {
  const lines = [
    lineOf({ credit: true, signedAmount: '12345678901234567.89' }),
    lineOf({ credit: true, signedAmount: '0.01' }),
    lineOf({ signedAmount: '-22.00' }),
    lineOf({ signedAmount: '0.00' }),
    lineOf({ status: 'CANCELED', signedAmount: '-1000.00' }),
    lineOf({ status: null, credit: true, signedAmount: '5.5' }),
    lineOf({ amount: null, signedAmount: null }),
    lineOf({ credit: null, signedAmount: null }),
  ];
  expect(totalsOf(lines)).toEqual({
    totals: [
      { status: 'DONE', cameIn: '12345678901234567.90', wentOut: '-22.00' },
      { status: 'CANCELED', cameIn: '0', wentOut: '-1000.00' },
      { status: 'UNKNOWN', cameIn: '5.5', wentOut: '0' },
    ],
    leftOut: 2,
  });
});

test('without transactions nothing came in and nothing went out', () => {
  expect(totalsOf([])).toEqual({
    totals: [{ status: 'DONE', cameIn: '0', wentOut: '0' }],
    leftOut: 0,
  });
});
