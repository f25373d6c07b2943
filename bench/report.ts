// Writes the results into the marked places of docs/performance.md and bench/results/README.md, and draws charts of them:
// `npm run bench:report`.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'prettier';
import type { Comparison } from './compare.ts';
import type { Growth } from './growth.ts';
import { growthChart, ratioChart } from './report/charts.ts';
import * as tables from './report/tables.ts';
import { readResults } from './surroundings.ts';

const root = join(import.meta.dirname, '..');
const comparison = await readResults<Comparison>('compare');
const growth = await readResults<Growth>('growth');

await fill('docs/performance.md', {
  ratios: tables.ratioTable(comparison),
  versions: tables.versionList(comparison),
});
await fill('bench/results/README.md', {
  details: tables.detailTables(comparison),
  connections: tables.connectionsTable(growth),
  latency: tables.latencyTable(growth),
  memory: tables.memoryTable(growth),
  processes: tables.processesTable(growth),
  slices: tables.slicesTable(growth),
  walk: tables.walkTable(growth),
});
await writeFile(
  join(root, 'docs/pictures/performance.svg'),
  ratioChart(tables.ratiosOf(comparison)),
);
await writeFile(join(root, 'docs/pictures/growth.svg'), growthChart(growth));

/** Replaces the text between `<!-- NAME -->` and `<!-- /NAME -->` for each name. Throws if a marker is missing. */
async function fill(path: string, texts: Readonly<Record<string, string>>): Promise<void> {
  const file = join(root, path);
  let page = await readFile(file, 'utf8');
  for (const [name, text] of Object.entries(texts)) {
    const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const from = page.indexOf(start);
    const to = page.indexOf(end);
    if (from === -1 || to === -1) throw new Error(`${path} has no place for ${name}`);
    page = `${page.slice(0, from + start.length)}\n\n${text}\n\n${page.slice(to)}`;
  }
  await writeFile(file, await format(page, { parser: 'markdown', printWidth: 100 }));
}
