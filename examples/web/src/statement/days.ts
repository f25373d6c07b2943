// The days of a statement. Days that did not change keep their object, so that they are not rendered again.
import { formatDay } from '../dates.ts';
import type { LineFragment } from '../generated/graphql.ts';
import type { Text } from '../text/pt.ts';

export interface Day {
  /** The day in words. */
  readonly name: string;
  readonly lines: readonly LineFragment[];
}

/** Groups the lines of a growing list, in the order of the statement. */
export type DayGrouping = (lines: readonly LineFragment[]) => readonly Day[];

export function createDayGrouping(text: Text, timeZone: string): DayGrouping {
  // Formatting takes longer than all the rest, and a line stays the same object while the list grows.
  const names = new WeakMap<LineFragment, string>();
  let grouped: readonly LineFragment[] = [];
  let days: ReadonlyMap<string, Day> = new Map();

  const nameOf = (line: LineFragment): string => {
    const known = names.get(line);
    if (known !== undefined) return known;
    const { createdAt } = line;
    const name = createdAt === null ? text.noDate : formatDay(createdAt, text.locale, timeZone);
    names.set(line, name);
    return name;
  };

  return (lines) => {
    // Only the end of a list that has grown there is grouped.
    const grown = startsWith(lines, grouped) ? grouped.length : 0;
    const next = new Map(grown > 0 ? days : []);
    for (const [name, added] of Map.groupBy(lines.slice(grown), nameOf)) {
      const known = days.get(name);
      const group = grown > 0 && known ? [...known.lines, ...added] : added;
      next.set(name, known && isSame(known.lines, group) ? known : { name, lines: group });
    }
    grouped = lines;
    days = next;
    return [...next.values()];
  };
}

function startsWith(lines: readonly LineFragment[], start: readonly LineFragment[]): boolean {
  return start.every((line, index) => line === lines[index]);
}

function isSame(one: readonly LineFragment[], other: readonly LineFragment[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}
