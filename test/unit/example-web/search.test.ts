// Search in the loaded transactions of the example web app.
import { expect, test } from 'vitest';
import { zoneOf } from '../../../examples/web/src/dates.ts';
import { createSearch } from '../../../examples/web/src/statement/search.ts';
import { pt } from '../../../examples/web/src/text/pt.ts';
import { lineOf } from '../../support/statement-files.ts';

const lines = [
  lineOf({ id: 'pix', signedAmount: '-1522.00' }),
  lineOf({
    id: 'water',
    category: 'Transferência enviada',
    beneficiaryName: 'Água & Saneamento Paulista S.A.',
    status: 'CANCELED',
    createdAt: '2026-06-01T02:00:00.000Z',
  }),
  lineOf({
    id: 'empty',
    category: null,
    beneficiaryName: null,
    signedAmount: null,
    createdAt: null,
  }),
];

test.each([
  ['', ['pix', 'water', 'empty']],
  ['  ', ['pix', 'water', 'empty']],
  ['agua', ['water']],
  ['TRANSFERENCIA água', ['water']],
  ['paulista pix enviado', []],
  ['cancelada', ['water']],
  ['1.522,00', ['pix']],
  ['1522.00', ['pix']],
  ['31/05/2026', ['water']],
  ['2026-06-30', ['pix']],
])('a search for %j finds %j', (query, ids) => {
  expect(createSearch(pt, zoneOf('SP'))(lines, query).map(({ id }) => id)).toEqual(ids);
});
