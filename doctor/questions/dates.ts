// Finds out how the service interprets startDate and endDate: whether they are inclusive, in which time zone a day
// begins, and how a period without transactions is answered.
import { expected, type Finding, notice, setting, unknown } from '../finding.ts';
import type { PageReply, Row, Statement } from '../pages.ts';
import { isConclusive } from '../service.ts';
import { type Head, noTimes, readHead, timesOf } from './rows.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/**
 * The instants at which a day may begin, in milliseconds after 00:00 UTC. Both are possible, because the service is
 * Brazilian, but its timestamps are in UTC.
 */
const dayStarts = { UTC: 0, 'UTC-3': 3 * hourMs } as const;

type Zone = keyof typeof dayStarts;

/** A possible interpretation of the dates. */
interface Reading {
  readonly zone: Zone;
  readonly bound: 'inclusive' | 'exclusive';
}

const readings: readonly Reading[] = (Object.keys(dayStarts) as Zone[]).flatMap((zone) =>
  (['inclusive', 'exclusive'] as const).map((bound) => ({ zone, bound })),
);

/** A day to request, with the totalItems expected under each interpretation. */
interface Trial {
  /** yyyy-MM-dd */
  readonly date: string;
  readonly ask: 'startDate' | 'endDate';
  /** The expected totals, in the order of `readings`. */
  readonly expected: readonly number[];
}

const maxTries = 4;
const maxTrials = 3;

/**
 * Requests statements bounded by dates of the head's rows, and compares their totalItems with the totals that each
 * interpretation implies.
 */
export async function examineDates(statement: Statement, base: number): Promise<Finding[]> {
  for (let tries = 1; ; tries++) {
    const head = await readHead(statement, base);
    if (typeof head === 'string') {
      const outcome = { fitting: [], seen: head };
      return judge(outcome, outcome);
    }
    const start = await tryBound(statement, head, base, 'startDate');
    const end = await tryBound(statement, head, base, 'endDate');
    const { page } = await statement.read({ page: base });
    if (page?.totalItems === head.totalItems || tries === maxTries) return judge(start, end);
  }
}

interface Outcome {
  /** The interpretations that are consistent with all answers. */
  readonly fitting: readonly Reading[];
  readonly seen: string;
}

async function tryBound(
  statement: Statement,
  head: Head,
  base: number,
  ask: Trial['ask'],
): Promise<Outcome> {
  const trials = chooseTrials(head, ask);
  if (trials.length === 0) {
    const seen =
      timesOf(head.rows).length === 0
        ? noTimes
        : 'no day of the rows read shows it: choose an --account with more days';
    return { fitting: [], seen };
  }
  const asks = trials.map(({ date }) => ({ page: base, [ask]: date }));
  const replies: PageReply[] = [];
  for (const question of asks) replies.push(await statement.read(question));
  const refused = replies.find(({ page }) => page === null);
  if (refused !== undefined) return { fitting: [], seen: `${ask}: ${refused.reason}` };
  const fitting = readings.filter((_, at) =>
    trials.every(({ expected }, index) => expected[at] === replies[index]?.page?.totalItems),
  );
  const days = trials.length === 1 ? 'one day' : `${trials.length} days`;
  const seen = `totalItems of ${days}, compared with the rows read`;
  return { fitting, seen: fitting.length === 0 ? `${seen}: no interpretation matches` : seen };
}

/**
 * Up to three days, those that distinguish the most interpretations first. In either time zone, each of these days
 * distinguishes an inclusive bound from an exclusive one.
 */
function chooseTrials(head: Head, ask: Trial['ask']): Trial[] {
  const trials = daysOf(head).map((date) => ({
    date,
    ask,
    expected: readings.map((reading) => expectedTotal(head, date, ask, reading)),
  }));
  return trials
    .filter(({ expected: [a, b, c, d] }) => a !== b && b !== c && c !== d)
    .sort((one, other) => new Set(other.expected).size - new Set(one.expected).size)
    .slice(0, maxTrials);
}

