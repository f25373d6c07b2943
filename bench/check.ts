// Compares the cost of operations, as counts that do not depend on the machine, with expected.json:
// `npm run bench:check`. After an intended change, `npm run bench:check -- --update` records the new counts.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startBank } from '../src/sandbox/bank.ts';
import type { Bank } from '../src/sandbox/bank-script.ts';
import { startProcess } from './gateway-process.ts';
import type { ProbeReading, ProbeRequest } from './probe.ts';
import { documentOf, type WorkloadName, workloads } from './workloads.ts';

/** The cost of one operation; `heapKiB` is the memory that it allocates. */
interface Counts {
  readonly upstreamCalls: number;
  readonly promises: number;
  readonly heapKiB: number;
}

interface Expected {
  /** The permitted excess over the expected value, as a share of that value. */
  readonly margins: Counts;
  readonly workloads: Record<WorkloadName, Counts>;
}

/** The number of runs of each operation before the count, so that plans and connections do not count. */
const warmUp = 40;
const counted = 40;

/** Flags that expose `gc`, and make the young generation so large that no garbage is collected while counting. */
const flags = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];

const expectedFile = join(import.meta.dirname, 'expected.json');
const expected = JSON.parse(await readFile(expectedFile, 'utf8')) as Expected;

await using bank = await startBank({ seed: 'bench' });
const operations = await createOperations(bank);
await using gateway = await startProcess(bank.url, {
  preload: { path: join(import.meta.dirname, 'probe.ts'), flags },
});
const found = await countAll();
if (process.argv.includes('--update')) await update();
else check();

interface Operation {
  readonly name: WorkloadName;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function createOperations(of: Bank): Promise<Operation[]> {
  const transactions = 130;
  const accounts = [{ transactions }, { transactions }, { transactions }];
  const { id, tenant, accounts: ids } = of.addHolder({ name: 'Ana Beatriz Moreira', accounts });
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${await of.tokenFor(id)}`,
    'x-tenant-id': tenant,
  };
  return workloads.map(({ name }) => ({
    name,
    headers,
    body: JSON.stringify({ query: documentOf('contract', name, ids[0] ?? '') }),
  }));
}

function ask(request: ProbeRequest): Promise<ProbeReading> {
  return gateway.ask(request) as Promise<ProbeReading>;
}

async function countAll(): Promise<Record<string, Counts>> {
  const heapKiB = new Map<string, number>();
  const upstreamCalls = new Map<string, number>();
  for (const operation of operations) {
    await run(operation, warmUp);
    heapKiB.set(operation.name, await heapOf(operation));
    upstreamCalls.set(operation.name, bank.calls().length / counted);
  }
  // Promises are counted last, because V8 takes other code paths while it reports promises.
  await ask('countPromises');
  const counts: Record<string, Counts> = {};
  for (const operation of operations) {
    const { name } = operation;
    counts[name] = {
      upstreamCalls: upstreamCalls.get(name) ?? NaN,
      promises: await promisesOf(operation),
      heapKiB: heapKiB.get(name) ?? NaN,
    };
  }
  return counts;
}

async function heapOf(operation: Operation): Promise<number> {
  const before = await ask('settle');
  bank.resetCalls();
  await run(operation, counted);
  const after = await ask('read');
  if (after.collections > before.collections) throw new Error('garbage was collected meanwhile');
  return tenths((after.heapBytes - before.heapBytes) / counted / 1024);
}

async function promisesOf(operation: Operation): Promise<number> {
  const before = await ask('read');
  await run(operation, counted);
  const after = await ask('read');
  return tenths((after.promises - before.promises) / counted);
}

/**
 * Sends an operation `times` times, one after another, because counts of concurrent operations would depend on timing.
 * Throws if an answer is not a success.
 */
async function run({ body, headers }: Operation, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const response = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
    const text = await response.text();
    if (response.status !== 200 || text.includes('"errors"')) throw new Error(text);
  }
}

function check(): void {
  let isTooMuch = false;
  for (const { name } of workloads) {
    for (const key of ['upstreamCalls', 'promises', 'heapKiB'] as const) {
      const margin = expected.margins[key];
      const [wanted, got] = [expected.workloads[name][key], found[name]?.[key] ?? NaN];
      const isMore = !(got <= wanted * (1 + margin));
      const isLess = got < wanted * (1 - margin);
      const verdict = isMore ? 'TOO MUCH' : isLess ? 'less: --update notes it' : 'as expected';
      console.log(`${name} ${key}: ${got}, expected ${wanted} +${margin * 100} %: ${verdict}`);
      isTooMuch ||= isMore;
    }
  }
  if (isTooMuch) process.exitCode = 1;
}

async function update(): Promise<void> {
  const text = JSON.stringify({ margins: expected.margins, workloads: found }, null, 2);
  await writeFile(expectedFile, `${text}\n`);
  console.log(text);
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
