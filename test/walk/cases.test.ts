// Services that are not ideal, over HTTP: one case for each difference, as a walk to older rows and as its mirror image.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beyondEnd, hidesRows, replicasInTurn, sizeOfPage, statesPage } from './manners.ts';
import { createHttpService, type GivenSlice, type Manner, type Service } from './service.ts';
import { alter, lift, post, remove, type Statement, statementOf } from './statement.ts';

const directions = ['first', 'last'] as const;
type Direction = (typeof directions)[number];

const minute = 60_000;
const latest = Date.UTC(2026, 10, 2);

/** A statement of rows that are a minute apart. */
function statement(length: number, order: 'posted' | 'byId' = 'posted'): Statement {
  const posted = Array.from({ length }, (_, nth) => latest - (length - nth) * minute);
  return statementOf(order, posted, 20);
}

/** The serial number of the row that is `nth` from where the walk begins. */
const nthOf = ({ entries }: Statement, direction: Direction, nth: number): number =>
  (direction === 'first' ? entries[nth] : entries.at(-1 - nth))?.serial ?? NaN;

/** The serial numbers from the `from`th to the `to`th row, both included, in the direction of the walk. */
const rowsOf = (one: Statement, direction: Direction, from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, nth) => nthOf(one, direction, from + nth));

let http: Awaited<ReturnType<typeof createHttpService>>;
beforeAll(async () => {
  http = await createHttpService();
});
afterAll(() => http[Symbol.asyncDispose]());

function serve(one: Statement, manner: Manner = {}): Service {
  return Object.assign(http.service, { statement: one, manner, past: [one], answered: 0 });
}

/** A slice whose rows are in the direction of the walk. */
interface Part extends GivenSlice {
  /** The cursor with which the walk goes on; null at its end. */
  readonly next: string | null;
  readonly calls: number;
}

async function slice(
  service: Service,
  direction: Direction,
  count: number,
  cursor?: string | null,
): Promise<Part> {
  const args =
    direction === 'first' ? { first: count, after: cursor } : { last: count, before: cursor };
  const given = await service.slice(args);
  if ('error' in given) throw new Error(given.error);
  const { serials, keys, hasNext, hasPrevious, startCursor, endCursor } = given;
  const calls = service.pages.length;
  return direction === 'first'
    ? { ...given, next: hasNext ? endCursor : null, calls }
    : {
        ...{ ...given, serials: serials.toReversed(), keys: keys.toReversed(), calls },
        next: hasPrevious ? startCursor : null,
      };
}

/** All slices of a walk; `between` is called before each but the first. */
async function walk(
  service: Service,
  direction: Direction,
  count: number,
  between: (service: Service) => void = () => undefined,
): Promise<Part[]> {
  const parts = [await slice(service, direction, count)];
  for (let next = parts[0]?.next; next !== undefined && next !== null;) {
    between(service);
    const part = await slice(service, direction, count, next);
    parts.push(part);
    next = part.next;
  }
  return parts;
}

const serialsOf = (parts: readonly Part[]) => parts.flatMap(({ serials }) => serials);

/** The statement with the rows at two neighbouring indexes in the other order. */
function swapped(one: Statement, index: number): Statement {
  const live = [...one.live];
  [live[index], live[index + 1]] = [live[index + 1], live[index]] as [Entry, Entry];
  return { ...one, live };
}
type Entry = Statement['live'][number];

