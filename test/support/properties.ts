// Checks properties with generated cases. The environment sets the number of cases and the seed.
import fc from 'fast-check';
import { runs } from './runs.ts';

/** The default generates the same cases every time. SEED=… generates others; a failure prints its seed. */
const seed = Number(process.env['SEED'] ?? 20_261_121);

/** Checks a property with `numRuns` generated cases. */
export async function holds<T>(
  cases: fc.Arbitrary<T>,
  check: (one: T) => Promise<void>,
  numRuns = runs,
): Promise<void> {
  await fc.assert(fc.asyncProperty(cases, check), { numRuns, seed });
}
