// Tests the exhaustive check in its smallest scope, the correctness of its report, and that the planner needs each of
// its rules.
import assert from 'node:assert';
import { beforeAll, expect, test } from 'vitest';
import { Statements } from '../../src/statement/statement.ts';
import { addCounts, countTask, defectsIn, isDefect, noCounts, type Summary } from './findings.ts';
import known from './known.json' with { type: 'json' };
import { type Mutant, mutants, plant } from './mutants.ts';
import { replay } from './replay.ts';
import { tasksOf } from './scope.ts';
import { createVirtualService, type StatementsClass } from './service.ts';
import { statementOf } from './statement.ts';

const summary: Summary = { counts: noCounts(), found: new Map() };

beforeAll(async () => {
  for (const task of tasksOf('tiny')) addCounts(summary, await countTask(Statements, task));
});

test('the smallest exhaustive check finds exactly the faults without a twin that known.json records', () => {
  expect(summary.counts.histories).toBeGreaterThan(15_000);
  expect(defectsIn(summary)).toEqual(known.tiny);
});

test('each reported wrong slice is wrong in its history and, if it has a twin, right in the twin after the same reads', async () => {
  expect(summary.found.size).toBeGreaterThan(0);
  for (const { kind, what, example } of summary.found.values()) {
    const codes = [...example.matchAll(/--replay '(.*)'/g)].map(([, code = '']) => code);
    const [one = [], twin = []] = await Promise.all(codes.map(callsIn));
    if (kind.startsWith('calls')) continue;
    expect(one.at(-1), example).toMatch(what === 'CURSOR_EXPIRED' ? what : `WRONG: ${what}`);
    if (isDefect(kind) && codes.length < 2) continue;
    expect(twin.map(askedIn).slice(0, one.length), example).toEqual(one.map(askedIn));
    if (what !== 'CURSOR_EXPIRED') expect(twin[one.length - 1], example).not.toMatch('WRONG');
  }
});

test.each(mutants)('the planner that $name is wrong in its history', async (mutant) => {
  const readsIn = (planner: StatementsClass) =>
    replay(
      createVirtualService(planner, statementOf('posted', [], 1)),
      mutant.history,
      () => undefined,
    );
  const reads = await readsIn(Statements);
  assert(reads !== null);
  expect((await readsIn(await plantedPlanner(mutant))) ?? Infinity).toBeGreaterThan(reads);
});

test('the check finds a defect that is planted in a copy of the planner', async () => {
  const [mutant] = mutants;
  assert(mutant !== undefined);
  const Planted = await plantedPlanner(mutant);
  const planted: Summary = { counts: noCounts(), found: new Map() };
  for (const task of tasksOf('tiny', 0).filter(({ rows }) => rows === 2)) {
    addCounts(planted, await countTask(Planted, task));
  }
  expect(defectsIn(planted)).not.toEqual({});
});

/** A line for each call of a history: its arguments, its reads and its answer. */
async function callsIn(code: string): Promise<string[]> {
  const lines: string[] = [];
  const service = createVirtualService(Statements, statementOf('posted', [], 1));
  await replay(service, code, (line) => lines.push(line));
  return lines.filter((line) => line.includes('=>'));
}

function askedIn(call: string): string {
  return call.slice(0, call.indexOf('=>'));
}

async function plantedPlanner(mutant: Mutant): Promise<StatementsClass> {
  const copy = await plant(new URL('../../src', import.meta.url).pathname, mutant);
  const { Statements: Planted } = (await import(`${copy}/statement/statement.ts`)) as {
    Statements: StatementsClass;
  };
  return Planted;
}
