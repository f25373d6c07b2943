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
    file: 'place.ts',
    from: '    first: distance - direction,',
    to: '    first: distance,',
  },
  {
    name: 'uses the old place although the total has changed',
    file: 'place.ts',
    from: 'if (sheet.pages.some(({ total }) => total !== cursor.total)) return false;',
    to: 'if (sheet.pages.length < 0) return false;',
  },
  {
    name: 'does not compare the neighbour that the cursor names',
    file: 'place.ts',
    from: 'direction === -1 : name !== fingerprintOf(next.key)',
    to: 'direction === -1 : false',
  },
  {
    name: 'uses the old place on a walk to newer rows without a named neighbour',
    file: 'place.ts',
    from: 'if (name === NO_KEY ? direction === -1 :',
    to: 'if (name === NO_KEY ? false :',
  },
  {
    name: 'returns the row before a removed one again',
    file: 'place.ts',
    from: 'let from = before ? rankOf(search, before.distance) : -1;',
    to: 'let from = before ? rankOf(search, before.distance) - 1 : -1;',
  },
  {
    name: 'returns one row too many after a removed one',
    file: 'place.ts',
    from: 'let to = after ? rankOf(search, after.distance) : sheet.latest.total;',
    to: 'let to = after ? rankOf(search, after.distance) - 1 : sheet.latest.total;',
  },
  {
    name: 'confuses newer and older rows',
    file: 'place.ts',
    from: 'direction * (cursor.createdAtMs - createdAtMs)',
    to: 'direction * (createdAtMs - cursor.createdAtMs)',
  },
  {
    name: 'expects the row one place off',
    file: 'place.ts',
    from: 'const old = cursor.total - 1 - cursor.index;',
    to: 'const old = cursor.total - cursor.index;',
  },
  {
    name: 'reads the page of the cursor first',
    file: 'plan.ts',
    from: 'Math.max(cursor.index + direction, 0)',
    to: 'Math.max(cursor.index, 0)',
  },
  {
    name: 'joins pages that contradict each other',
    file: 'sheet.ts',
    from: 'if (replacing === undefined && isKnown)',
    to: 'if (isKnown)',
  },
  {
    name: 'keeps pages although older rows are gone',
    file: 'sheet.ts',
    from: 'if (replacing === undefined && isKnown)',
    to: 'if (replacing === undefined)',
  },
  {
    name: 'looks for a row one place further',
    file: 'sheet.ts',
    from: 'Math.floor((total - 1 - distance) / size)',
    to: 'Math.floor((total - distance) / size)',
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
    name: 'uses createdAt although the rows are not in its order',
    file: 'place.ts',
    from: 'const isTimed = cursor.createdAtMs !== null && isSorted(seen);',
    to: 'const isTimed = cursor.createdAtMs !== null;',
  },
  {
    name: 'states the total of the page that was read last',
    file: 'plan.ts',
    from: 'const total = shown.length > 0 ? Math.min(...shown) : sheet.latest.total;',
    to: 'const total = sheet.latest.total;',
  },
];
