// The process: reads the settings, starts the gateway, stops it on a signal.
import { type Gateway, startGateway } from './gateway.ts';
import type { Bank } from './sandbox/bank-script.ts';
import type { DescribedHolder } from './sandbox/describe.ts';
import { parseSettings, type Settings, SettingsError } from './settings.ts';
import { createLogger } from './telemetry/log.ts';

const settings = readSettings();
const log = createLogger({ level: settings.logLevel });
const bank = settings.upstreamUrl === null ? await startBank() : null;
const gateway = await start();
if (bank !== null) await introduce(bank);
stopOnSignals();

function readSettings(): Settings {
  try {
    return parseSettings(process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const line of error.lines) console.error(line);
    process.exit(1);
  }
}

/** Imported here alone, so that a process with a service behind it never loads the sandbox. */
async function startBank(): Promise<Bank> {
  const sandbox = await import('./sandbox/bank.ts');
  return sandbox.startBank();
}

async function start(): Promise<Gateway> {
  const upstreamUrl = settings.upstreamUrl ?? bank?.url ?? '';
  try {
    return await startGateway({ ...settings, upstreamUrl }, { log });
  } catch (error) {
    // Most likely a port that is taken, which the message names.
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

/** Says how to ask this gateway something, as whom: for a person at a terminal, hence not through the log. */
async function introduce(sandbox: Bank): Promise<void> {
  const { describeBank } = await import('./sandbox/describe.ts');
  const { holders, controlUrl } = await describeBank(sandbox);
  const [first] = holders;
  const lines = [
    `UPSTREAM_URL is not set: a sandbox bank answers, scripted at ${controlUrl}. Its holders:`,
    ...holders.flatMap(holderLines),
    ...(first === undefined ? [] : ['', 'Ask something:', curlOf(first)]),
    ...(settings.explorer ? ['', `Explore it in a browser: ${gateway.url}/graphql`] : []),
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

function curlOf({ tenant, token }: DescribedHolder): string {
  const query = '{ me { ... on AccountHolder { name } } accounts { id balance } }';
  return [
    `curl ${gateway.url}/graphql -H 'content-type: application/json' -H 'x-tenant-id: ${tenant}'`,
    `-H 'authorization: Bearer ${token}'`,
    `-d '${JSON.stringify({ query })}'`,
  ].join(' \\\n  ');
}

function stopOnSignals(): void {
  let isStopping = false;
  const onSignal = () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    void stop();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

async function stop(): Promise<never> {
  await gateway.close();
  await bank?.close();
  process.exit(0);
}
