// Defects that are planted one at a time in copies of the planner. The exhaustive check has to find each defect.
import { cp, readFile, rm, writeFile } from 'node:fs/promises';

/** A planted defect: the first occurrence of `from` in a file of src/statement is replaced by `to`. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The shortest history found in which the planner is wrong with the defect, or needs more reads (replay.ts). */
  readonly history: string;
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

/** The defects to plant: what the planner does without one of its rules. */
export const mutants: readonly Mutant[] = [
  {
    name: 'returns the row of the cursor again',
    file: 'place.ts',
    from: '    first: distance - direction,',
    to: '    first: distance,',
    history: 'byId:1,1:1:forward:1:',
  },
  {
    name: 'uses the old place although the total has changed',
    file: 'place.ts',
    from: 'if (sheet.pages.some(({ total }) => total !== cursor.total)) return false;',
    to: 'if (sheet.pages.length < 0) return false;',
    history: 'byId:1,1,1:1:turn:2:2.1+1@1048576,2.2+0@1048576',
  },
  {
    name: 'does not compare the neighbour that the cursor names',
    file: 'place.ts',
    from: 'direction === -1 : name !== fingerprintOf(next.key)',
    to: 'direction === -1 : false',
    history: 'byId:1,1:1:turn:1:2.0-1,2.0+0@1048576',
  },
  {
    name: 'uses the old place on a walk to newer rows without a named neighbour',
    file: 'place.ts',
    from: 'if (name === NO_KEY ? direction === -1 :',
    to: 'if (name === NO_KEY ? false :',
    history: 'byId:1,1,1:1:backward:1:1.0-2,1.0+0@1048576',
  },
  {
    name: 'returns the row before a removed one again',
    file: 'place.ts',
    from: 'let from = before ? rankOf(search, before.distance) : -1;',
    to: 'let from = before ? rankOf(search, before.distance) - 1 : -1;',
    history: 'byId:1,2,2:1:forward:1:2.0+1@2097152,2.1-2',
  },
  {
    name: 'returns one row too many after a removed one',
    file: 'place.ts',
    from: 'let to = after ? rankOf(search, after.distance) : sheet.latest.total;',
    to: 'let to = after ? rankOf(search, after.distance) - 1 : sheet.latest.total;',
    history: 'byId:1,1,1:1:turn:1:2.0-1',
  },
  {
    name: 'confuses newer and older rows',
    file: 'place.ts',
    from: 'direction * (cursor.createdAtMs - createdAtMs)',
    to: 'direction * (createdAtMs - cursor.createdAtMs)',
    history: 'byId:1,1:1:forward:1:1.0+2@0',
  },
  {
    name: 'expects the row one place off',
    file: 'place.ts',
    from: 'const old = cursor.total - 1 - cursor.index;',
    to: 'const old = cursor.total - cursor.index;',
    history: 'posted:1:1:news:1:1.0+0@0',
  },
  {
    name: 'reads the page of the cursor first',
    file: 'plan.ts',
    from: 'cursor.index + (direction === 1 ? 1 : -Math.max(count, 1))',
    to: 'cursor.index',
    history: 'byId:1,1:1:forward:1:',
  },
  {
    name: 'joins pages that contradict each other',
    file: 'sheet.ts',
    from: 'if (by === undefined && isKnown)',
    to: 'if (isKnown)',
    history: 'byId:1,1:1:backward:1:0.1~0',
  },
  {
    name: 'keeps pages although older rows are gone',
    file: 'sheet.ts',
    from: 'if (by === undefined && isKnown)',
    to: 'if (by === undefined)',
    history: 'byId:1,1,1:1:backward:1:1.1-0',
  },
  {
    name: 'looks for a row one place further',
    file: 'sheet.ts',
    from: 'Math.floor((total - 1 - distance) / size)',
    to: 'Math.floor((total - distance) / size)',
    history: 'byId:1:1:news:1:1.0+0@1048576',
  },
  {
    name: 'encodes an index that is one too large',
    file: 'slice.ts',
    from: 'const index = total - 1 - distance;',
    to: 'const index = total - distance;',
    history: 'byId:1:1:news:1:',
  },
  {
    name: 'names the neighbours of a row on the wrong sides',
    file: 'slice.ts',
    from: 'if (wanted.direction === 1) writer.add',
    to: 'if (wanted.direction === -1) writer.add',
    history: 'byId:1,1:1:turn:1:',
  },
  {
    name: 'uses createdAt although the rows are not in its order',
    file: 'place.ts',
    from: 'const isTimed = cursor.createdAtMs !== null && isSorted(seen);',
    to: 'const isTimed = cursor.createdAtMs !== null;',
    history: 'posted:1,1:1:news:2:0.1-0,0.1+0@0',
  },
  {
    name: 'states the total of the page that was read last',
    file: 'plan.ts',
    from: 'const total = shown.length > 0 ? Math.min(...shown) : sheet.latest.total;',
    to: 'const total = sheet.latest.total;',
    history: 'byId:1,1:1:forward:2:0.1+0@1048576',
  },
  {
    name: 'takes a row that stands elsewhere without reading its old place',
    file: 'place.ts',
    from: 'if (isUnread(sheet, old) && !(own === old + growth && kept.length === named.length))',
    to: 'if (isUnread(sheet, old) && own === undefined)',
    history: 'byId:1,1:1:backward:1:1.0~0',
  },
  {
    name: 'goes on beside a row that has moved alone',
    file: 'place.ts',
    from: 'if (own !== undefined && kept.some(({ offset }) => offset === 0))',
    to: 'if (own !== undefined)',
    history: 'byId:1,2:1:turn:1:2.0+2@1048576,2.2+2@1048576,2.2+2@1048576',
  },
  {
    name: 'uses createdAt although no row can have arrived in between',
    file: 'place.ts',
    from: 'of isTimed && !isClosed ? seen : []',
    to: 'of isTimed ? seen : []',
    history: 'posted:2,1,2:1:forward:1:2.0-1',
  },
  {
    name: 'expires although only the rows that the cursor names are gone',
    file: 'place.ts',
    from: 'growth === -gone &&',
    to: 'growth === -gone - 1000 &&',
    history: 'posted:2,1,2:1:forward:1:1.0-0',
  },
  {
    name: 'concludes that rows are gone before the places beside were read',
    file: 'place.ts',
    from: 'return beside.find((rank) => isUnread(sheet, rankOf(search, rank)));',
    to: 'return undefined;',
    history: 'posted:1,1:1:backward:1:0.1+0@0,2.0-1',
  },
  {
    name: 'takes a row under another id for a new one',
    file: 'place.ts',
    from: 'if (isRenamed(search, old, gap))',
    to: 'if (isRenamed(search, old, { ...gap, from: NaN }))',
    history: 'byId:1,2,2:1:forward:1:2.0+1@2097152,2.1-2',
  },
  {
    name: 'never takes the order of a service for its own',
    file: 'sheet.ts',
    from: 'if (wasLoose || !isContradicted || !isOwnOrder(reads))',
    to: 'if (wasLoose || !isContradicted || reads.length > 0)',
    history: 'byId:1,1,1:1:backward:1:1.1~1,1.2~1',
  },
  {
    name: 'walks loose ties by named rows',
    file: 'place.ts',
    from: 'if (areLoose && hasTies(search)',
    to: 'if (areLoose && cursor.total < 0 && hasTies(search)',
    history: 'byId:1,1:2:forward:1:1.0~0,1.0+2@1048576',
  },
  {
    name: 'returns rows that the cursor names as returned',
    file: 'plan.ts',
    from: 'if (row !== undefined ? isGiven(row, distance, wanted, sheet, rows) :',
    to: 'if (row !== undefined ? false :',
    history: 'byId:1,1:1:turn:1:2.0~0',
  },
  {
    name: 'keeps the other pages of a state after one was replaced',
    file: 'sheet.ts',
    from: '      !replaced.some(',
    to: '      replaced.some(() => true) ||\n      !replaced.some(',
    history: 'byId:1,1,1:1:forward:3:0.2+2@1048576',
  },
  {
    name: 'keeps pages read before the state in which one was replaced',
    file: 'sheet.ts',
    from: 'own >= one.state',
    to: 'own === one.state',
    history: 'byId:1,1:1:forward:2:0.1+1@1048576,0.4+3@1048576',
  },
  {
    name: 'reads again all pages that were contradicted',
    file: 'plan.ts',
    from: 'distance === again || !wasRead(distance)',
    to: 'again === again',
    history: 'byId:1,1:1:backward:2:0.1~0,0.3+1@1048576,0.4-0',
  },
  {
    name: 'reads older pages first on a walk to newer rows',
    file: 'plan.ts',
    from: 'cursor.index + (direction === 1 ? 1 : -Math.max(count, 1))',
    to: 'cursor.index + direction',
    history: 'byId:1,1,1:1:turn:1:1.0+0@1048576,2.1+3@1048576',
  },
  {
    name: 'believes every total',
    file: 'miscount.ts',
    from: 'if (countRereads(reads) >= maxRereads)',
    to: 'if (maxRereads > 0)',
    history: 'byId:1,1:1:turn:1:2.0+0@1048576,2.1+2@1048576',
  },
  {
    name: 'does not ask whether another page agrees',
    file: 'miscount.ts',
    from: 'return !others.some((one) => contradicts(page, one)) ||',
    to: 'return others.length >= 0 ||',
    history: 'byId:1,1:1:forward:2:0.1+2@1048576,0.4-0',
  },
];
