// How often properties run, and with which seed.
import fc from 'fast-check';
import { runs } from './runs.ts';

/** The same cases every time; SEED=… makes others, and a failure prints the seed that repeats it. */
const seed = Number(process.env['SEED'] ?? 20_261_121);

/** Runs a property over made-up cases. */
export async function holds<T>(
  cases: fc.Arbitrary<T>,
  check: (one: T) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(cases, check), { numRuns: runs, seed });
}