describe.each(directions)('a walk with `%s`', (direction) => {
  const at = (one: Statement, nth: number) => nthOf(one, direction, nth);
  const range = (one: Statement, from: number, to: number) => rowsOf(one, direction, from, to);

  test('returns all rows but one that no page shows, if ties are sorted otherwise on the next page', async () => {
    const index = direction === 'first' ? 19 : 39;
    let one = statement(60);
    const tied = one.live[index + 1]?.serial ?? NaN;
    one = alter(one, tied, { at: one.live[index]?.at ?? NaN });
    const begins = (page: number) => page === (direction === 'first' ? 0 : 2);
    const manner: Manner = {
      shown: (shown, { page }) => (begins(page) ? shown : swapped(shown, index)),
    };
    const parts = await walk(serve(one, manner), direction, 20);
    expect(serialsOf(parts)).toEqual(range(one, 0, 59).filter((_, nth) => nth !== 20));
    expect(Math.max(...parts.map(({ calls }) => calls))).toBeLessThan(8);
    const forty = await slice(serve(one, manner), direction, 40);
    expect(forty.serials).toEqual(range(one, 0, 40).filter((_, nth) => nth !== 20));
  });

  test('returns 40 rows in a row from two replicas of which one lacks the newest row', async () => {
    const one = statement(60);
    const { serials } = await slice(serve(one, replicasInTurn), direction, 40);
    const from = serials[0] === at(one, 0) ? 0 : 1;
    expect(serials).toEqual(range(one, from, from + 39));
  });

  test('returns all rows if itemsPerPage counts the rows of the page', async () => {
    const one = statement(45);
    expect(serialsOf(await walk(serve(one, sizeOfPage), direction, 20))).toEqual(range(one, 0, 44));
  });

  test.each([
    ['once if their content is the same', true],
    ['both if their amounts differ', false],
  ])('returns two rows with one id %s', async (_what, isSame) => {
    let one = statement(45);
    const { serial: name, at: time } = one.live[19] as Entry;
    const other = one.live[20]?.serial ?? NaN;
    one = alter(one, other, { name, ...(isSame && { amount: name, at: time }) });
    const keys = (await walk(serve(one), direction, 20)).flatMap((part) => part.keys);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toHaveLength(isSame ? 44 : 45);
  });

  test.each([
    [
      'another createdAt',
      (one: Statement, own: number) => alter(one, own, { at: timeOf(one, own) }),
    ],
    ['another id', (one: Statement, own: number) => alter(one, own, { name: 1_000_000 })],
  ])('goes on after a row that keeps its place with %s', async (_what, change) => {
    const one = statement(60, 'byId');
    const service = serve(one);
    const { next } = await slice(service, direction, 5);
    service.statement = change(one, at(one, 4));
    const { serials, calls } = await slice(service, direction, 5, next);
    expect(serials).toEqual(range(one, 5, 9));
    expect(calls).toBeLessThan(3);
  });
  // A millisecond towards the end of the walk.
  const timeOf = ({ entries }: Statement, serial: number) =>
    (entries.find((entry) => entry.serial === serial)?.at ?? NaN) +
    (direction === 'first' ? -1 : 1);

  test('loses nothing while rows vanish, if the total is 0 beyond the end', async () => {
    const one = statement(60);
    const service = serve(one, beyondEnd('total 0'));
    const gone = new Set<number>();
    const parts = await walk(service, direction, 20, () => {
      for (const nth of [2, 3, 5, 7]) {
        const serial = at(service.statement, nth + gone.size);
        gone.add(serial);
        service.statement = remove(service.statement, serial);
      }
    });
    expect(serialsOf(parts)).toEqual(range(one, 0, 59));
    expect(parts.at(-1)?.total).toBe(service.statement.live.length);
    expect(gone.size).toBeGreaterThan(4);
  });

  test.each([
    ['the row of the cursor', 1],
    ['the row of the cursor and the next one', 2],
  ])('goes on at the old place if %s jumps to the head', async (_what, moved) => {
    const one = statement(60);
    const service = serve(one);
    const { next } = await slice(service, direction, 10);
    for (const serial of range(one, 9, 8 + moved)) {
      const head = service.statement.live[0]?.at ?? NaN;
      const changes = moved === 1 ? {} : { at: head + 1 };
      service.statement = lift(alter(service.statement, serial, changes), serial);
    }
    const { serials } = await slice(service, direction, 10, next);
    expect(serials).toEqual(range(one, 9 + moved, 18 + moved));
  });

  test('returns everything that pages show from which the service has hidden rows', async () => {
    const one = statement(95);
    const shown = one.live.filter((entry) => hidesRows.isHidden?.(entry) === false);
    const serials = shown.map(({ serial }) => serial);
    expect(serials.length).toBeLessThan(95);
    const given = serialsOf(await walk(serve(one, hidesRows), direction, 20));
    expect(given).toEqual(direction === 'first' ? serials : serials.toReversed());
  });

  test.each([
    ['too small', -1],
    ['too large', 1],
  ])('loses nothing after a page whose total is one %s', async (_what, by) => {
    const one = statement(60);
    const manner: Manner = {
      sends: (sent, { nth }) => (nth === 0 ? { ...sent, totalItems: sent.totalItems + by } : sent),
    };
    const service = serve(one, manner);
    const arrive = () => {
      const { statement: now } = service;
      service.statement = post(now, now.entries.length + 1, (now.live[0]?.at ?? NaN) + 1);
    };
    const given = serialsOf(await walk(service, direction, 20, arrive));
    expect(given).toEqual(expect.arrayContaining(range(one, 0, 59)));
    expect(new Set(given).size).toBe(given.length);
  });
});

test.each([
  ['0 on every page', statesPage('constant')],
  ['one more than was asked for', statesPage('next')],
])('a statement is served although currentPage is %s', async (_what, manner) => {
  // Each gateway finds out how its service numbers pages.
  await using own = await createHttpService();
  for (const direction of directions) {
    const one = statement(95);
    Object.assign(own.service, { statement: one, manner, past: [one], answered: 0 });
    const given = serialsOf(await walk(own.service, direction, 40));
    expect(given).toEqual(rowsOf(one, direction, 0, 94));
  }
});
