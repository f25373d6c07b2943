// What the exhaustive check found, summed up: how many histories, and of each kind of fault the smallest example.
import { Search, type Counts, type Finding, type Task } from './search.ts';
import type { CreateStatements } from './service.ts';
import { codeOf } from './replay.ts';
import { worldsOf, type World } from './worlds.ts';

/** A kind of fault. */
export interface Found {
  readonly kind: Finding['kind'];
  readonly what: string;
  readonly route: string;
  readonly histories: number;
  /** Events in the example and in its twin. */
  readonly events: number;
  /** Plain text, several lines. */
  readonly example: string;
}

export interface Counted {
  readonly counts: Counts;
  readonly found: ReadonlyMap<string, Found>;
}

export interface Summary {
  readonly counts: Counts;
  readonly found: Map<string, Found>;
}

export function noCounts(): Counts {
  return { histories: 0, wrong: 0, expired: 0, worlds: 0, steps: 0 };
}

/** Walks the histories of one part of the scope. */
export async function countTask(createStatements: CreateStatements, task: Task): Promise<Counted> {
  const found = new Map<string, Found>();
  const search = new Search(createStatements, task, (finding) => {
    const { kind, what, world, twin } = finding;
    const key = `${kind} ${what} ${task.route}`;
    const known = found.get(key);
    const events = world.events + (twin?.events ?? 0);
    const histories = (known?.histories ?? 0) + world.weight;
    const isBetter = known === undefined || events < known.events;
    found.set(key, {
      ...{ kind, what, route: task.route, histories },
      events: isBetter ? events : known.events,
      example: isBetter ? describe(finding) : known.example,
    });
  });
  const { rows, size } = task;
  const worlds = [...worldsOf('byId', rows, size), ...worldsOf('posted', rows, size)];
  return { counts: await search.run(worlds), found };
}

export function addCounts({ counts, found }: Summary, counted: Counted): void {
  for (const key of Object.keys(counts) as (keyof Counts)[]) counts[key] += counted.counts[key];
  for (const [key, one] of counted.found) {
    const known = found.get(key);
    const histories = (known?.histories ?? 0) + one.histories;
    const better = known === undefined || one.events < known.events ? one : known;
    found.set(key, { ...better, histories });
  }
}

const titles: Readonly<Record<Finding['kind'], string>> = {
  defect: 'DEFECT: wrong in every statement that gives these pages',
  calls: 'DEFECT: more calls than the bound allows',
  'calls while it moves': 'more calls than the bound, where rows moved during the call',
  'looked too little': 'one more read, within the bound, would have told the two apart',
  price: 'one more read would have told the two apart, but is beyond the bound in the twin',
  unseen: 'both statements are the same now: no read can tell the two apart',
};

/** The report: figures, then each kind of fault with its smallest example. */
export function sumUp({ counts, found }: Summary): string {
  const { histories, wrong, expired, worlds, steps } = counts;
  const all = [...found.values()].sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  const without = all.filter(({ kind }) => kind === 'defect' || kind === 'calls');
  const lines = all.flatMap(({ kind, what, route, histories: times, example }) => [
    '',
    `${titles[kind]}: ${what}, ${route}, in ${times} histories`,
    example,
  ]);
  return [
    ...lines,
    '',
    `${histories} histories (${worlds} distinct statements with a past, ${steps} questions to the planner)`,
    `${wrong} end with a wrong answer and ${expired} with an error`,
    `${without.reduce((sum, one) => sum + one.histories, 0)} histories have a fault without a twin`,
  ].join('\n');
}

const kinds = Object.keys(titles);

function describe({ task, world, twin, transcript }: Finding): string {
  const lines = transcript.map((line) => `    ${line}`);
  lines.push(`  is wrong for  ${describeWorld(task, world)}`);
  if (twin !== null) lines.push(`  but right for ${describeWorld(task, twin)}`);
  return lines.join('\n');
}

function describeWorld(task: Task, world: World): string {
  const { statement, seen } = world;
  const rows = statement.entries.map(({ serial, at, isGone }) => {
    const label = seen.indexOf(serial);
    const name = label < 0 ? '?' : String.fromCharCode(97 + label);
    return isGone ? `(${name}${at / 2 ** 20})` : `${name}${at / 2 ** 20}`;
  });
  return `${rows.join(' ')}  --replay '${codeOf(task, world)}'`;
}
