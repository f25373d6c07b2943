// The process: reads the settings, starts the gateway, stops it on a signal or a defect.
import { setFlagsFromString } from 'node:v8';
import { readSettings } from './settings.ts';
import { startGateway } from './gateway.ts';
import type { Gateway } from './life-cycle.ts';
import type { Bank } from './sandbox/bank-script.ts';
import type { BankDescription, DescribedHolder } from './sandbox/describe.ts';
import { createLogger } from './telemetry/log/log.ts';
import { createBufferedDestination } from './telemetry/log/log-destination.ts';

/** npm forwards an interrupt to its child, which has received the same one from the terminal. */
const sameInterruptMs = 50;

/**
 * While many operations run at once, more of their objects survive a scavenge. V8 then allocates such objects in its old
 * space, also later under low load, where each keeps everything it refers to until the next full garbage collection
 * (docs/performance.md).
 */
setFlagsFromString('--no-allocation-site-pretenuring');

/**
 * When idle, V8 collects all garbage and shrinks the heap: the next load would start with little room for young objects,
 * and with several full collections in its first second.
 */
setFlagsFromString('--no-memory-reducer-favors-memory');

/**
 * V8 starts a full collection when its old space has less room left than the young space takes, up to 64 MiB. The gateway
 * keeps 40 MiB in all, so collections followed each other within a second. Now one starts when 60 % of the room is used,
 * and at 80 % at the latest.
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

/** Imported dynamically, so that a process with UPSTREAM_URL never loads the sandbox. */
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
    // Usually a port that is taken; the message names it.
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

/** The bank's holders, in the form that the explorers take. */
function sampleCallers() {
  const holders = described?.holders ?? [];
  return holders.map(({ name, tenant, token, accounts }) => ({
    name,
    tenant,
    token,
    accounts: accounts.map(({ id }) => id),
  }));
}

/** Prints how to query this gateway, for a person at a terminal, and therefore not to the log. */
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
 * After an uncaught exception or unhandled rejection the state is unknown: drain as after a signal, exit with 1, and let
 * the supervisor restart.
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
