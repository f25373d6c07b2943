// The operation cache fits into a small heap, even if the plans of the operation texts would not fit without a limit.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBank } from '../../src/sandbox/bank.ts';
import type { Bank } from '../../src/sandbox/bank-script.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { callerHeaders, post } from '../support/query.ts';

/**
 * A heap too small for all plans of this test: without a limit, the plans of one operation text would take about 6 MiB.
 * The cache has to limit the total weight of all plans.
 */
const heapMiB = 160;

let bank: Bank;
let gateway: GatewayProcess;
let good: Readonly<Record<string, string>>;
beforeAll(async () => {
  bank = await startBank({ seed: 'operation-cache' });
  good = await callerHeaders(bank);
  gateway = await startGatewayProcess({
    UPSTREAM_URL: bank.url,
    NODE_OPTIONS: `--max-old-space-size=${heapMiB}`,
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await bank.close();
});

const conditions = ['a', 'b', 'c', 'd'];
const settings = Array.from({ length: 16 }, (_, bits) =>
  Object.fromEntries(conditions.map((name, i) => [name, (bits & (1 << i)) !== 0])),
);
const account = 'id bank agency number balance status isEscrow investmentAccount';
const fragment = `fragment F on AccountHolder {
  id name document email emailConfirmation phone phoneConfirmation status onboardingStep hasPin
  accounts { ${account} }
  ... on Person {
    individual { id birthDate motherName fatherName income nationality documentType documentNumber }
    address { id zipCode state city neighborhood street number complement }
    }
  ... on Company { id }
}`;

/** An operation text of 1.4 KB, with 30 aliases of a fragment and four conditions. */
function largeText(name: string): string {
  const aliases = Array.from(
    { length: 30 },
    (_, i) => `a${i}: me @skip(if: $${conditions[i % 4]}) { ...F }`,
  ).join(' ');
  const variables = conditions.map((name) => `$${name}: Boolean!`).join(' ');
  return `query ${name}(${variables}) { ${aliases} } ${fragment}`;
}

async function ask(query: string, variables: object, headers = good): Promise<number> {
  const body = JSON.stringify({ query, variables });
  const { status } = await post(gateway, body, { headers });
  return status;
}

test.each([
  ['accepts', {}],
  ['refuses', { 'x-tenant-id': 'another' }],
])(
  'the process survives large operation texts with many sets of variables, with a token that the service %s',
  async (name, other) => {
    const headers = { ...good, ...other };
    for (let number = 0; number < 20; number++) {
      for (const variables of settings) {
        // The second request with the same variables compiles the operation, unless the first answer had an error.
        for (let times = 0; times < 2; times++) {
          expect(await ask(largeText(`${name}${number}`), variables, headers)).toBe(200);
        }
      }
    }
    expect(await ask('{ accounts { id } }', {})).toBe(200);
  },
);
