// How the doctor finds out a service's time zone, and whether startDate and endDate are inclusive.
import { expect, test } from 'vitest';
import type { Finding } from '../../../doctor/finding.ts';
import type { PageAsk, Statement } from '../../../doctor/pages.ts';
import { examineDates, examineEmptyPeriod } from '../../../doctor/questions/dates.ts';
import { pageOf, replyOf, statementOf as serving } from './pages.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const bounds = ['inclusive', 'exclusive'] as const;
type Bound = (typeof bounds)[number];

interface Service {
  readonly zone: 'UTC' | 'UTC-3';
  readonly start: Bound;
  readonly end: Bound;
}

const services = (['UTC', 'UTC-3'] as const).flatMap((zone) =>
  bounds.flatMap((start) => bounds.map((end) => ({ zone, start, end }))),
);

/** Instants at intervals of `gapMs`, newest first. The newest is at 22:30 UTC. */
function timesOf(count: number, gapMs: number): number[] {
  const newestMs = Date.parse('2026-06-30T22:30:00Z');
  return Array.from({ length: count }, (_, index) => newestMs - index * gapMs);
}

/** A statement in pages of 20, from a service that interprets dates in the given way. */
function statementOf(times: readonly number[], { zone, start, end }: Service): Statement {
  const dayStartMs = (date: string) => Date.parse(date) + (zone === 'UTC' ? 0 : 3 * hourMs);
  const matching = ({ startDate, endDate }: PageAsk) => {
    const fromMs =
      startDate === undefined ? 0 : dayStartMs(startDate) + (start === 'inclusive' ? 0 : dayMs);
    const untilMs =
      endDate === undefined ? Infinity : dayStartMs(endDate) + (end === 'inclusive' ? dayMs : 0);
    return times.filter((time) => time >= fromMs && time < untilMs);
  };
  return serving((ask) => {
    const all = matching(ask);
    const start = (ask.page ?? 0) * 20;
    const rows = all
      .slice(start, start + 20)
      .map((createdAtMs) => ({ key: createdAtMs, createdAtMs, content: '' }));
    return pageOf(rows, { totalItems: all.length });
  });
}

const outcomesOf = (findings: readonly Finding[]) => findings.map(({ outcome }) => outcome);

/** The outcomes for a service whose time zone is, or is not, shown by the rows. */
function expectedFor({ zone, start, end }: Service, isShown: boolean) {
  const ofZone = zone === 'UTC' ? 'expected' : 'notice';
  return [
    start === 'inclusive' ? 'expected' : 'notice',
    end === 'inclusive' ? 'expected' : 'setting',
    isShown ? ofZone : 'unknown',
  ];
}

test.each(services)(
  'examineDates finds the time zone $zone and the bounds $start and $end if there are rows at every hour of the day',
  async (service) => {
    const statement = statementOf(timesOf(300, 5 * hourMs), service);
    expect(outcomesOf(await examineDates(statement, 0))).toEqual(expectedFor(service, true));
  },
);

test.each(services)(
  'examineDates finds the bounds $start and $end, but not the time zone $zone, if all rows have the same time of day',
  async (service) => {
    const statement = statementOf(timesOf(30, dayMs), service);
    expect(outcomesOf(await examineDates(statement, 0))).toEqual(expectedFor(service, false));
  },
);

test.each([
  ['are ignored', 200],
  ['are refused', 400],
])(
  'examineDates does not blame the rows for an unknown time zone if dates %s',
  async (_, status) => {
    const times = timesOf(300, 5 * hourMs);
    const reading = statementOf(times, { zone: 'UTC', start: 'inclusive', end: 'inclusive' });
    const service: Statement = {
      async read({ page = 0, startDate, endDate }) {
        const isRefused = status !== 200 && (startDate ?? endDate) !== undefined;
        return isRefused ? replyOf(null, status) : reading.read({ page });
      },
    };
    expect((await examineDates(service, 0))[2]).toMatchObject({
      id: 'day-start',
      outcome: 'unknown',
      seen: 'the totals do not show what startDate and endDate mean',
    });
  },
);

test('examineDates says if no row shows the time zone', async () => {
  const service = { zone: 'UTC', start: 'inclusive', end: 'inclusive' } as const;
  expect((await examineDates(statementOf(timesOf(30, dayMs), service), 0))[2]).toMatchObject({
    outcome: 'unknown',
    seen: 'no row is in the hours in which UTC and UTC-3 have different days',
  });
});

test('examineDates finds no interpretation for a service that ignores dates', async () => {
  const reading = statementOf(timesOf(300, 5 * hourMs), {
    zone: 'UTC',
    start: 'inclusive',
    end: 'inclusive',
  });
  const blind: Statement = { read: ({ page }) => reading.read({ page: page ?? 0 }) };
  expect((await examineDates(blind, 0)).slice(0, 2)).toMatchObject([
    {
      outcome: 'unknown',
      seen: 'totalItems of 3 days, compared with the rows read: no interpretation matches',
    },
    {
      outcome: 'unknown',
      seen: 'totalItems of 3 days, compared with the rows read: no interpretation matches',
    },
  ]);
});

test('examineDates gives the status if the statement cannot be read', async () => {
  const failing: Statement = { read: () => Promise.resolve(replyOf(null, 500)) };
  expect(await examineDates(failing, 0)).toMatchObject([
    { id: 'start-date', outcome: 'unknown', seen: 'page=0: status 500' },
    { id: 'end-date', outcome: 'unknown', seen: 'page=0: status 500' },
    { id: 'day-start', outcome: 'unknown' },
  ]);
});

test('examineDates recommends the setting for an endDate that excludes its day', async () => {
  const statement = statementOf(timesOf(300, 5 * hourMs), {
    zone: 'UTC',
    start: 'inclusive',
    end: 'exclusive',
  });
  const [, end] = await examineDates(statement, 0);
  expect(end?.settings).toEqual({ UPSTREAM_END_DATE: 'exclusive' });
});

test.each([
  ['has no rows', pageOf([]), 200, 'expected'],
  ['is refused', null, 400, 'notice'],
  ['cannot be used', null, 'unusable', 'notice'],
  ['has rows', pageOf([{ key: 1, createdAtMs: 1, content: '' }]), 200, 'notice'],
  ['is not answered', null, 'no answer', 'unknown'],
] as const)('examineEmptyPeriod judges a period that %s', async (_, page, status, outcome) => {
  const statement: Statement = { read: () => Promise.resolve(replyOf(page, status)) };
  expect(await examineEmptyPeriod(statement, 0)).toMatchObject({ id: 'empty-period', outcome });
});
