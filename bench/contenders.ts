// Defines the contenders, starts them, and sends them requests.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Decimals } from './expected.ts';
import type { Fixture } from './fixture.ts';
import type { StaticService } from './nginx.ts';
import { freePort } from '../test/support/port.ts';
import { onCore, untilItAnswers } from './process.ts';
import { type Dialect, documentOf, pathOf, type WorkloadName } from './workloads.ts';
import type { Ask } from './wrk.ts';

export interface Contender {
  /** The name in the results and on the command line. */
  readonly name: string;
  readonly title: string;
  /** The package whose version is reported; null if no version is reported. */
  readonly package: string | null;
  readonly dialect: Dialect;
  readonly decimals: Decimals;
  command(surroundings: Surroundings): Promise<Command> | Command;
}

interface Surroundings {
  readonly fixture: Fixture;
  readonly service: StaticService;
  readonly port: number;
  /** A folder for files that the contender needs; removed after the contender has ended. */
  readonly folder: string;
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface RunningContender extends AsyncDisposable {
  readonly contender: Contender;
  readonly pid: number;
  readonly url: string;
}

const here = import.meta.dirname;
const modules = join(here, 'node_modules');

/**
 * The environment of this gateway: tokens are verified, their tenant is checked, and requests are counted for the rate
 * limit, which is too high to reject any.
 */
export function gatewayEnv({ fixture, service, port }: Omit<Surroundings, 'folder'>) {
  return {
    PORT: String(port),
    ADMIN_PORT: '0',
    UPSTREAM_URL: service.url,
    JWT_JWKS_URL: service.keySetUrl,
    JWT_ISSUER: fixture.issuer,
    JWT_AUDIENCE: fixture.audience,
    JWT_TENANT_CLAIM: 'tenant',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    SHUTDOWN_DELAY_MS: '0',
  };
}

export const gateway: Contender = {
  name: 'account-bff',
  title: '**account-bff**, every protection on',
  package: null,
  dialect: 'contract',
  decimals: 'exact',
  command: (surroundings) => ({
    file: process.execPath,
    // As `npm start` does.
    args: ['--max-semi-space-size=32', join(here, '../src/main.ts')],
    env: gatewayEnv(surroundings),
  }),
};

const hive: Contender = {
  ...{ name: 'hive-gateway', title: 'Hive Gateway over an OpenAPI source' },
  ...{ package: '@graphql-hive/gateway', dialect: 'raw', decimals: 'float' },
  async command({ service, port, folder }) {
    const cwd = join(here, 'contenders/hive');
    const supergraph = join(folder, 'supergraph.graphql');
    const compose = [join(modules, '.bin/mesh-compose'), '-o', supergraph];
    const env = { ...process.env, UPSTREAM_URL: service.url };
    await promisify(execFile)(process.execPath, compose, { cwd, env });
    const config = ['-c', join(cwd, 'gateway.config.js')];
    const listen = ['--port', String(port), '--host', '127.0.0.1'];
    const args = [join(modules, '.bin/hive-gateway'), 'supergraph', supergraph];
    return { file: process.execPath, args: [...args, ...config, ...listen] };
  },
};

const tailcall: Contender = {
  ...{ name: 'tailcall', title: 'Tailcall (Rust)', package: '@tailcallhq/core-linux-x64-gnu' },
  ...{ dialect: 'raw', decimals: 'float' },
  async command({ service, port, folder }) {
    const template = await readFile(join(here, 'contenders/tailcall/schema.graphql'), 'utf8');
    const schema = join(folder, 'schema.graphql');
    const filled = template
      .replace('port: 8000', `port: ${port}`)
      .replaceAll('http://service.example', service.url);
    await writeFile(schema, filled);
    const binary = join(modules, '@tailcallhq/core-linux-x64-gnu/bin/tailcall');
    const { loader, args } = await newerLibc();
    const start = [...args, binary, 'start', schema];
    return { file: loader, args: start, env: { TAILCALL_TRACKER: 'false', LOG_LEVEL: 'error' } };
  },
};

/**
 * Tailcall's binary needs glibc 2.39. On a system with an older version, libc.sh installs the glibc of Debian 13 in a
 * separate folder, and the binary is started with the loader of that folder.
 */
async function newerLibc(): Promise<{ readonly loader: string; readonly args: readonly string[] }> {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const [, minor = 0] = (header.glibcVersionRuntime ?? '').split('.').map(Number);
  if (minor >= 39) return { loader: 'env', args: [] };
  const folder = join(here, '.cache/libc/usr/lib/x86_64-linux-gnu');
  if (!existsSync(folder)) await promisify(execFile)(join(here, 'contenders/tailcall/libc.sh'));
  return { loader: join(folder, 'ld-linux-x86-64.so.2'), args: ['--library-path', folder] };
}

/** A contender that is a script in contenders/. It has the gateway's schema unless the caller overrides `dialect`. */
function peer(
  name: string,
  title: string,
  packageName: string,
  runtime: string = process.execPath,
): Contender {
  return {
    ...{ name, title, package: packageName, dialect: 'contract', decimals: 'float' },
    command: () => ({ file: runtime, args: [join(here, `contenders/${name}.js`)] }),
  };
}

const bun = '@oven/bun-linux-x64';
const bunBinary = join(modules, bun, 'bin/bun');

/** The same handler without any JavaScript. Needs the Debian package `golang-go`. */
const goHandler: Contender = {
  ...{ name: 'rest-go', title: 'REST handler by hand: Go, net/http', package: null },
  ...{ dialect: 'rest', decimals: 'exact' },
  async command({ folder }) {
    const binary = join(folder, 'rest');
    const source = join(here, 'contenders/rest.go');
    const env = { ...process.env, GOCACHE: join(here, '.cache/go'), GO111MODULE: 'off' };
    await promisify(execFile)('go', ['build', '-o', binary, source], { env });
    return { file: binary, args: [] };
  },
};

/** The base of the comparison: the same work without GraphQL. */
export const handler: Contender = {
  ...peer('rest', 'REST handler by hand: node:http, undici', 'undici'),
  dialect: 'rest',
};

/** All contenders in the order of the results; the others are compared with the first. */
export const contenders: readonly Contender[] = [
  handler,
  gateway,
  goHandler,
  {
    ...peer('rest-bun', "REST handler by hand: Bun's server and fetch", bun, bunBinary),
    dialect: 'rest',
  },
  tailcall,
  peer('mercurius', 'Mercurius, jit', 'mercurius'),
  peer('apollo-fastify', 'Apollo Server on Fastify, undici, DataLoader', '@apollo/server'),
  peer('graphql17', 'graphql 17 on node:http', 'graphql17'),
  peer('grafserv', 'Grafserv, with plans of Grafast', 'grafserv'),
  peer('yoga', 'GraphQL Yoga', 'graphql-yoga'),
  peer('yoga-bun', 'GraphQL Yoga on Bun', bun, bunBinary),
  peer('apollo-standalone', 'Apollo Server standalone, datasource-rest', '@apollo/server'),
  hive,
];

/**
 * Starts a contender in production mode on core 0, and waits until it answers. `env` is added to the contender's own
 * environment.
 */
export async function startContender(
  contender: Contender,
  fixture: Fixture,
  service: StaticService,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningContender> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'bench-contender-'));
  const command = await contender.command({ fixture, service, port, folder });
  const [file, args] = onCore(0, command.file, command.args);
  const child = spawn(file, args, {
    cwd: folder,
    env: {
      ...process.env,
      ...{ NODE_ENV: 'production', PORT: String(port), UPSTREAM_URL: service.url },
      ...command.env,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(url, ended);
  return {
    contender,
    pid: child.pid ?? 0,
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

interface Asked {
  readonly contender: Pick<Contender, 'dialect'>;
  readonly url: string;
}

/** The request of a workload, without the length of its answer. */
export function requestOf(
  { contender: { dialect }, url }: Asked,
  workload: WorkloadName,
  { accounts: [accountId = ''], tenant, tokens }: Fixture,
): Omit<Ask, 'length'> {
  if (dialect === 'rest') {
    const path = pathOf(workload, accountId);
    return { url, method: 'GET', path, body: null, tenant, tokens };
  }
  const body = JSON.stringify({ query: documentOf(dialect, workload, accountId) });
  return { url, method: 'POST', path: '/graphql', body, tenant, tokens };
}

/** Sends the request once, on behalf of the first caller; returns the text of the answer. */
export async function askOnce(ask: Omit<Ask, 'length'>): Promise<string> {
  const { url, method, path, body, tenant, tokens } = ask;
  const response = await fetch(url + path, {
    method,
    body,
    headers: {
      authorization: `Bearer ${tokens[0]}`,
      'x-tenant-id': tenant,
      'content-type': 'application/json',
      accept: 'application/json',
    },
  });
  return response.text();
}
