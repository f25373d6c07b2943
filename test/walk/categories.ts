// The kinds of statements for random walks. The table of `npm run walks` has a line for each.
import type { Random } from './random.ts';
import type { Plan, Site } from './site.ts';
import { statementOf, type Order } from './statement.ts';

/** A kind of statement, and the changes to it. */
export interface Category {
  readonly name: string;
  /**
   * True if the tests allow no walk of the category to be wrong without a twin, miss new rows, expire or make too many
   * calls. For every category, `npm run walks` reports the numbers of such walks.
   */
  readonly isHeld?: true;
  readonly plan: (random: Random) => Plan;
}

const start = Date.UTC(2026, 0, 5, 12);
const [second, minute, day] = [1000, 60_000, 86_400_000];

export const categories: readonly Category[] = [
  {
    name: 'createdAt falls strictly, newer ones arrive',
    isHeld: true,
    plan: (random) =>
      walkOver(random, distinct(random, random.integer(0, 140)), {
        between: some(5, (site) => site.post()),
        during: sometimes(0.3, (site) => site.post()),
      }),
  },
  {
    name: 'removals between the calls',
    isHeld: true,
    plan: (random) =>
      walkOver(random, distinct(random, random.integer(1, 140)), {
        between: some(8, removeAny),
      }),
  },
  {
    name: 'own row and those beside it vanish, others arrive',
    isHeld: true,
    plan: (random) =>
      walkOver(random, distinct(random, random.integer(20, 600)), {
        between: sometimes(0.3, (site) => {
          removeAround(site);
          some(30, (one) => one.post())(site);
        }),
        during: sometimes(0.2, (site) => site.post()),
      }),
  },
  {
    name: 'arrivals and as many removals',
    isHeld: true,
    plan: (random) =>
      walkOver(random, distinct(random, random.integer(1, 140)), {
        between(site) {
          for (let left = site.random.integer(0, 30); left > 0; left--) {
            removeAny(site);
            site.post();
          }
        },
      }),
  },
  {
    name: 'itemsPerPage changes, others arrive',
    isHeld: true,
    plan: (random) =>
      walkOver(random, distinct(random, random.integer(1, 140)), {
        between(site) {
          site.resize(random.pick([7, 10, 20, 50]));
          if (random.happens(0.5)) site.post();
        },
      }),
  },
  {
    name: 'still, 1 % of neighbours inverted by 1 ms',
    isHeld: true,
    plan: (random) => walkOver(random, inverted(random, 100), { order: 'posted' }),
  },
  {
    name: 'posted, createdAt off by 10 min: still',
    isHeld: true,
    plan: (random) => walkOver(random, offBy(random, 80), { order: 'posted' }),
  },
  {
    name: 'posted, createdAt off by 10 min: arrivals',
    isHeld: true,
    plan: (random) =>
      walkOver(random, offBy(random, 80), {
        order: 'posted',
        between: some(3, (site) =>
          site.post(site.latest + 5 * minute - random.integer(0, 10 * minute)),
        ),
      }),
  },
  {
    name: 'posted, createdAt off by 10 min: own row vanishes',
    plan: (random) =>
      walkOver(random, offBy(random, 80), {
        order: 'posted',
        between: sometimes(0.5, (site) => site.remove(site.own ?? undefined)),
      }),
  },
  ...(['lastFirst', 'byId', 'lastLast'] as const).flatMap((order): Category[] => [
    {
      name: `batch at the head grows between calls, ${order}`,
      // Among ties in any order, one walk in 200 needs a call more than the bound.
      ...(order === 'byId' ? {} : { isHeld: true }),
      plan: (random) =>
        walkOver(random, withHead(random, random.integer(1, 40)), {
          order,
          between: some(3, (site) => site.post(site.latest)),
        }),
    },
    {
      name: `batch at the head grows also during calls, ${order}`,
      plan: (random) =>
        walkOver(random, withHead(random, random.integer(1, 40)), {
          order,
          between: some(3, (site) => site.post(site.latest)),
          during: sometimes(0.3, (site) => site.post(site.latest)),
        }),
    },
  ]),
  {
    name: 'createdAt to the second, a fifth of arrivals tied',
    isHeld: true,
    plan: (random) =>
      walkOver(
        random,
        distinct(random, 80).map((at) => at - (at % second)),
        {
          between: some(4, (site) =>
            site.post(site.latest + (random.happens(0.2) ? 0 : second * random.integer(1, 60))),
          ),
        },
      ),
  },
  ...(
    [
      [1, 30],
      [40, 120],
    ] as const
  ).flatMap(([least, most]): Category[] => [
    {
      name: `createdAt to the day, ${least} to ${most} a day`,
      plan: (random) =>
        walkOver(random, batches(random, 60 + most, least, most, day), {
          between: some(4, postToday),
        }),
    },
    {
      name: `createdAt to the day, ${least} to ${most} a day, removals`,
      plan: (random) =>
        walkOver(random, batches(random, 60 + most, least, most, day), {
          between(site) {
            some(4, postToday)(site);
            some(3, removeAny)(site);
          },
        }),
    },
  ]),
  {
    name: 'batches of 5 to 200, removals during calls',
    plan: (random) =>
      walkOver(random, batches(random, 260, 5, 200), { during: sometimes(0.3, removeAny) }),
  },
  {
    name: 'batches of 5 to 200, others vanish',
    isHeld: true,
    plan: (random) =>
      walkOver(random, batches(random, 260, 5, 200), { between: some(6, removeOther) }),
  },
  {
    name: 'turning inside batches, still',
    isHeld: true,
    plan: (random) => ({
      ...walkOver(random, batches(random, 260, 5, 200)),
      route: 'turn',
    }),
  },
  {
    name: 'turning inside batches, arrivals and removals',
    isHeld: true,
    plan: (random) => ({
      ...walkOver(random, batches(random, 260, 5, 200), {
        between(site) {
          some(3, (one) => one.post(random.happens(0.5) ? site.latest : undefined))(site);
          some(3, removeOther)(site);
        },
      }),
      route: 'turn',
    }),
  },
  {
    name: 'there and back by other sizes, batches, still',
    isHeld: true,
    plan: (random) => ({
      ...walkOver(random, batches(random, 260, 5, 200)),
      route: 'thereAndBack',
    }),
  },
  {
    name: 'there and back, batches, itemsPerPage changes too',
    isHeld: true,
    plan: (random) => ({
      ...walkOver(random, batches(random, 260, 5, 200), {
        between: (site) => site.resize(random.pick([7, 10, 20, 50])),
      }),
      route: 'thereAndBack',
    }),
  },
  {
    name: 'there and back, all 2 to 200 of one createdAt, still',
    isHeld: true,
    plan: (random) => ({
      ...walkOver(random, Array<number>(random.integer(2, 200)).fill(start)),
      route: 'thereAndBack',
    }),
  },
  {
    name: 'late postings between calls, distinct',
    isHeld: true,
    plan: (random) => walkOver(random, distinct(random, 100), { between: some(4, postLate) }),
  },
  {
    name: 'late postings between calls, among batches',
    isHeld: true,
    plan: (random) =>
      walkOver(random, batches(random, 140, 1, 60), { between: some(4, postLateAmongTies) }),
  },
  {
    name: 'late postings during calls too, among batches',
    plan: (random) =>
      walkOver(random, batches(random, 140, 1, 60), {
        between: some(2, postLateAmongTies),
        during: sometimes(0.2, postLateAmongTies),
      }),
  },
  ...[200, 500, 1200, 2200].map((size): Category => ({
    name: `a batch of ${size}: one vanishes or one arrives`,
    isHeld: true,
    plan: (random) => {
      const at = random.integer(1, Math.min(12, Math.ceil(size / 50)));
      let moment = 0;
      return {
        ...walkOver(random, [...distinct(random, 30), ...Array<number>(size).fill(start + day)], {
          between(site) {
            if (++moment !== at) return;
            const event = site.random.pick(['arrival', 'arrival', 'own', 'any']);
            if (event === 'arrival') site.post(start + day);
            else if (event === 'own') site.remove(site.own ?? undefined);
            else removeAny(site);
          },
        }),
        count: () => random.pick([20, 50, 100]),
      };
    },
  })),
  {
    name: 'ties change places now and then',
    plan: (random) =>
      walkOver(random, batches(random, 100, 1, 30), {
        between: some(3, swapAny),
        during: sometimes(0.1, swapAny),
      }),
  },
];

