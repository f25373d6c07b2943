// The attack search, which starts from ordinary requests, finds planted defects. A test takes up to half an hour, so
// these tests run only in `npm run test:long` with its default number of cases.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRandom } from '../../src/sandbox/random.ts';
import { ordinaryAttacks } from './search/attack.ts';
import { type Defect, plantingFlag } from './search/planted.ts';
import { type Found, maxDocumentBytes, search } from './search/search.ts';
import { type Measured, startVictim, type Victim } from './search/victim.ts';

/**
 * Seeds of several searches. A single search may miss a defect, because its choice of mutations also depends on CPU
 * time.
 */
const seeds = Array.from({ length: 20 }, (_, nth) => String(nth + 1));

const maxSearchRuns = 300;

/** A gateway without planted defects, for comparison. */
let sound: Victim;
beforeAll(async () => {
  sound = await startVictim();
}, 120_000);
afterAll(() => sound[Symbol.asyncDispose]());

/**
 * Whether an attack exceeds a limit on the defective gateway, and costs much less on the sound one: less memory than
 * the limit, or less than 40 % of the CPU time. CPU time on the defective gateway is measured twice, and both values
 * have to fulfil this condition.
 */
async function isDefect(
  defective: Victim,
  { attack, measured, measure, share }: Found,
): Promise<boolean> {
  const { requests = 3 } = attack.dials;
  const kept = (one: Measured) => one.keptBytes * requests;
  const isKept = measure === 'keptBytes' && kept(measured) > 1.1 * maxDocumentBytes;
  if (!isKept && (measure !== 'cpuMs' || share <= 1)) return false;
  const usual = await sound.least(attack, 2);
  if (isKept) return kept(usual) < maxDocumentBytes;
  const isCheap = ({ cpuMs }: Measured) => usual.cpuMs < 0.4 * cpuMs;
  // The second measurement is needed because the times also differ if only one of the two gateways has compiled the
  // code so far.
  return isCheap(measured) && isCheap(await defective.least(attack, 3));
}

test.each<Defect>(['references', 'plans', 'keys', 'quotes'])(
  'one of twenty attack searches that start from ordinary requests finds a missing limit on %s',
  async (defect) => {
    let isFound = false;
    for (const one of seeds) {
      await using defective = await startVictim([plantingFlag(defect)]);
      const ordinary = ordinaryAttacks(defective.target.schema);
      for await (const found of search(defective, ordinary, maxSearchRuns, createRandom(one))) {
        isFound = await isDefect(defective, found);
        if (isFound) break;
      }
      if (isFound) break;
    }
    expect(isFound).toBe(true);
  },
  1_500_000,
);
