// Periods of the example web app, and the days to request for a period from a service with any interpretation of dates.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { zoneOf } from '../../../examples/web/src/dates.ts';
import {
  always,
  askedFor,
  type Period,
  recentMonths,
  createSelection,
} from '../../../examples/web/src/statement/period.ts';
import { holds } from '../../support/properties.ts';

const june: Period = { from: '2026-06-01', to: '2026-06-30' };
const isWithin = (createdAt: string, period: Period, timeZone: string) =>
  createSelection(period, timeZone)([{ createdAt }]).rows.length === 1;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe('a period', () => {
  test.each([
    ['2026-06-01T02:59:59.999Z', false],
    ['2026-06-01T03:00:00.000Z', true],
    ['2026-07-01T02:59:59.999Z', true],
    ['2026-07-01T03:00:00.000Z', false],
  ])('consists of whole days in Brasília (is %s in June? %s)', (createdAt, isIn) => {
    expect(isWithin(createdAt, june, zoneOf('SP'))).toBe(isIn);
  });

  const dated = { createdAt: '2026-06-10T12:00:00Z' };
  const rows = [dated, { createdAt: null }, { createdAt: '2026-07-10T12:00:00Z' }];

  test('without bounds contains every transaction, even one without a date', () => {
    expect(createSelection(always, zoneOf('SP'))(rows)).toEqual({ rows, undated: 0 });
  });

  test.each([june, { from: '2026-06-01', to: null }, { from: null, to: '2026-06-30' }])(
    'with a bound counts the transactions without a date (%j)',
    (period) => {
      const { rows: found, undated } = createSelection(period, zoneOf('SP'))(rows);
      expect(found).toContain(dated);
      expect(undated).toBe(1);
    },
  );

  test('may have a bound on one side only', () => {
    expect(isWithin('2026-07-05T12:00:00Z', { from: '2026-07-05', to: null }, zoneOf('SP'))).toBe(
      true,
    );
    expect(isWithin('2026-07-05T12:00:00Z', { from: null, to: '2026-07-04' }, zoneOf('SP'))).toBe(
      false,
    );
    expect(askedFor({ from: null, to: '2026-02-28' })).toEqual({ from: null, to: '2026-03-02' });
  });

  test('can be a recent month, even one of the previous year', () => {
    expect(recentMonths('2026-01-15', 2)).toEqual([
      { from: '2026-01-01', to: '2026-01-31' },
      { from: '2025-12-01', to: '2025-12-31' },
    ]);
  });
});

test('the requested days cover the period in any time zone of the service, with inclusive or exclusive bounds', async () => {
  const days = fc.tuple(fc.nat(400), fc.nat(60)).map(([start, length]) => ({
    from: new Date(Date.UTC(2026, 0, 1 + start)).toISOString().slice(0, 10),
    to: new Date(Date.UTC(2026, 0, 1 + start + length)).toISOString().slice(0, 10),
  }));
  const service = fc.record({
    offsetHours: fc.integer({ min: -12, max: 14 }),
    startIsInclusive: fc.boolean(),
    endIsInclusive: fc.boolean(),
  });
  const state = fc.constantFrom('SP', 'AM', 'AC');
  // Only instants near a bound are tested, because every interpretation includes the middle of a period.
  const hours = fc.integer({ min: -30, max: 54 });
  const isAtEnd = fc.boolean();
  const cases = fc.tuple(days, service, state, hours, isAtEnd);
  await holds(cases, ([period, reading, uf, aside, atEnd]) => {
    const instantMs = Date.parse(atEnd ? period.to : period.from) + aside * hourMs;
    const createdAt = new Date(instantMs).toISOString();
    if (isWithin(createdAt, period, zoneOf(uf))) {
      expect(isAnswered(instantMs, askedFor(period), reading)).toBe(true);
    }
    return Promise.resolve();
  });
});

interface Reading {
  readonly offsetHours: number;
  readonly startIsInclusive: boolean;
  readonly endIsInclusive: boolean;
}

/** Whether a service with this interpretation of dates returns a transaction of this instant for these days. */
function isAnswered(instantMs: number, { from, to }: Period, reading: Reading): boolean {
  const startOf = (day: string | null) => Date.parse(day ?? '') - reading.offsetHours * hourMs;
  const startMs = startOf(from) + (reading.startIsInclusive ? 0 : dayMs);
  const endMs = startOf(to) + (reading.endIsInclusive ? dayMs : 0);
  return instantMs >= startMs && instantMs < endMs;
}
