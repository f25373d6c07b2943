// Determines whether a wrong slice of a random walk has a twin, which is a statement that does not change between two
// calls and gives both calls the same answers. In the twin, the slice needs all pages that the later call has read, and
// the bound allows no further page. No planner can therefore be right in both statements.
import { isDeepStrictEqual } from 'node:util';
import { mostCalls } from './bounds.ts';
import { judge, type Walk } from './judge.ts';
import type { GivenSlice, Service } from './service.ts';
import type { Statement } from './statement.ts';

/** A call of a walk with its reads. */
export interface Call {
  readonly walk: Walk;
  readonly args: Parameters<Service['slice']>[0];
  readonly pages: readonly number[];
  readonly states: readonly Statement[];
  readonly answer: GivenSlice;
}

/**
 * Returns the twin; null if there is none. To check a twin, replays in it the call that gave the cursor and the call
 * that used it.
 */
export async function findStillTwin(
  service: Service,
  earlier: Call,
  later: Call,
): Promise<Statement | null> {
  const twin = unchangedBetween(earlier, later);
  if (twin === null) return null;
  service.statement = twin;
  service.onRead = () => undefined;
  for (const { args, answer, pages, walk } of [earlier, later]) {
    const again = await service.slice(args);
    if (!isDeepStrictEqual([again, service.pages], [answer, pages])) return null;
    if (typeof judge(walk, [twin], answer) === 'string') return null;
  }
  const { answer, pages, walk } = later;
  const given = new Set(answer.serials);
  const areNeeded = pages.every((page) =>
    rowsOn(twin, page).some(({ serial }) => given.has(serial)),
  );
  return areNeeded && pages.length === mostCalls(walk, twin, answer, 'still') ? twin : null;
}

/**
 * The statement of the later call, but with the rows that the earlier call has read at their indexes; null if such a
 * statement cannot exist, if ties have changed places, or if one of the calls has read several states.
 */
function unchangedBetween(earlier: Call, later: Call): Statement | null {
  const [[then, ...more], [now, ...others]] = [earlier.states, later.states];
  if (then === undefined || now === undefined || more.length + others.length > 0) return null;
  if (then.live.length !== now.live.length || then.size !== now.size) return null;
  if (now.unordered === 'all' || now.unordered.size > 0) return null;
  const rows = now.live.map((row, index) =>
    earlier.pages.includes(Math.floor(index / now.size)) ? (then.live[index] ?? row) : row,
  );
  // The twin's rows must keep the statement's order. In any other order, rows would have changed places between the two
  // calls.
  const live = new Set(rows.map(({ serial }) => serial));
  const entries = now.entries.map((entry) => ({ ...entry, isGone: !live.has(entry.serial) }));
  const twin = { ...now, entries, live: entries.filter(({ isGone }) => !isGone) };
  const serialsOf = (all: Statement['live']) => all.map(({ serial }) => serial);
  return isDeepStrictEqual(serialsOf(twin.live), serialsOf(rows)) ? twin : null;
}

function rowsOn({ live, size }: Statement, page: number): Statement['live'] {
  return live.slice(page * size, (page + 1) * size);
}