/** The days of the rows in UTC, without the oldest day if some of its rows may be missing from the head. */
function daysOf({ rows, totalItems }: Head): string[] {
  const days = new Set(rows.flatMap(({ createdAtMs }) => createdAtMs ?? []).map(dateOf));
  const isWhole = rows.length >= totalItems;
  return [...days].slice(0, isWhole ? undefined : -1);
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function expectedTotal(head: Head, date: string, ask: Trial['ask'], reading: Reading): number {
  const dayStartMs = Date.parse(date) + dayStarts[reading.zone];
  const isWhole = (ask === 'startDate') === (reading.bound === 'exclusive') ? dayMs : 0;
  return ask === 'startDate'
    ? countFrom(head.rows, dayStartMs + isWhole)
    : head.totalItems -
        countFrom(head.rows, dayStartMs + (reading.bound === 'inclusive' ? dayMs : 0));
}

function countFrom(rows: readonly Row[], ms: number): number {
  return rows.filter(({ createdAtMs }) => createdAtMs !== null && createdAtMs >= ms).length;
}

function judge(start: Outcome, end: Outcome): Finding[] {
  const zones = new Set([...start.fitting, ...end.fitting].map(({ zone }) => zone));
  const both = [...zones].filter((zone) =>
    [start, end].every(({ fitting }) => fitting.some((reading) => reading.zone === zone)),
  );
  return [judgeStart(start, both), judgeEnd(end, both), judgeZone(both)];
}

function judgeStart(start: Outcome, zones: readonly Zone[]): Finding {
  const id = 'start-date';
  const bound = boundOf(start, zones);
  if (bound === null) return unknown(id, start.seen);
  if (bound === 'inclusive') return expected(id);
  const here = 'clients do not get the transactions of the day that `from` names';
  return notice(
    id,
    `startDate excludes its day (${start.seen})`,
    here,
    'include the day of startDate',
  );
}

function judgeEnd(end: Outcome, zones: readonly Zone[]): Finding {
  const id = 'end-date';
  const bound = boundOf(end, zones);
  if (bound === null) return unknown(id, end.seen);
  return bound === 'inclusive'
    ? expected(id)
    : setting(id, `endDate excludes its day (${end.seen})`, { UPSTREAM_END_DATE: 'exclusive' });
}

function judgeZone(zones: readonly Zone[]): Finding {
  const id = 'day-start';
  const [zone] = zones;
  if (zone === undefined)
    return unknown(id, 'the totals do not show what startDate and endDate mean');
  if (zones.length > 1)
    return unknown(id, 'no row is in the hours in which UTC and UTC-3 have different days');
  if (zone === 'UTC') return expected(id);
  const here =
    '`from` and `to` are days of this zone, while createdAt is in UTC: tell the developers of clients';
  return notice(id, `days begin at 00:00 in ${zone}`, here);
}

/** The bound that all remaining interpretations in `zones` share. */
function boundOf({ fitting }: Outcome, zones: readonly Zone[]): Reading['bound'] | null {
  const bounds = new Set(
    fitting.filter(({ zone }) => zones.includes(zone)).map(({ bound }) => bound),
  );
  return bounds.size === 1 ? ([...bounds][0] ?? null) : null;
}

/** How a period without transactions is answered: one long before the service. */
export async function examineEmptyPeriod(statement: Statement, base: number): Promise<Finding> {
  const id = 'empty-period';
  const ask = { page: base, startDate: '2000-01-01', endDate: '2000-01-02' };
  const { status, page, reason } = await statement.read(ask);
  const seen = `startDate=${ask.startDate} and endDate=${ask.endDate}`;
  const remedy = 'answer 200 with data [] and totalItems 0';
  if (page === null) {
    if (!isConclusive(status) && status !== 'unusable') return unknown(id, `${seen}: ${reason}`);
    return notice(
      id,
      `${seen}: ${reason}`,
      'clients get an error for a period without transactions',
      remedy,
    );
  }
  if (page.rows.length === 0) return expected(id);
  return notice(id, `${seen}: transactions`, 'clients get transactions outside the period', remedy);
}
