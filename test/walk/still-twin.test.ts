// Tests when a wrong slice has a twin that does not change between two calls.
import { expect, test } from 'vitest';
import { Statements } from '../../src/statement/statement.ts';
import { createVirtualService, type GivenSlice } from './service.ts';
import { statementOf, post, remove, type Statement } from './statement.ts';
import { findStillTwin, type Call } from './still-twin.ts';

const start = statementOf('lastLast', [1, 1, 1, 1], 2);
// The total is unchanged, and the last page begins with row 4 instead of 3.
const moved = post(remove(start, 1), 5, 1);

/** Reads a slice of `then` and the next one of `now`; returns the rows of the twin of the second slice, or null. */
async function twinOf(count: number, then: Statement, now: Statement): Promise<string | null> {
  const service = createVirtualService(Statements, then);
  const call = async (cursor: number | null, after: string | null): Promise<Call> => {
    const given = new Set(start.live.slice(0, cursor ?? 0).map(({ serial }) => serial));
    const walk = { direction: 1, cursor, count, given, due: null, mark: then } as const;
    const args = { first: count, after };
    const answer = (await service.slice(args)) as GivenSlice;
    return { walk, args, pages: service.pages, states: service.states, answer };
  };
  const earlier = await call(null, null);
  service.statement = now;
  const later = await call(earlier.answer.serials.at(-1) ?? null, earlier.answer.endCursor);
  const twin = await findStillTwin(service, earlier, later);
  return twin?.live.map(({ serial }) => serial).join(' ') ?? null;
}

test('a wrong slice has a twin if the bound on calls excludes a read of the page before the slice', async () => {
  expect(await twinOf(2, start, moved)).toBe('1 2 4 5');
});

test('a wrong slice has no twin if a read shows a different total, or a row of the previous slice', async () => {
  expect(await twinOf(2, start, remove(start, 1))).toBeNull();
  expect(await twinOf(2, start, remove(post(start, 5, 2), 4))).toBeNull();
});
