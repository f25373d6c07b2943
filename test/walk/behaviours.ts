// Services as they are: `npm run walks` compares a walk over each with a client that only reads the pages.
import {
  batches,
  type Category,
  distinct,
  postLate,
  removeAny,
  some,
  sometimes,
} from './categories.ts';
import * as manners from './manners.ts';
import type { Random } from './random.ts';
import type { Manner } from './service.ts';
import type { Plan, Site } from './site.ts';
import { alter, type Order, type Statement, statementOf } from './statement.ts';

type Happenings = Pick<Plan, 'between' | 'during'>;

interface Behaviour {
  /** The createdAt of the rows, oldest first; all different by default. */
  readonly rows?: (random: Random) => number[];
  readonly order?: Order;
  readonly manner?: (random: Random) => Manner;
  /** Changes the statement before the walk. */
  readonly start?: (statement: Statement, random: Random) => Statement;
  /** By default, nothing happens, rows arrive, or rows vanish. */
  readonly events?: Readonly<Record<string, Happenings>>;
  /** False if a page that is read again may have another answer although nothing happens. */
  readonly isSteady?: false;
}

const [second, day] = [1000, 86_400_000];

const arrive = (site: Site) => site.post();
const usual: Readonly<Record<string, Happenings>> = {
  still: {},
  arrivals: { between: some(1, arrive), during: sometimes(0.1, arrive) },
  removals: { between: some(3, removeAny), during: sometimes(0.1, removeAny) },
};

/** A PIX and its fee, with one createdAt. */
function arrivePair(site: Site): void {
  site.post();
  site.post(site.latest);
}

const writer: Readonly<Record<string, Happenings>> = {
  'PIX with fees, late posts, removals': {
    between(site) {
      some(2, arrivePair)(site);
      some(2, removeAny)(site);
      sometimes(0.3, postLate)(site);
    },
    during: sometimes(0.1, arrivePair),
  },
};

/** A fifth of the rows in pairs with one createdAt. */
function pairs(random: Random): number[] {
  return distinct(random, random.integer(60, 140)).flatMap((at) =>
    random.happens(0.11) ? [at, at] : [at],
  );
}

const hours = (random: Random) =>
  distinct(random, random.integer(60, 200)).map((at) => at - (at % (3600 * second)));

/** Gives some rows the id of the row that is `away` places newer. */
function share(most: number, away: number, isSame: boolean) {
  return (statement: Statement, random: Random): Statement => {
    let changed = statement;
    const { live } = statement;
    let left = most;
    for (let index = random.integer(away, 30); left > 0 && index < live.length; left--) {
      const [one, other] = [live[index - away], live[index]];
      if (one === undefined || other === undefined) break;
      const { serial: name, at } = one;
      const changes = isSame ? { name, amount: name, at } : { name };
      changed = alter(changed, other.serial, changes);
      index += random.integer(away + 2, away + 8);
    }
    return changed;
  };
}

/** An event that concerns a row near that of the cursor, most often that row itself. */
function near(event: (site: Site, serial: number) => void) {
  return (site: Site): void => {
    const { live } = site.statement;
    const own = live.findIndex(({ serial }) => serial === site.own);
    const row = live[own + site.random.pick([0, 0, 0, -1, 1, 2])];
    if (own >= 0 && row !== undefined) event(site, row.serial);
  };
}

const retime = near((site, serial) => {
  const at = site.statement.live.find((one) => one.serial === serial)?.at ?? 0;
  const by = site.random.pick([-1, 1, -3600 * second, 3600 * second]);
  site.alter(serial, { at: at + by });
});
const rename = near((site, serial) => {
  site.alter(serial, { name: 1_000_000 + site.random.integer(0, 999_999) });
});
const lift = near((site, serial) => {
  site.lift(serial);
});
const update = near((site, serial) => {
  site.alter(serial, { at: site.latest + 1 });
  site.lift(serial);
});

/** The event after about every second slice, alone and while rows arrive. */
function alone(event: (site: Site) => void): Readonly<Record<string, Happenings>> {
  const between = sometimes(0.5, event);
  const withArrivals = (site: Site) => {
    between(site);
    some(2, arrive)(site);
  };
  return { 'nothing else': { between }, arrivals: { between: withArrivals } };
}

/** Rows vanish so fast that pages soon lie beyond the end. */
const vanish: Readonly<Record<string, Happenings>> = {
  still: {},
  removals: { between: some(20, removeAny), during: sometimes(0.3, some(10, removeAny)) },
};

