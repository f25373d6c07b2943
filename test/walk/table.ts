// `npm run walks` runs random walks of each category, and prints a table of their outcomes. See README.md in this
// folder.
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { help, readArguments } from '../../scripts/arguments.ts';
import { services } from './behaviours.ts';
import { categories, type Category } from './categories.ts';
import { createRandom } from './random.ts';
import { createHttpService, createVirtualService, type StatementsClass } from './service.ts';
import { compare, shareOf } from './shares.ts';
import { runWalk, type Outcome } from './walks.ts';

const options = {
  runs: { type: 'string', default: '500' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string', default: '' },
  planner: { type: 'string', default: new URL('../../src', import.meta.url).pathname },
  http: { type: 'boolean', default: false },
  replay: { type: 'string' },
  /** Prints the number of a walk to replay for each kind of fault. */
  examples: { type: 'boolean', default: false },
  help,
} as const;
const { values } = readArguments('npm run walks -- [option]… (test/walk/README.md)', () =>
  parseArgs({ options }),
);

/** The code of a slice that needs more than the 50 calls that an operation may make. */
const tooComplex = 'OPERATION_TOO_COMPLEX';

const shareHead = [
  ...['service', 'rows %', 'naive %', 'twice', 'naive', 'missed', 'over limit', 'by at most'],
  ...['asked again', 'expired', 'unsettled', 'other errors'],
];
const faultHead = [
  ...['statement', 'walks', 'wrong %', 'lost', 'news %', 'refused %', 'expired %'],
  ...['over bound %', 'by at most', 'moving %', 'by at most'],
];

const { Statements } = (await import(
  pathToFileURL(`${values.planner}/statement/statement.ts`).href
)) as { Statements: StatementsClass };

await using http = values.http ? await createHttpService() : null;

const all = [...categories, ...services];

if (values.replay !== undefined) await replay(values.replay);
else {
  const chosen = all.filter(({ name }) => name.includes(values.only));
  if (!values.http) {
    printRow(shareHead);
    printRow(shareHead.map(() => '---'));
    for (const category of chosen) await reportShares(category);
    console.log('');
  }
  printRow(faultHead);
  printRow(faultHead.map(() => '---'));
  for (const category of chosen) if (!services.includes(category)) await report(category);
}

function printRow(cells: readonly (string | number)[]): void {
  console.log(`| ${cells.join(' | ')} |`);
}

async function replay(code: string): Promise<void> {
  const [name = '', run = '0'] = code.split('#');
  const category = all.find((one) => one.name === name);
  if (category === undefined) throw new Error(`there is no category "${name}"`);
  const trace = (line: string) => console.log(line);
  const isShare = services.includes(category);
  console.log(
    isShare
      ? await shareOf(Statements, category, `${values.seed} ${run}`, trace)
      : await walkOnce(category, Number(run), trace),
  );
}

async function reportShares(category: Category): Promise<void> {
  const { walk, naive, examples, ...counts } = await compare(
    ...([Statements, category, Number(values.runs), values.seed] as const),
  );
  const percent = (part: number) => (100 * part).toFixed(part === 1 ? 0 : 1);
  printRow([
    ...[category.name, percent(walk.share), percent(naive.share), walk.twice, naive.twice],
    ...[counts.missed, counts.over, counts.most, counts.retried],
    ...[counts.expired, counts.unsettled, counts.otherErrors],
  ]);
  if (!values.examples) return;
  for (const [what, run] of examples)
    console.log(`    ${what}: --replay '${category.name}#${run}'`);
}

async function report(category: Category): Promise<void> {
  const runs = Number(values.runs);
  const count = {
    wrong: 0,
    lost: 0,
    news: 0,
    refused: 0,
    expired: 0,
    over: 0,
    most: 0,
    moving: 0,
    mostMoving: 0,
  };
  const faults = new Map<string, { times: number; first: number }>();
  const note = (what: string, run: number) => {
    const known = faults.get(what) ?? { times: 0, first: run };
    faults.set(what, { ...known, times: known.times + 1 });
  };
  for (let run = 0; run < runs; run++) {
    const outcome = await walkOnce(category, run);
    const { expired, callsOver, callsOverMoving } = outcome;
    const isRefused = [outcome.fault, outcome.news].includes(tooComplex);
    const fault = outcome.fault === tooComplex ? null : outcome.fault;
    const news = outcome.news === tooComplex ? null : outcome.news;
    if (outcome.fault !== null) note(outcome.fault, run);
    if (outcome.news !== null) note(`news: ${outcome.news}`, run);
    if (expired) note('expired', run);
    if (callsOver > 0) note('calls', run);
    if (callsOverMoving > 0) note('calls while it moves', run);
    count.wrong += Number(fault !== null);
    count.lost += Number(fault === 'lost');
    count.news += Number(news !== null);
    count.refused += Number(isRefused);
    count.expired += Number(expired);
    count.over += Number(callsOver > 0);
    count.most = Math.max(count.most, callsOver);
    count.moving += Number(callsOverMoving > 0);
    count.mostMoving = Math.max(count.mostMoving, callsOverMoving);
  }
  const percent = (times: number) => (times === 0 ? '0' : ((100 * times) / runs).toFixed(2));
  const cells = [
    ...[category.name, runs, percent(count.wrong), count.lost],
    ...[percent(count.news), percent(count.refused), percent(count.expired)],
    ...[percent(count.over), count.most, percent(count.moving), count.mostMoving],
  ];
  printRow(cells);
  if (!values.examples) return;
  for (const [what, { times, first }] of faults) {
    console.log(`    ${what}: ${times}, first: --replay '${category.name}#${first}'`);
  }
}

async function walkOnce(
  category: Category,
  run: number,
  trace?: (line: string) => void,
): Promise<Outcome> {
  const random = createRandom(`${category.name} ${values.seed} ${run}`);
  const plan = category.plan(random);
  const service = http?.service ?? createVirtualService(Statements, plan.statement);
  return runWalk(service, plan, random, trace);
}
