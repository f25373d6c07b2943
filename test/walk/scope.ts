// The scopes of the exhaustive check: which histories it walks.
import type { Task } from './search.ts';

/** The maximum number of events for each number of rows, beginning with 1 row. */
const mostEvents: Readonly<Record<string, readonly number[]>> = {
  full: [2, 2, 2, 1, 1, 1],
  deep: [4, 4, 3, 2, 2, 1],
  small: [2, 2, 2, 1],
  pairs: [0, 2, 2],
  tiny: [1, 1, 1],
  triples: [0, 3],
};

/** The maximum number of events of a twin. */
const usualDeeper = 3;

/**
 * The parts of a scope: one for each combination of number of rows, page size, slice size and direction. Parts with the
 * most rows come first.
 */
export function tasksOf(scope: string, deeper = usualDeeper): Task[] {
  const most = mostEvents[scope];
  if (most === undefined) throw new Error(`the scopes are ${Object.keys(mostEvents).join(', ')}`);
  const tasks: Task[] = [];
  for (const [index, events] of most.entries()) {
    for (const size of [1, 2, 3]) {
      for (const count of [1, 2, 3, 4]) {
        for (const direction of [1, -1] as const)
          tasks.push({ rows: index + 1, size, direction, count, events, deeper });
      }
    }
  }
  return tasks.reverse();
}
