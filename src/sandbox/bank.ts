// The sandbox bank: the account service (docs/service.md) as an in-memory HTTP server that scripts can control.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { secretMark } from './service/answer.ts';
import { createBehaviours, type Behaviour } from './behaviour.ts';
import type { Bank } from './bank-script.ts';
import { watchConnections } from './service/connections.ts';
import { createControl } from './control/control.ts';
import { Directory } from './data/directory.ts';
import { createFaults } from './faults/faults.ts';
import { Journal } from './service/journal.ts';
import { createListener, keySetPath } from './bank-listener.ts';
import { createRandom } from './random.ts';
import { createReadHooks } from './data/read-hooks.ts';
import { Service } from './service/service.ts';
import { createStatementScript } from './data/statement-script.ts';
import { audience, createTokenMint, issuer } from './tokens.ts';

export type { Bank } from './bank-script.ts';

/** The options of a bank. The settings of Behaviour are options too, and can be changed later. */
export interface BankOptions extends Partial<Behaviour> {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1, because anyone who can reach the bank can control it. */
  readonly host?: string;
  /** Determines all random data except the key pair of tokens; default `sandbox`. The same seed gives the same data. */
  readonly seed?: string | number;
  /** The instant that counts as the present in the data; default 2026-06-30T15:00:00.000Z. Arrivals are later. */
  readonly epoch?: string;
  /** The prefix of the service's paths, e.g. `/v1`; default none. */
  readonly basePath?: string;
  /** The real clock (epoch ms), for tokens and the journal; default Date.now. */
  readonly now?: () => number;
}

/** Starts a bank; resolves when the server listens. */
export async function startBank(options: BankOptions = {}): Promise<Bank> {
  const { port = 0, host = '127.0.0.1', ...others } = options;
  // The timeout is longer than clients keep an idle connection; otherwise a client may send a request on a connection
  // that is just being closed.
  const server = createServer({ keepAliveTimeout: 65_000 });
  const parts = createParts(server, others);
  await listen(server, port, host);
  const bank = createBank(server, parts);
  server.on('request', createListener(parts, createControl(bank)));
  return bank;
}

type Parts = ReturnType<typeof createParts>;

function createParts(server: Server, options: Omit<BankOptions, 'port' | 'host'>) {
  const { seed = 'sandbox', epoch = '2026-06-30T15:00:00.000Z', ...others } = options;
  const { basePath = '', now = Date.now, ...behaviour } = others;
  const directory = new Directory(String(seed), Date.parse(epoch));
  const behaviours = createBehaviours(behaviour);
  const hooks = createReadHooks(directory);
  const chances = createRandom(`${seed}/faults`);
  return {
    basePath,
    behaviours,
    chances,
    connections: watchConnections(server),
    directory,
    faults: createFaults(chances),
    hooks,
    journal: new Journal(now),
    mint: createTokenMint(directory, now),
    now,
    random: createRandom(`${seed}/latency`),
    script: createStatementScript(directory),
    service: new Service({ directory, behaviours, hooks }),
  };
}

function createBank(server: Server, parts: Parts): Bank {
  const { behaviours, chances, connections, directory, random } = parts;
  const { faults, hooks, journal, mint, script } = parts;
  const { port, address } = server.address() as AddressInfo;
  const origin = `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
  const close = () => {
    script.stopArrivals();
    return stop(server);
  };
  const requireAccount = (accountId?: string) => {
    if (accountId !== undefined) directory.ledger(accountId);
  };
  return {
    ...script,
    url: `${origin}${parts.basePath}`,
    controlUrl: `${origin}/__bank`,
    keySetUrl: `${origin}${keySetPath}`,
    issuer,
    audience,
    secretMark,
    get tenants() {
      return directory.tenants();
    },
    get holders() {
      return directory.holders();
    },
    tokenFor: (subject, claims) => mint.tokenFor(subject, claims),
    addHolder: (holder = {}) => directory.addHolder(holder),
    addAccount: (holderId, account = {}) => directory.addAccount(holderId, account),
    removeAccount: (accountId) => directory.removeAccount(accountId),
    behaviour(accountId) {
      requireAccount(accountId);
      return behaviours.of(accountId);
    },
    configure(change, accountId) {
      requireAccount(accountId);
      behaviours.change(change, accountId);
    },
    onStatementRead: (hook) => hooks.add(hook),
    clearReadHooks: (accountId) => hooks.clear(accountId),
    addFault: (fault) => faults.add(fault),
    clearFaults: (id) => faults.clear(id),
    faults: () => faults.list(),
    calls: () => journal.calls(),
    resetCalls() {
      journal.resetCalls();
      connections.reset();
    },
    waitForCall: (fits, timeoutMs) => journal.waitForCall(fits, timeoutMs),
    load: () => connections.load(),
    goOffline: () => stop(server),
    goOnline: () => listen(server, port, address),
    reset() {
      script.stopArrivals();
      [directory, behaviours, chances, random, connections].forEach((part) => part.reset());
      [hooks, faults].forEach((part) => part.clear());
      journal.resetCalls();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

/** Stops listening, and closes every connection, including those with requests in progress. */
async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