interface Happenings extends Pick<Plan, 'between' | 'during'> {
  readonly order?: Order;
}

/** A walk in either direction, with varying slice sizes and one of four page sizes. */
function walkOver(
  random: Random,
  posted: readonly number[],
  { order = random.pick(['lastFirst', 'lastLast', 'byId']), ...events }: Happenings = {},
): Plan {
  const least = Math.max(1, posted.length >> 4);
  const most = random.pick([5, 20, 40, 100]);
  return {
    statement: statementOf(order, posted, random.pick([7, 10, 20, 20, 50])),
    route: random.pick(['forward', 'forward', 'backward']),
    count: () => Math.max(least, random.integer(1, most)),
    ...events,
  };
}

/** A different createdAt for each row, oldest first. */
export function distinct(random: Random, length: number): number[] {
  let at = start;
  return Array.from({ length }, () => (at += random.integer(second, 60 * minute)));
}

/** Like `distinct`, but about one row in a hundred is a millisecond out of order. */
function inverted(random: Random, length: number): number[] {
  const posted = distinct(random, length);
  return posted.map((at, index) => (random.happens(0.01) ? (posted[index - 1] ?? at) - 1 : at));
}

/**
 * The createdAt of rows in the order of posting. Rows are posted at most ten minutes apart, and each createdAt is up to
 * ten minutes before the posting.
 */
