// Measures how costs depend on connections, latency, the size and form of operations, the position in a statement, and
// processes: `npm run bench:growth`. Use `npm run bench:growth -- NAME` for a single part.
import { existsSync } from 'node:fs';
import { growConnections } from './growth/connections.ts';
import { compareForms } from './growth/forms.ts';
import { measureLatency } from './growth/latency.ts';
import { measureResident, measureWaiting } from './growth/memory.ts';
import { compareProcesses } from './growth/processes.ts';
import { growSlices } from './growth/slices.ts';
import { walk } from './growth/walk.ts';
import { describeMachine, type Machine, readResults, writeResults } from './surroundings.ts';

const parts = {
  connections: () => growConnections(),
  latency: () => measureLatency(),
  waiting: () => measureWaiting(),
  resident: () => measureResident(),
  processes: () => compareProcesses(),
  slices: () => growSlices(),
  forms: () => compareForms(),
  walk: () => walk(),
};
type Part = keyof typeof parts;

/** The results, by part. Running one part alone keeps the results of the others. */
export type Growth = { readonly machine: Machine } & {
  readonly [P in Part]: Awaited<ReturnType<(typeof parts)[P]>>;
};

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(name in parts));
if (unknown !== undefined)
  throw new Error(`there is no part ${unknown}, but: ${names().join(', ')}`);
const file = new URL('./results/growth.json', import.meta.url);
let results: Record<string, unknown> = existsSync(file) ? await readResults('growth') : {};
for (const part of names().filter((name) => asked.length === 0 || asked.includes(name))) {
  console.log(part);
  results = { ...results, machine: await describeMachine(), [part]: await parts[part]() };
  await writeResults('growth', results);
}

function names(): Part[] {
  return Object.keys(parts) as Part[];
}
