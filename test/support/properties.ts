// How often properties run, and with which seed: as test/property/walk-model.ts has it for walks.
import fc from 'fast-check';

/** 1,000 in `npm test`, 20,000 in `npm run test:long`. */
const runs = Number(process.env['RUNS'] ?? 1000);

/** The same cases every time; SEED=… makes others, and a failure prints the seed that repeats it. */
const seed = Number(process.env['SEED'] ?? 20_261_121);

/** Runs a property over made-up cases. */
export async function holds<T>(
  cases: fc.Arbitrary<T>,
  check: (one: T) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(cases, check), { numRuns: runs, seed });
}
