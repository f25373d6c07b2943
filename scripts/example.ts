// `npm run example`: starts a sandbox bank, a gateway in front of it, an OpenID provider for each tenant with the session
// kit, and the web app of examples/web. Nothing else has to be set up.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { startGateway } from '../src/gateway.ts';
import { startBank } from '../src/sandbox/bank.ts';
import { describeBank } from '../src/sandbox/describe.ts';
import { parseSettings } from '../src/settings/settings.ts';
import { createLogger } from '../src/telemetry/log.ts';
import { help, readArguments } from './arguments.ts';
import { buildWebApp, installWebApp, sessionKit, vite, webApp } from './web-app.ts';

const { port, built, folder } = readOptions();
await requireFree(port);

installWebApp();
const bank = await startBank();
const settings = parseSettings({
  PORT: '0',
  ADMIN_PORT: '0',
  LOG_LEVEL: 'warn',
  UPSTREAM_URL: bank.url,
});
const log = createLogger({ level: settings.logLevel, destination: process.stderr });
const gateway = await startGateway({ ...settings, upstreamUrl: bank.url }, { log });
const { holders, controlUrl } = await describeBank(bank);
const kit = spawn(process.execPath, ['example.ts'], {
  cwd: sessionKit,
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...process.env,
    APP_ORIGIN: `http://localhost:${port}`,
    GATEWAY_URL: gateway.url,
    HOLDERS: JSON.stringify(
      holders.map(({ id, name, tenant, kind }) => ({ id, name, tenant, kind })),
    ),
  },
});
const { url: sessionUrl } = JSON.parse(await lineOf(kit)) as { readonly url: string };
if (built) buildWebApp('dist', 'production');
const served = built ? 'dist' : folder;
const preview = served === undefined ? [] : ['preview', '--outDir', served];
const app = spawn(process.execPath, [vite, ...preview, '--port', port, '--strictPort'], {
  cwd: webApp,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: {
    ...process.env,
    GATEWAY_URL: gateway.url,
    SESSION_URL: sessionUrl,
  },
});
const longest = holders
  .flatMap(({ accounts }) => accounts)
  .toSorted((one, other) => other.transactions - one.transactions)[0];
console.log(
  [
    `The app is at the address below, the gateway at ${gateway.url}/graphql.`,
    `To try the app or the gateway with a token of ${holders[0]?.name ?? ''} (${holders[0]?.tenant ?? ''}):`,
    `  Bearer ${holders[0]?.token ?? ''}`,
    'Let transactions arrive in the first account, and pull the statement down to see them:',
    `  curl -X POST ${controlUrl}/accounts/${holders[0]?.accounts[0]?.id ?? ''}/arrivals -d '{"count": 3}'`,
    'Let ten a second arrive in the longest one, for a minute, and export it meanwhile:',
    `  curl -X PUT ${controlUrl}/accounts/${longest?.id ?? ''}/arrivals -d '{"everyMs": 100, "times": 600}'`,
  ].join('\n'),
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.kill(signal));
const [code] = (await once(app, 'exit')) as [number | null];
kit.kill('SIGTERM');
await gateway.close();
await bank.close();
process.exit(code ?? 0);

/** The first line of JSON that a process prints. */
async function lineOf({ stdout }: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  for await (const line of createInterface(stdout)) {
    if (line.startsWith('{')) {
      // What follows is not read, and must not fill the pipe.
      stdout.resume();
      return line;
    }
  }
  throw new Error('the session kit ended');
}

/** Vite would print a stack. */
async function requireFree(port: string): Promise<void> {
  const server = createServer().listen(Number(port), 'localhost');
  try {
    await once(server, 'listening');
    server.close();
  } catch {
    console.error(
      `Port ${port} is in use: stop the program that uses it, or choose another with --port.`,
    );
    process.exit(1);
  }
}

function readOptions() {
  const options = {
    help,
    port: { type: 'string', default: '5173' },
    /** Serves the production build of the app instead of its source. */
    built: { type: 'boolean', default: false },
    /** Serves a build that is in this folder: tests build the app once. */
    folder: { type: 'string' },
  } as const;
  const { values } = readArguments('npm run example -- [--port 5173] [--built]', () => {
    const given = parseArgs({ options });
    if (!/^\d{1,5}$/.test(given.values.port)) throw new TypeError('--port must be a number.');
    return given;
  });
  return values;
}
