// How the doctor finds out a service's time zone, and whether startDate and endDate are inclusive.
import { expect, test } from 'vitest';
import { examineDates } from '../../../doctor/questions/dates.ts';
import type { PageAsk, Statement } from '../../../doctor/statement-pages.ts';

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
  return {
    read(ask) {
      const all = matching(ask);
      const currentPage = ask.page ?? 0;
      const rows = all.slice(currentPage * 20, currentPage * 20 + 20).map((createdAtMs) => ({
        ...{ id: `${createdAtMs}`, key: createdAtMs, createdAtMs },
        node: { id: `${createdAtMs}` } as never,
      }));
      const page = { totalItems: all.length, currentPage, itemsPerPage: 20, rows };
      return Promise.resolve({ status: 200, page });
    },
  };
}

async function answersOf(statement: Statement): Promise<(string | null)[]> {
  return (await examineDates(statement, 0)).map(({ answer }) => answer);
}

test.each(services)(
  'examineDates finds the time zone $zone and the bounds $start and $end if there are rows at every hour of the day',
  async (service) => {
    const statement = statementOf(timesOf(300, 5 * hourMs), service);
    expect(await answersOf(statement)).toEqual([service.start, service.end, service.zone]);
  },
);

test.each(services)(
  'examineDates finds the bounds $start and $end, but not the time zone $zone, if all rows have the same time of day',
  async (service) => {
    const statement = statementOf(timesOf(30, dayMs), service);
    expect(await answersOf(statement)).toEqual([service.start, service.end, null]);
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
        return isRefused ? { status, page: null } : reading.read({ page });
      },
    };
    expect((await examineDates(service, 0))[2]).toMatchObject({
      id: 'day-start',
      answer: null,
      seen: 'the totals do not show what startDate and endDate mean',
    });
  },
);

test('examineDates says if no row shows the time zone', async () => {
  const service = { zone: 'UTC', start: 'inclusive', end: 'inclusive' } as const;
  expect((await examineDates(statementOf(timesOf(30, dayMs), service), 0))[2]).toMatchObject({
    answer: null,
    seen: 'no row is in the hours in which they differ',
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
      answer: null,
      seen: 'totalItems of 3 days, compared with the rows read: no interpretation matches',
    },
    {
      answer: null,
      seen: 'totalItems of 3 days, compared with the rows read: no interpretation matches',
    },
  ]);
});

test('examineDates gives the status if the statement cannot be read', async () => {
  const failing: Statement = { read: () => Promise.resolve({ status: 500, page: null }) };
  expect(await examineDates(failing, 0)).toMatchObject([
    { id: 'start-date', answer: null, seen: 'page=0: status 500' },
    { id: 'end-date', answer: null, seen: 'page=0: status 500' },
    { id: 'day-start', answer: null },
  ]);
});

test('examineDates gives a reason for both dates if their days begin in an unknown time zone', async () => {
  const utc = { zone: 'UTC', start: 'inclusive', end: 'inclusive' } as const;
  const times = timesOf(300, 5 * hourMs);
  const later = statementOf(
    times.map((time) => time + 3 * hourMs),
    utc,
  );
  const plain = statementOf(times, utc);
  const service: Statement = {
    read: (ask) =>
      ask.startDate === undefined && ask.endDate === undefined ? plain.read(ask) : later.read(ask),
  };
  const [start, end] = await examineDates(service, 0);
  for (const finding of [start, end]) {
    expect(finding).toMatchObject({ answer: null });
    expect(finding?.seen).toMatch(/: no (?:interpretation matches|time zone matches both dates)$/);
  }
});