const twelve = (random: Random) => batches(random, random.pick([100, 390]), 1, 12);
const lots = (random: Random) => batches(random, random.integer(60, 160), 2, 24);
const days = (random: Random) => batches(random, 200, 20, 60, day);
const behaviours: Readonly<Record<string, Behaviour>> = {
  'ties of 1 to 12, order by page': { rows: twelve, manner: () => manners.tiesByPage },
  'ties of 2 to 24, order by page': { rows: lots, manner: () => manners.tiesByPage },
  'createdAt to the day, order by page': { rows: days, manner: () => manners.tiesByPage },
  'createdAt to the hour, order by page': { rows: hours, manner: () => manners.tiesByPage },
  'a fifth in pairs, order by page': {
    rows: pairs,
    manner: () => manners.tiesByPage,
    events: { ...usual, ...writer },
  },
  'ties of 1 to 12, first page in another order': {
    rows: twelve,
    manner: () => manners.tiesByPlan,
  },
  'ties of 2 to 24, shuffled at each read': {
    rows: lots,
    manner: manners.tiesShuffled,
    isSteady: false,
  },
  'a fifth in pairs, shuffled at each read': {
    rows: pairs,
    manner: manners.tiesShuffled,
    isSteady: false,
  },
  'a fifth in pairs, in one order': { rows: pairs, events: { ...usual, ...writer } },
  'two replicas in turn': { manner: () => manners.replicasInTurn, isSteady: false },
  'two replicas by chance': { manner: manners.replicasByChance, isSteady: false },
  'itemsPerPage counts the page': { manner: () => manners.sizeOfPage },
  'one id on two neighbours': { start: share(1, 1, false) },
  'one id and content on two neighbours': { start: share(1, 1, true) },
  'one id on two rows apart': { start: share(1, 17, false) },
  'one id on a fifth of the rows': { start: share(Infinity, 1, false) },
  'one id and content on a fifth of the rows': { start: share(Infinity, 1, true) },
  ...Object.fromEntries(
    (['total 0', 'data null', 'last page', 400, 404, 410, 416, 204] as const).map((what) => [
      `beyond the end: ${what}`,
      { manner: () => manners.beyondEnd(what), events: vanish },
    ]),
  ),
  'some rows hidden after paging': { manner: () => manners.hidesRows },
  ...Object.fromEntries(
    (['constant', 'next', 'null'] as const).flatMap((what) =>
      ([0, 1] as const).map((base) => [
        `currentPage ${what}, pages from ${base}`,
        { manner: () => manners.statesPage(what, base) },
      ]),
    ),
  ),
  'counted before the page is read': {
    manner: (random) => manners.countsApart(random, 'before'),
    events: { ...usual, ...writer },
  },
  'counted after the page is read': {
    manner: (random) => manners.countsApart(random, 'after'),
    events: { ...usual, ...writer },
  },
  'createdAt corrected in place': { order: 'posted', events: alone(retime) },
  'rows get another id': { order: 'posted', events: alone(rename) },
  'sorted by a time that is not sent': { order: 'posted', events: alone(lift) },
  'rows move to the head with a new createdAt': { order: 'posted', events: alone(update) },
  'three reads at a time': { manner: () => manners.atOnce(3) },
};

/** Each behaviour with each of its events, as a category. */
export const services: readonly Category[] = Object.entries(behaviours).flatMap(
  ([name, behaviour]) =>
    Object.entries(behaviour.events ?? usual).map(([events, happenings]) => ({
      name: `${name}; ${events}`,
      plan: (random: Random) => planOf(behaviour, happenings, random),
    })),
);

function planOf(behaviour: Behaviour, happenings: Happenings, random: Random): Plan {
  const {
    rows = (one: Random) => distinct(one, one.integer(30, 160)),
    start,
    isSteady = true,
  } = behaviour;
  const { order = random.pick(['lastFirst', 'lastLast', 'byId']), manner } = behaviour;
  const statement = statementOf(order, rows(random), random.pick([10, 20, 20]));
  const count = random.pick([5, 20, 20, 30, 40, 100]);
  return {
    ...{ statement: start?.(statement, random) ?? statement, count: () => count },
    route: random.pick(['forward', 'backward']),
    manner: manner?.(random) ?? {},
    isSteady: isSteady && Object.keys(happenings).length === 0,
    ...happenings,
  };
}
