// Walks over statements in PostgreSQL and MariaDB, which a plain REST service pages in the ways in which back ends do.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, hasDatabase, startDatabase } from '../support/databases.ts';
import { startTestGateway } from '../support/gateway.ts';
import { startRestService } from '../support/rest-service.ts';
import { createWalker, SliceError, type SliceQuery, type WalkedSlice } from '../support/walker.ts';
import { PagedStatement, pageSize, type Paging } from './paged-statement.ts';

const [second, day] = [1000, 86_400_000];

const pagings: Paging[] = [
  { isTieBroken: true, index: 'account, created_at, id', counts: 'before', precisionMs: 1 },
  { isTieBroken: true, index: 'account, created_at', counts: 'after', precisionMs: second },
  { isTieBroken: true, index: '', counts: 'over', precisionMs: day },
  { isTieBroken: true, index: 'account, created_at', counts: 'before', precisionMs: day },
  { isTieBroken: false, index: 'account, created_at', counts: 'before', precisionMs: 1 },
  { isTieBroken: false, index: '', counts: 'after', precisionMs: 1 },
  { isTieBroken: false, index: 'account, created_at', counts: 'after', precisionMs: day },
  { isTieBroken: false, index: '', counts: 'before', precisionMs: day },
];

const title =
  'tie-break $isTieBroken, index $index, total counted $counts, createdAt to $precisionMs ms';

/** The size of the slices, and whether the walk is from the newest row to the oldest. */
const walks = [
  [20, true],
  [100, true],
  [30, false],
] as const;

const accountId = '5f6c1a52-7f57-4d39-9f2c-6a1f9d0c7e11';

describe.each(['PostgreSQL', 'MariaDB'] as const)('walks over a statement in %s', (name) => {
  describe.skipIf(!hasDatabase[name])('paged in the ways of back ends', () => {
    let site: Awaited<ReturnType<typeof openSite>>;
    beforeAll(async () => {
      site = await openSite(await startDatabase[name]());
    });
    afterAll(() => site[Symbol.asyncDispose]());

    test.each(pagings)(
      `return every row that the pages of a still statement show, each once: ${title}`,
      async (paging) => {
        const statement = await site.open(paging);
        const shown = await statement.allShown();
        const again = await Promise.all([statement.allShown(), statement.allShown()]);
        const isStable = again.every((ids) => ids.join() === shown.join());
        const due = new Set(shown);
        // If the database sorts ties in another way at each read, another reading of the pages misses rows, too.
        const missed = (ids: readonly string[]) =>
          [...due].filter((id) => !ids.includes(id)).length;
        const mostLost = isStable ? 0 : 0.02 * due.size + Math.max(...again.map(missed));
        for (const [count, isForward] of walks) {
          const ids = await site.walk(count, isForward);
          const twice = [...repeated(ids)].filter((id) => isStable && !repeated(shown).has(id));
          expect(twice).toEqual([]);
          expect(missed(ids)).toBeLessThanOrEqual(mostLost);
        }
      },
    );

    const tieBroken = pagings.filter(({ isTieBroken }) => isTieBroken);

    test.each(tieBroken)(
      `return every row that stays once while a PIX with its fee, a late post or a deletion happens before pages: ${title}`,
      async (paging) => {
        const statement = await site.open(paging);
        for (const [count, isForward] of walks) {
          const write = writerOf(statement);
          statement.beforePage = write;
          expect(await faultsOf(site, statement, count, isForward, write)).toEqual(none);
        }
      },
    );

    // For most slices, that is an arrival in every call, and for the longest ones two.
    test.each(tieBroken)(
      `return every row that stays once while a PIX with its fee arrives between the two queries of every fourth page or, for slices of more than a page, of every seventh: ${title}`,
      async (paging) => {
        const statement = await site.open(paging);
        for (const [count, isForward] of walks) {
          let pages = 0;
          statement.betweenQueries = async () => {
            if (++pages % (count > pageSize ? 7 : 4) === 0) await statement.postPair();
          };
          const faults = await faultsOf(site, statement, count, isForward, writerOf(statement));
          expect(faults).toEqual(none);
        }
      },
    );
  });
});

const none = { lost: [], twice: [] };

/** The ids that a walk does not deliver although their rows stay, and those that it delivers twice. */
async function faultsOf(
  site: Awaited<ReturnType<typeof openSite>>,
  statement: PagedStatement,
  count: number,
  isForward: boolean,
  between: () => Promise<void>,
): Promise<{ lost: string[]; twice: string[] }> {
  const before = await statement.ids();
  const ids = await site.walk(count, isForward, between);
  const left = new Set(await statement.ids());
  const lost = before.filter((id) => left.has(id) && !ids.includes(id));
  return { lost, twice: [...repeated(ids)] };
}

function repeated(ids: readonly string[]): Set<string> {
  const known = new Set<string>();
  return new Set(ids.filter((id) => known.size === known.add(id).size));
}

/** Writes at every third of the first 80 moments. */
function writerOf(statement: PagedStatement): () => Promise<void> {
  const events = [
    () => statement.postPair(),
    () => statement.remove(),
    () => statement.postLate(),
    () => statement.postPair(),
  ];
  let moments = 0;
  return async () => {
    const event = ++moments % 3 === 0 ? events[moments % events.length] : undefined;
    if (moments < 80) await event?.();
  };
}

/** A gateway over a service that pages a statement in the database. */
async function openSite(database: Database) {
  await using started = new AsyncDisposableStack();
  started.use(database);
  let statement: PagedStatement | undefined;
  const rest = started.use(
    await startRestService((page) => statement?.answer(page) ?? { status: 404 }),
  );
  const gateway = started.use(await startTestGateway({ UPSTREAM_URL: rest.url }));
  const walker = started.use(await createWalker(gateway));
  const open = started.move();
  return {
    open: async (paging: Paging) => (statement = await PagedStatement.create(database, paging)),
    /** Walks to an end, and returns the ids of all slices. */
    async walk(count: number, isForward: boolean, between = () => Promise.resolve()) {
      const ids: string[] = [];
      for (let cursor: string | null = null, isMore = true; isMore;) {
        const args: SliceQuery = isForward
          ? { first: count, after: cursor }
          : { last: count, before: cursor };
        const slice: WalkedSlice = await walker.slice(accountId, args).catch((error: unknown) => {
          // The same request can be sent again.
          if (error instanceof SliceError && error.code === 'STATEMENT_UNSETTLED') {
            return walker.slice(accountId, args);
          }
          throw error;
        });
        ids.push(...slice.ids);
        cursor = (isForward ? slice.endCursor : slice.startCursor) ?? cursor;
        isMore = isForward ? slice.hasNextPage : slice.hasPreviousPage;
        if (isMore) await between();
      }
      return ids;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
