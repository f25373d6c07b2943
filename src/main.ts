// The process: reads the settings, starts the gateway, stops it on a signal or a defect.
import { setFlagsFromString } from 'node:v8';
import { readSettings } from './environment.ts';
import { startGateway } from './gateway.ts';
import type { Gateway } from './life-cycle.ts';
import type { Bank } from './sandbox/bank-script.ts';
import type { BankDescription, DescribedHolder } from './sandbox/describe.ts';
import { createLogger } from './telemetry/log/log.ts';
import { createBufferedDestination } from './telemetry/log/log-destination.ts';

/** npm passes an interrupt on to its child, which had the same one from the terminal already. */
const sameInterruptMs = 50;

/**
 * Where many operations are under way at once, more of what they make outlives a scavenge. V8 takes that for a sign, and
 * makes such objects in its old space from then on, also when there are few operations again: there each is dead in a
 * moment, but keeps all that it points at until the next full garbage collection (docs/performance.md).
 */
setFlagsFromString('--no-allocation-site-pretenuring');

/**
 * In a quiet time V8 collects all garbage, which is welcome, and makes the heap as small as can be: the next load would
 * begin with little room for young objects, and with several full collections in its first second.
 */
setFlagsFromString('--no-memory-reducer-favors-memory');

/**
 * V8 begins a full collection as soon as its old space has less room left than the young space takes, which is up to 64
 * MiB. The gateway keeps 40 MiB in all, so there hardly ever was so much room, and one followed the other within a second.
 * Now one begins when six tenths of the room are used, and at eight tenths at the latest.
 */
setFlagsFromString('--incremental-marking-soft-trigger=60');
setFlagsFromString('--incremental-marking-hard-trigger=80');

const settings = readSettings();
const log = createLogger({ level: settings.logLevel, destination: createBufferedDestination() });
let stopping: Promise<never> | undefined;
const bank = settings.upstreamUrl === null ? await startBank() : null;
const described = bank === null ? null : await describe(bank);
const starting = start();
stopOnSignals();
stopOnDefects();
const gateway = await starting;
if (described !== null) introduce(described);

/** Imported here alone, so that a process with a service behind it never loads the sandbox. */
async function startBank(): Promise<Bank> {
  const sandbox = await import('./sandbox/bank.ts');
  return sandbox.startBank();
}

async function describe(sandbox: Bank): Promise<BankDescription> {
  const { describeBank } = await import('./sandbox/describe.ts');
  return describeBank(sandbox);
}

async function start(): Promise<Gateway> {
  const upstreamUrl = settings.upstreamUrl ?? bank?.url ?? '';
  try {
    return await startGateway(
      { ...settings, upstreamUrl },
      { log, sampleCallers: sampleCallers() },
    );
  } catch (error) {
    // Most likely a port that is taken, which the message names.
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

/** The bank's holders, as the explorers have them. */
function sampleCallers() {
  const holders = described?.holders ?? [];
  return holders.map(({ name, tenant, token, accounts }) => ({
    name,
    tenant,
    token,
    accounts: accounts.map(({ id }) => id),
  }));
}

/** Says how to ask this gateway something, as whom: for a person at a terminal, hence not through the log. */
function introduce({ holders, controlUrl }: BankDescription): void {
  const [first] = holders;
  const lines = [
    `UPSTREAM_URL is not set: a sandbox bank answers, scripted at ${controlUrl}. Its holders:`,
    ...holders.flatMap(holderLines),
    ...(first === undefined ? [] : ['', 'Ask something:', curlOf(first)]),
    ...(settings.explorer ? ['', ...explorerLines()] : []),
  ];
  console.log(lines.join('\n'));
}

function holderLines({ kind, name, tenant, token, accounts }: DescribedHolder): string[] {
  const sizes = accounts.map(
    ({ id, transactions }) => `  account ${id}: ${transactions} transactions`,
  );
  return [
    '',
    `${kind} ${name}`,
    ...sizes,
    `  x-tenant-id: ${tenant}`,
    `  Authorization: Bearer ${token}`,
  ];
}

function explorerLines(): string[] {
  return [
    'Explore it in a browser, as one of them:',
    `  GraphiQL        ${gateway.url}/explorer`,
    `  Apollo Sandbox  ${gateway.url}/graphql (comes from the internet)`,
  ];
}

function curlOf({ tenant, token }: DescribedHolder): string {
  const query = '{ me { ... on AccountHolder { name } } accounts { id balance } }';
  return [
    `curl ${gateway.url}/graphql -H 'content-type: application/json' -H 'x-tenant-id: ${tenant}'`,
    `-H 'authorization: Bearer ${token}'`,
    `-d '${JSON.stringify({ query })}'`,
  ].join(' \\\n  ');
}

function stopOnSignals(): void {
  let stoppingSinceMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const nowMs = performance.now();
    if (stoppingSinceMs === undefined) {
      stoppingSinceMs = nowMs;
      void stop();
    } else if (signal !== 'SIGINT' || nowMs - stoppingSinceMs > sameInterruptMs) {
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/**
 * An error that nobody caught, or a promise's that nobody looked at, may have left anything behind: whoever watches the
 * process is to start another. What is under way is finished all the same, as after a signal.
 */
function stopOnDefects(): void {
  process.on('uncaughtException', (err, origin) => {
    log.fatal({ err, origin }, 'a defect: the process drains and ends');
    process.exitCode = 1;
    void stop();
  });
}

function stop(): Promise<never> {
  return (stopping ??= drainAndExit());
}

async function drainAndExit(): Promise<never> {
  try {
    await (await starting).close();
    await bank?.close();
  } catch (err) {
    log.fatal({ err }, 'the gateway could not be stopped');
    process.exitCode = 1;
  }
  process.exit();
}
