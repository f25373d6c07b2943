// The process: reads the settings, starts the gateway, stops it on a signal or an uncaught exception.
import './v8-flags.ts';
import { misspeltVariables, readSettings } from './settings/settings.ts';
import { startGateway } from './gateway.ts';
import { createReadableDestination } from './telemetry/readable-log.ts';
import { createBufferedDestination, createLogger } from './telemetry/log.ts';

/** SIGINTs in this time count as one: on Ctrl+C, the terminal sends one and npm forwards another. */
const sameInterruptMs = 50;

const settings = readSettings();
const log = createLogger({
  level: settings.logLevel,
  destination: process.stdout.isTTY
    ? createReadableDestination(process.stdout)
    : createBufferedDestination(),
});
for (const [variable, like] of misspeltVariables()) {
  log.warn({ variable, like }, 'an environment variable looks like a setting, but is none');
}
let stopping: Promise<never> | undefined;
let signalledAtMs: number | undefined;
const sandbox = settings.upstreamUrl === null ? await startSandbox() : null;
const upstreamUrl = settings.upstreamUrl ?? sandbox?.bank.url ?? '';
const sampleCallers = sandbox?.sampleCallersOf(sandbox.description);
const starting = startGateway({ ...settings, upstreamUrl }, { log, sampleCallers }).catch(
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
process.on('SIGTERM', onSignal);
process.on('SIGINT', onSignal);
// After an uncaught exception the state is unknown: drain, exit with 1, and let the supervisor restart the process.
process.on('uncaughtException', (err, origin) => {
  log.fatal({ err, origin }, 'an uncaught exception: the process drains and exits');
  process.exitCode = 1;
  stopping ??= drainAndExit();
});
const gateway = await starting;
if (sandbox !== null) {
  console.log(sandbox.introductionTo(sandbox.description, gateway.url, settings));
}

/** Imported dynamically, so that a process with UPSTREAM_URL never loads the sandbox. */
async function startSandbox() {
  const { startBank } = await import('./sandbox/bank.ts');
  const { describeBank, introductionTo, sampleCallersOf } = await import('./sandbox/describe.ts');
  const bank = await startBank();
  return { bank, description: await describeBank(bank), introductionTo, sampleCallersOf };
}

function onSignal(signal: NodeJS.Signals): void {
  const nowMs = performance.now();
  if (signalledAtMs === undefined) {
    signalledAtMs = nowMs;
    stopping ??= drainAndExit();
  } else if (signal !== 'SIGINT' || nowMs - signalledAtMs > sameInterruptMs) {
    process.exit(1);
  }
}

async function drainAndExit(): Promise<never> {
  try {
    await (await starting).close();
    await sandbox?.bank.close();
  } catch (err) {
    log.fatal({ err }, 'the gateway could not be stopped');
    process.exitCode = 1;
  }
  process.exit();
}
