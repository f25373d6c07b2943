// Measures the cost of attacks. `npm run bench:attack` measures the worst known attacks, one at a time, and marks an
// attack with `!` if its CPU time, or its CPU time per kilobyte, exceeds its budget. The budgets are for an idle machine; `slowness` is the factor by
// which this machine is slower. `npm run bench:attack -- 5000 [seed]` searches for worse attacks in 5,000 runs,
// starting from ordinary requests.
import { createRandom } from '../src/sandbox/random.ts';
import { type Attack, ordinaryAttacks } from '../test/security/search/attack.ts';
import { budgets, isCheapForItsSize, referenceMs, search } from '../test/security/search/search.ts';
import { type Measured, startVictim } from '../test/security/search/victim.ts';
import { worstAttacks } from '../test/security/search/worst.ts';

const runs = Number(process.argv[2] ?? 0);
const seed = process.argv[3] ?? '1';

await using victim = await startVictim();
const keptBefore = await victim.retained();
const startedMs = performance.now();
/** The factor by which this machine is currently slower than the idle machine for which the budgets were set. */
const slowness = (await victim.reference()) / referenceMs;
if (runs > 0) await printSearch();
else await printWorst();
console.log({
  seconds: Math.round((performance.now() - startedMs) / 1000),
  slowness: [slowness, (await victim.reference()) / referenceMs],
  deaths: victim.deaths,
  keptMiB: ((await victim.retained()) - keptBefore) / 2 ** 20,
});

async function printSearch(): Promise<void> {
  const first = ordinaryAttacks(victim.target.schema);
  for await (const found of search(victim, first, runs, createRandom(seed))) {
    const { attack, measured, measure, share, run } = found;
    if (share <= 1) continue;
    const after = `run ${run}, ${Math.round((performance.now() - startedMs) / 1000)} s`;
    console.log(`${share.toFixed(1)} of ${measure}, ${after}:`, lineOf(attack, measured));
  }
}

async function printWorst(): Promise<void> {
  const refusedRate = await victim.refusedRate();
  console.log(`an ordinary refused request: ${refusedRate.toFixed(2)} ms/KB`);
  for (const { on, ...attack } of worstAttacks) {
    const measured = await victim.least(attack, 5);
    const isOver = measured.cpuMs > budgets[attack.caller].cpuMs;
    const isDear = !isCheapForItsSize(attack, measured, refusedRate);
    console.log(`${isOver || isDear ? '! ' : '  '}${on}`.padEnd(30), lineOf(attack, measured));
  }
}

function lineOf(attack: Attack, measured: Measured) {
  const { outcome, cpuMs, cpuMsPerKb, keptBytes, answeredBytes, calls } = measured;
  const cost = [
    `${cpuMs.toFixed(1)} ms`,
    `${cpuMsPerKb.toFixed(2)} ms/KB`,
    `${keptBytes | 0} B kept`,
    `${answeredBytes | 0} B`,
    calls,
  ];
  return [attack.caller, outcome, ...cost, runs > 0 ? JSON.stringify(attack) : ''].join('  ');
}
