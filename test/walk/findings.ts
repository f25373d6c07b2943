// Counts the faults that the exhaustive check finds, and reports them with the smallest example of each kind.
import { Search, type Counts, type Finding, type Task } from './search.ts';
import type { StatementsClass } from './service.ts';
import { codeOf } from './replay.ts';
import { type History, worldsOf, type World } from './worlds.ts';

/** A kind of fault, with its smallest example. */
export interface Found {
  readonly kind: Finding['kind'];
  /** The family of the twin that excuses the fault; null without such a twin. */
  readonly family: keyof typeof families | null;
  readonly what: string;
  readonly route: string;
  readonly histories: number;
  /** The number of events in the example and its twin together. */
  readonly events: number;
  /** Several lines of plain text. */
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

/**
 * The families of faults that no planner can avoid. The family depends on whether a history and its twin differ by rows
 * that came and went or by ties that changed places, whether this happened between two calls or during one, and whether
 * both have removed rows (`place`). docs/paging.md has a line for each family.
 */
export const families = {
  place: 'Where the row of the cursor stood',
  balance: 'Between two calls',
  balanceDuring: 'Between two reads of one call',
  ties: 'Ties, between two calls',
  tiesDuring: 'Ties, between two reads of one call',
} as const;

/** The family of a wrong answer that a twin excuses; null without such a twin. */
function familyOf({ kind, world, twin }: Finding): keyof typeof families | null {
  if (twin === null || isDefect(kind)) return null;
  const all = [...eventsOf(world), ...eventsOf(twin)];
  const isDuring = all.some(({ read }) => read > 0);
  if (all.some(({ event }) => event.startsWith('~'))) return isDuring ? 'tiesDuring' : 'ties';
  if (isDuring) return 'balanceDuring';
  const isGone = (one: World) => one.statement.entries.some((entry) => entry.isGone);
  return isGone(world) && isGone(twin) ? 'place' : 'balance';
}

function eventsOf({ history }: World): History[] {
  const events: History[] = [];
  for (let one = history; one !== null; one = one.before) events.unshift(one);
  return events;
}

/** Walks all histories of one part of the scope, and counts their faults by kind. */
export async function countTask(Statements: StatementsClass, task: Task): Promise<Counted> {
  const found = new Map<string, Found>();
  const search = new Search(Statements, task, (finding) => {
    const { kind, what, world, twin } = finding;
    const haveSwapped = eventsOf(world).some(({ event }) => event.startsWith('~'));
    const route = haveSwapped ? `${finding.route}, ties swap` : finding.route;
    const family = familyOf(finding);
    const key = `${kind} ${family ?? ''} ${what} ${route}`;
    const known = found.get(key);
    const events = world.events + (twin?.events ?? 0);
    const histories = (known?.histories ?? 0) + finding.histories;
    const isBetter = known === undefined || events < known.events;
    found.set(key, {
      ...{ kind, family, what, route, histories },
      events: isBetter ? events : known.events,
      example: isBetter ? describe(finding) : known.example,
    });
  });
  return { counts: await search.run(startsOf(task)), found };
}

/** The code of one history for each fault that is found in one part of the scope. */
export async function faultsIn(Statements: StatementsClass, task: Task): Promise<string[]> {
  const codes: string[] = [];
  const search = new Search(Statements, task, (finding) => codes.push(codeOf(finding)));
  await search.run(startsOf(task));
  return codes;
}

function startsOf({ rows, size }: Task): World[] {
  return [...worldsOf('byId', rows, size), ...worldsOf('posted', rows, size)];
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
  defect: 'DEFECT: wrong in every history with these answers',
  needless: 'DEFECT: right in another history with these answers, but one answer is right in both',
  calls: 'DEFECT: more calls than the bound allows',
  'calls while it moves': 'more calls than the bound, where rows moved during the call',
  twin: 'right in another history with the same answers, which calls for another slice',
};

/** Whether a finding of this kind is always a defect. */
export function isDefect(kind: Finding['kind']): boolean {
  return kind === 'defect' || kind === 'needless' || kind === 'calls';
}

/** The number of histories with a fault that no twin excuses, by fault and route. */
export function defectsIn({ found }: Summary): Record<string, number> {
  const defects = [...found.values()].filter(({ kind }) => isDefect(kind));
  const classes = defects.map((one) => [`${one.what}, ${one.route}`, one] as const).sort();
  const all: Record<string, number> = {};
  for (const [name, { histories }] of classes) all[name] = (all[name] ?? 0) + histories;
  return all;
}

/** The report: each kind of fault with its smallest example, then numbers. */
export function sumUp({ counts, found }: Summary): string {
  const { histories, wrong, expired, worlds, steps } = counts;
  const all = [...found.values()].sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  const lines = all.flatMap(({ kind, family, what, route, histories: times, example }) => [
    '',
    `${titles[kind]}: ${what}, ${route}, in ${times} histories${family === null ? '' : ` (${families[family]})`}`,
    example,
  ]);
  const ofFamilies = Object.entries(families).map(([family, name]) => {
    const members = all.filter((one) => one.family === family);
    return `${sumOf(members)} histories cannot be told from a twin: ${name}`;
  });
  return [
    ...lines,
    '',
    `${histories} histories (${worlds} distinct statements with a past, ${steps} questions to the planner)`,
    `${wrong} end with a wrong answer and ${expired} with an error`,
    ...ofFamilies,
    `${sumOf(all.filter(({ kind }) => isDefect(kind)))} histories have a fault without a twin`,
  ].join('\n');
}

function sumOf(found: readonly Found[]): number {
  return found.reduce((sum, { histories }) => sum + histories, 0);
}

const kinds = Object.keys(titles);

function describe(finding: Finding): string {
  const { world, twin } = finding;
  const wrong = `  wrong: ${describeWorld(finding, world)}`;
  return twin === null ? wrong : `${wrong}\n  right: ${describeWorld(finding, twin)}`;
}

function describeWorld(finding: Finding, world: World): string {
  const { statement, seen } = world;
  const rows = statement.entries.map(({ serial, at, isGone }) => {
    const label = seen.indexOf(serial);
    const name = label < 0 ? '?' : String.fromCharCode(97 + label);
    return isGone ? `(${name}${at / 2 ** 20})` : `${name}${at / 2 ** 20}`;
  });
  return `${rows.join(' ')}  --replay '${codeOf(finding, world)}'`;
}
