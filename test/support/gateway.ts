// A real gateway on free ports over a sandbox bank, for tests over HTTP.
import type { DestinationStream } from 'pino';
import { type GatewayDeps, startGateway } from '../../src/gateway.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { type BankOptions, startBank } from '../../src/sandbox/bank.ts';
import type { Bank } from '../../src/sandbox/bank-script.ts';
import { parseSettings } from '../../src/settings/settings.ts';
import { createLogger } from '../../src/telemetry/log.ts';

/**
 * A gateway with its bank. Disposing of the gateway closes the bank too, unless an existing bank was passed to
 * `startTestGateway`.
 */
export interface TestGateway extends Awaited<ReturnType<typeof startGateway>> {
  readonly bank: Bank;
  /** The lines of the gateway's log. */
  readonly log: readonly LogLine[];
}

/** A line of the log, parsed. */
export type LogLine = Readonly<Record<string, unknown>>;

export interface TestOptions extends Omit<GatewayDeps, 'log'> {
  /** The options of the bank, or an existing bank, which is not closed with the gateway. */
  readonly bank?: BankOptions | Bank;
}

/** In vitest.config.ts, the project `graphql-js` sets EXECUTOR. In the other projects, the default applies. */
const basics = { PORT: '0', ADMIN_PORT: '0', EXECUTOR: process.env['EXECUTOR'] };

/** Shared by all gateways of a process: no gateway changes it, and half the time of a start would create and check it. */
const schema = createSchema();

/**
 * Starts a gateway with these settings, which are named as in the environment. By default it uses free ports, and does
 * not wait for idle connections when it closes (`idleMs`).
 */
export async function startTestGateway(
  env: Readonly<Record<string, string>> = {},
  { bank: given = {}, idleMs = 0, ...others }: TestOptions = {},
): Promise<TestGateway> {
  const isOwn = !('url' in given);
  const bank = isOwn ? await startBank(given) : given;
  const lines: LogLine[] = [];
  const settings = parseSettings({ ...basics, UPSTREAM_URL: bank.url, ...env });
  const log = createLogger({ level: settings.logLevel, destination: collect(lines) });
  const upstreamUrl = settings.upstreamUrl ?? bank.url;
  const deps = { schema, ...others, idleMs, log };
  const gateway = await startGateway({ ...settings, upstreamUrl }, deps);
  const close = async () => {
    await gateway.close();
    if (isOwn) await bank.close();
  };
  return { ...gateway, bank, log: lines, close, [Symbol.asyncDispose]: close };
}

function collect(lines: LogLine[]): DestinationStream {
  return { write: (line: string) => lines.push(JSON.parse(line) as LogLine) };
}
