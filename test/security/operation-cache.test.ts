// The operation cache fits into a small heap, even if the plans of the operation texts would not fit without a limit.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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

/** How many operations the gateway has logged with this executor and reason for a fallback. */
function logged(executor: string, fallback: string | null): number {
  const part = JSON.stringify({ executor, fallback }).slice(1, -1);
  return gateway.lines.filter((line) => line.includes(part)).length;
}

test.each([
  // Of the 16 plans of a text, five would be larger than 1 MiB, so they are not compiled.
  ['accepts', {}, 'compiled', null, 11],
  // A plan runs until the service refuses its call, and graphql-js then raises the error; one plan makes no call.
  ['refuses', { 'x-tenant-id': 'another' }, 'graphql-js', 'error', 10],
])(
  'the process survives large operation texts with many sets of variables, compiled for a token that the service %s',
  async (name, other, executor, fallback, plans) => {
    const headers = { ...good, ...other };
    for (let number = 0; number < 20; number++) {
      for (const variables of settings) {
        // The second request with the same variables compiles the operation, because the first answer has no error.
        expect(await ask(largeText(`${name}${number}`), variables)).toBe(200);
        expect(await ask(largeText(`${name}${number}`), variables, headers)).toBe(200);
      }
    }
    expect(await ask('{ accounts { id } }', {})).toBe(200);
    await vi.waitFor(() => expect(logged(executor, fallback)).toBe(20 * plans));
  },
);
