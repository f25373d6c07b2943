// The days of the statement in the example web app, as the list grows.
import { expect, test } from 'vitest';
import { createDayGrouping } from '../../../examples/web/src/statement/days.ts';
import { pt } from '../../../examples/web/src/text/pt.ts';
import { lineOf } from '../../support/statement-files.ts';

const timeZone = 'America/Sao_Paulo';
const lines = ['06-30T15', '06-30T03', '06-30T02', null, '06-29T15', '06-27T15', null].map(
  (instant, index) =>
    lineOf({ id: String(index), createdAt: instant && `2026-${instant}:00:00.000Z` }),
);

function groupOf(rows: typeof lines) {
  return createDayGrouping(pt, timeZone)(rows);
}

test('days are whole days in the time zone, and lines without a date are in a group of their own', () => {
  expect(groupOf(lines).map((day) => [day.name, day.lines.map(({ id }) => id)])).toEqual([
    ['terça-feira, 30 de junho de 2026', ['0', '1']],
    ['segunda-feira, 29 de junho de 2026', ['2', '4']],
    ['Sem data', ['3', '6']],
    ['sábado, 27 de junho de 2026', ['5']],
  ]);
});

test('the groups of a list that grows at its end or start, or shrinks, are those of the whole list', () => {
  const group = createDayGrouping(pt, timeZone);
  const states = [
    ...lines.map((_, index) => lines.slice(0, index)),
    lines,
    lines.slice(2),
    lines,
    [],
    lines,
  ];
  for (const state of states) expect(group(state)).toEqual(groupOf(state));
});

test('days that did not change keep their object while the list grows', () => {
  const group = createDayGrouping(pt, timeZone);
  const before = group(lines.slice(0, 5));
  const after = group(lines);
  expect(after[0]).toBe(before[0]);
  expect(after[2]).not.toBe(before[2]);
  expect(group(lines.slice(1))[1]).toBe(after[1]);
});