function offBy(random: Random, length: number): number[] {
  let now = start;
  return Array.from({ length }, () => {
    now += random.integer(0, 10 * minute);
    return now - random.integer(0, 10 * minute);
  });
}

/** 60 ordinary rows below a batch that shares the newest createdAt. */
function withHead(random: Random, size: number): number[] {
  const ordinary = distinct(random, 60);
  return [...ordinary, ...Array<number>(size).fill((ordinary.at(-1) ?? start) + minute)];
}

/**
 * Batches of rows; the rows of a batch share one createdAt. Batches are `gap` milliseconds apart, and are added until
 * there are at least `rows` rows.
 */
export function batches(
  random: Random,
  rows: number,
  least: number,
  most: number,
  gap = minute,
): number[] {
  const posted: number[] = [];
  for (let at = start; posted.length < rows; at += gap) {
    const size = random.integer(least, most);
    for (let nth = 0; nth < size; nth++) posted.push(at);
  }
  return posted;
}

/** An event that happens up to `most` times at a moment. */
export function some(most: number, event: (site: Site) => void): (site: Site) => void {
  return (site) => {
    for (let left = site.random.integer(0, most); left > 0; left--) event(site);
  };
}

export function sometimes(probability: number, event: (site: Site) => void): (site: Site) => void {
  return (site) => {
    if (site.random.happens(probability)) event(site);
  };
}

function postToday(site: Site): void {
  site.post(site.random.happens(0.9) ? site.latest : site.latest + day);
}

export function removeAny(site: Site): void {
  const { live } = site.statement;
  site.remove(live[site.random.integer(0, live.length - 1)]?.serial);
}

/** Removes the row of the cursor and up to three rows on each side of it. */
function removeAround(site: Site): void {
  const { random, own } = site;
  const { live } = site.statement;
  const at = live.findIndex(({ serial }) => serial === own);
  if (at < 0) return;
  const gone = live.slice(Math.max(at - random.integer(0, 3), 0), at + 1 + random.integer(0, 3));
  for (const { serial } of gone) site.remove(serial);
}

/** Removes a random row, unless it is the row of the cursor or one of its two neighbours. */
function removeOther(site: Site): void {
  const { live } = site.statement;
  const own = live.findIndex(({ serial }) => serial === site.own);
  const index = site.random.integer(0, live.length - 1);
  if (own < 0 || Math.abs(index - own) > 1) site.remove(live[index]?.serial);
}

/** Posts a row late: with a createdAt halfway between those of two adjacent rows, or before that of the oldest row. */
export function postLate(site: Site): void {
  const { live } = site.statement;
  const index = site.random.integer(0, Math.max(live.length - 1, 0));
  const at = live[index]?.at ?? start;
  site.post(Math.floor((at + (live[index + 1]?.at ?? at - minute)) / 2));
}

function postLateAmongTies(site: Site): void {
  const { statement, random } = site;
  if (random.happens(0.3)) postLate(site);
  else site.post(statement.live[random.integer(0, statement.live.length - 1)]?.at);
}

function swapAny(site: Site): void {
  site.swap(site.random.integer(0, site.statement.live.length - 1));
}
