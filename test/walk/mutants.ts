// Defects that are planted one at a time in copies of the planner. The exhaustive check has to find each defect.
import { cp, readFile, rm, writeFile } from 'node:fs/promises';

/** A planted defect: the first occurrence of `from` in a file of src/statement is replaced by `to`. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const root = new URL('../../', import.meta.url).pathname;

/** Copies `planner`, a folder like src, and plants the defect; returns the folder of the copy. */
export async function plant(planner: string, { name, file, from, to }: Mutant): Promise<string> {
  const folder = `${root}.cache/mutants/${name.replaceAll(/\W+/g, '-')}`;
  await rm(folder, { recursive: true, force: true });
  await cp(planner, folder, { recursive: true });
  const path = `${folder}/statement/${file}`;
  const text = await readFile(path, 'utf8');
  if (!text.includes(from)) throw new Error(`"${name}": ${file} has no ${from}`);
  await writeFile(
    path,
    text.replace(from, () => to),
  );
  return folder;
}

/** The defects to plant. Each name is the mistake that the defect causes. */
export const mutants: readonly Mutant[] = [
  {
    name: 'returns the row of the cursor again',
    file: 'locate.ts',
    from: "found(own - direction, 'row')",
    to: "found(own, 'row')",
  },
  {
    name: 'skips the row after that of the cursor',
    file: 'locate.ts',
    from: "found(own - direction, 'row')",
    to: "found(own - 2 * direction, 'row')",
  },
  {
    name: 'uses the old place although the total has changed',
    file: 'locate.ts',
    from: 'growth !== 0 || came > 0 || !next',
    to: '!next',
  },
  {
    name: 'uses the old place although a row from before the cursor is after it',
    file: 'locate.ts',
    from: 'if (!fits || hasPassed)',
    to: 'if (!fits)',
  },
  {
    name: 'does not compare the neighbour that the cursor names',
    file: 'locate.ts',
    from: ': name === fingerprintOf(next.row.key);',
    to: ': true;',
  },
  {
    name: 'uses the old place on a walk to newer rows without a named neighbour',
    file: 'locate.ts',
    from: 'name === NO_KEY ? direction === 1 :',
    to: 'name === NO_KEY ? true :',
  },
  {
    name: 'returns the row before a removed one again',
    file: 'lost-row.ts',
    from: '[before, from] = [one, rank + 1]',
    to: '[before, from] = [one, rank]',
  },
  {
    name: 'returns one row too many after a removed one',
    file: 'lost-row.ts',
    from: '[after, to] = [one, rank]',
    to: '[after, to] = [one, rank - 1]',
  },
  {
    name: 'reads the page of the cursor first',
    file: 'plan.ts',
    from: 'Math.max(cursor.index + direction, 0)',
    to: 'Math.max(cursor.index, 0)',
  },
  {
    name: 'does not detect that named ties have changed places',
    file: 'tie-order.ts',
    from: "const order = hasMoved ? 'changed' : comparePlaces(search, own);",
    to: 'const order = comparePlaces(search, own);',
  },
  {
    name: 'returns the ties that the cursor lists as returned',
    file: 'tie-order.ts',
    from: 'passed.has(fingerprintOf(key))) return false',
    to: 'due.has(fingerprintOf(key))) return false',
  },
  {
    name: 'confuses newer and older rows',
    file: 'search.ts',
    from: 'direction * (cursor.createdAtMs - row.createdAtMs)',
    to: 'direction * (row.createdAtMs - cursor.createdAtMs)',
  },
  {
    name: 'expects the row one place off',
    file: 'search.ts',
    from: 'const expected = cursor.total - 1 - cursor.index;',
    to: 'const expected = cursor.total - cursor.index;',
  },
  {
    name: 'joins pages that contradict each other',
    file: 'states.ts',
    from: '!areTied(row, there)) return true;',
    to: '!areTied(row, there)) return false;',
  },
  {
    name: 'joins pages that were read under two totals',
    file: 'states.ts',
    from: 'let isSame = page.total === total;',
    to: 'let isSame = own.length > 0;',
  },
  {
    name: 'looks for a row one place further',
    file: 'snapshot.ts',
    from: 'Math.floor((total - 1 - distance + movedBy) / size)',
    to: 'Math.floor((total - distance + movedBy) / size)',
  },
  {
    name: 'does not shift the rows of an earlier state',
    file: 'states.ts',
    from: 'const movedBy = latest.total - total;',
    to: 'const movedBy = 0;',
  },
  {
    name: 'encodes an index that is one too large',
    file: 'slice.ts',
    from: 'const index = total - 1 - distance;',
    to: 'const index = total - distance;',
  },
  {
    name: 'names the neighbours of a row on the wrong sides',
    file: 'slice.ts',
    from: 'if (wanted.direction === 1) writer.add',
    to: 'if (wanted.direction === -1) writer.add',
  },
  {
    name: 'marks every list of ties as complete',
    file: 'slice.ts',
    from: 'complete: ties < fingerprints.length };',
    to: 'complete: true };',
  },
  {
    name: 'does not read the places that imply changes on one side only',
    file: 'lost-row.ts',
    from: 'likely.find(isUnread)',
    to: 'likely.slice(2).find(isUnread)',
  },
  {
    name: 'does not use the named neighbours of a removed row',
    file: 'lost-row.ts',
    from: 'if (named.before !== undefined || named.after !== undefined)',
    to: 'if (named.to < 0)',
  },
  {
    name: 'uses createdAt although the rows are not in its order',
    file: 'plan.ts',
    from: 'if (!snapshots.every(isSorted))',
    to: 'if (false)',
  },
];
