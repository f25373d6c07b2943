// The attack search: varies the worst attacks so far, and keeps each variation that costs the gateway more.
import type { Random } from '../../../src/sandbox/random.ts';
import { type Attack, type CallerClass, callers, mutate } from './attack.ts';
import { type Cost, type Measured, measures, type Victim } from './victim.ts';

/** CPU time of the reference operation (`Victim.reference`) on the idle machine for which the budgets were set. */
export const referenceMs = 1;

/**
 * The budget of one request, by class of caller. Its CPU time bounds the time for which it can hold the event loop. The
 * CPU time per kilobyte has no budget in milliseconds (`isCheapForItsSize`).
 */
export const budgets: Readonly<Record<CallerClass, Cost>> = {
  none: { cpuMs: 25, cpuMsPerKb: Infinity, keptBytes: 2 ** 20, answeredBytes: 2 ** 14, calls: 0 },
  refused: {
    cpuMs: 25,
    cpuMsPerKb: Infinity,
    keptBytes: 2 ** 20,
    answeredBytes: 2 ** 20,
    calls: 50,
  },
  good: { cpuMs: 50, cpuMsPerKb: Infinity, keptBytes: 2 ** 20, answeredBytes: 2 ** 22, calls: 50 },
};

/** Shorter requests are dominated by the costs of any request. */
const shortKb = 1;

/**
 * Whether a request without a token costs no more than ordinary refused requests of as many bytes. A request with a
 * token may cost more: it reads data, and RATE_LIMIT_PER_MINUTE limits the operations of a token.
 */
export function isCheapForItsSize(
  { caller }: Attack,
  { cpuMs, cpuMsPerKb }: Measured,
  refusedRate: number,
): boolean {
  const kb = cpuMs / cpuMsPerKb;
  return caller !== 'none' || kb < shortKb || cpuMsPerKb <= refusedRate;
}

/** The most that one document with its plans may take in the operation cache. */
export const maxDocumentBytes = 2 * 1_048_576;

/** An attack that cost more than those before it. */
export interface Found {
  readonly attack: Attack;
  readonly measured: Measured;
  /** The measure in which the attack is worse, and its value as a share of the budget. */
  readonly measure: keyof Cost;
  readonly share: number;
  /** The number of the run that found the attack, from 1. */
  readonly run: number;
}

/** Only attacks that are worse in one of these measures are varied further; other attacks are just recorded. */
const isGuide = ({ measure }: Found) => measure === 'cpuMs' || measure === 'keptBytes';

/**
 * Runs `runs` variations of the given attacks and of the worst attacks found so far. Keeps the worst attack for each
 * combination of caller, root field, outcome and measure, so that one kind of expensive attack does not hide another.
 * Yields each attack that is worse than the previous worst attack of its combination by more than 10 %.
 */
export async function* search(
  victim: Victim,
  first: readonly Attack[],
  runs: number,
  random: Random,
): AsyncGenerator<Found> {
  const worst = new Map<string, Found>();
  const next: Attack[] = [];
  for (let run = 1; run <= runs; run++) {
    const parents = [...first, ...[...worst.values()].filter(isGuide).map(({ attack }) => attack)];
    const attack = next.shift() ?? mutate(random.pick(parents), victim.target.schema, random);
    const isWorse = (found: Found) => found.share > 1.1 * (worst.get(nicheOf(found))?.share ?? 0);
    if (!sharesOf(attack, await victim.measure(attack), run).some(isWorse)) continue;
    // The attack is measured again, because a garbage collection or a compilation may have slowed the first
    // measurement.
    const found = sharesOf(attack, await victim.least(attack, 2), run).filter(isWorse);
    for (const one of found) worst.set(nicheOf(one), one);
    // An attack by one class of caller may also work for the other classes.
    if (found.some(isGuide)) next.push(...byOthers(attack));
    yield* found;
  }
}

function byOthers(attack: Attack): Attack[] {
  return callers.filter((one) => one !== attack.caller).map((caller) => ({ ...attack, caller }));
}

function sharesOf(attack: Attack, measured: Measured, run: number): Found[] {
  return measures.map((measure) => {
    const share = measured[measure] / budgets[attack.caller][measure];
    return { attack, measured, measure, share, run };
  });
}

function nicheOf({ attack, measured, measure }: Found): string {
  return [attack.caller, attack.selections[0]?.name, measured.outcome, measure].join(' ');
}
