// The process as shipped: `node src/main.ts` as a child. Node.js itself strips the types, whereas Vitest transforms the
// files of most other tests.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startBank } from '../src/sandbox/bank.ts';
import type { Bank } from '../src/sandbox/bank-script.ts';
import { inherited } from './support/gateway-process.ts';
import { ask, callerHeaders, firstHolder, post } from './support/query.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts the gateway with `env`, by default on free ports. */
function start(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['src/main.ts'], {
    env: { ...inherited, PORT: '0', ADMIN_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

/** The output and the exit code of a child, once it has ended. */
async function endOf(child: ReturnType<typeof start>) {
  const [stdout, stderr, exit] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null, string | null]>,
  ]);
  return { stdout, stderr, code: exit[0] };
}

/** Resolves with the match as soon as the child's output matches the pattern; rejects if the child exits first. */
function printed(child: ReturnType<typeof start>, pattern: RegExp): Promise<RegExpExecArray> {
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    const found = pattern.exec(output);
    if (found !== null) resolve(found);
  });
  child.once('exit', () => reject(new Error(`it ended after printing ${output}`)));
  return promise;
}

const listening = /"url":"(?<url>[^"]+)","adminUrl":"(?<adminUrl>[^"]+)"/;

async function startListening(env: Readonly<Record<string, string>>) {
  const child = start(env);
  const end = endOf(child);
  // A rejection is handled by the test that awaits `end`.
  end.catch(() => undefined);
  const { url = '', adminUrl = '' } = (await printed(child, listening)).groups ?? {};
  return { child, end, url, adminUrl };
}

describe('at startup', () => {
  test('every invalid setting is listed, and the process exits with 1', async () => {
    const env = { PORT: 'x', LOG_LEVEL: 'loud', JWT_ALGORITHMS: 'HS256', ROUTER_SECRET: 'marked' };
    const { stdout, stderr, code } = await endOf(start(env));
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => line.split(':')[0])
        .sort(),
    ).toEqual(['JWT_ALGORITHMS', 'LOG_LEVEL', 'PORT']);
    expect(stderr).not.toContain('marked');
  });

  test('production requires UPSTREAM_URL', async () => {
    const { stderr, code } = await endOf(start({ NODE_ENV: 'production' }));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^UPSTREAM_URL: /);
  });

  test.each(['PORT', 'ADMIN_PORT'])(
    'a port that is in use is reported with its setting: %s',
    async (setting) => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const { stderr, code } = await endOf(start({ [setting]: String(port) }));
      server.close();
      expect(code).toBe(1);
      expect(stderr).toBe(
        `${setting}: ${port} is in use at 127.0.0.1; stop the program that uses it, or set ${setting} to another port\n`,
      );
    },
  );

  test('a variable that looks like a setting causes a warning, and production logs which settings are in effect', async () => {
    const env = { UPSTREAM_URL: 'http://127.0.0.1:1', NODE_ENV: 'production', JWT_JWKS: 'x' };
    const { child, end } = await startListening({
      ...env,
      REDIS_URL: 'redis://:marked@127.0.0.1:1',
    });
    child.kill('SIGKILL');
    const { stdout } = await end;
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual(
      expect.objectContaining({ variable: 'JWT_JWKS', like: 'JWT_JWKS_URL' }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'settings in effect', tokens: 'only decoded', redis: true }),
    );
    expect(stdout).not.toContain('marked');
  });
});

test('without UPSTREAM_URL, the sandbox bank answers, and the printed command works', async () => {
  const child = start({});
  const end = endOf(child);
  const pattern =
    /curl (?<url>\S+) -H 'content-type: application\/json' \\\s+-H 'x-tenant-id: (?<tenant>[^']+)' \\\s+-H 'authorization: (?<authorization>[^']+)' \\\s+-d '(?<body>[^']+)'[^]*explore/i;
  const {
    url = '',
    tenant = '',
    authorization = '',
    body = '',
  } = (await printed(child, pattern)).groups ?? {};
  const headers = { 'content-type': 'application/json', 'x-tenant-id': tenant, authorization };
  const answer = await ask(url, { method: 'POST', headers, body });
  expect(answer).toMatchObject({
    status: 200,
    data: { me: { name: expect.any(String) as string } },
  });
  expect(answer.errors).toBeUndefined();
  child.kill('SIGTERM');
  expect(await end).toMatchObject({ code: 0, stderr: '' });
});

test('on a terminal, a start takes at most 25 lines of 80 columns, and ends with the command and the links', async () => {
  const terminal = 'process.stdout.isTTY = true';
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(terminal)}`;
  const child = start({ NODE_OPTIONS });
  const end = endOf(child);
  await printed(child, /Apollo Sandbox .+\n/);
  child.kill('SIGTERM');
  const [introduction = '', drained = ''] = (await end).stdout.split(/(?<=Apollo Sandbox .+\n)/);
  const rows = introduction
    .trimEnd()
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0);
  // npm prints four lines above.
  expect(rows).toBeLessThanOrEqual(25 - 4);
  expect(introduction).toMatch(/^\d\d:\d\d:\d\d info listening url=http:/);
  expect(introduction).toMatch(/\ncurl [^]+\n\n[^]+GraphiQL[^]+Apollo Sandbox[^\n]+\n$/);
  expect(drained).toMatch(/ info draining\n.+ info stopped\n$/);
});

test('in production, a query is answered with the service’s data, and the log has no token or personal data', async () => {
  await using bank = await startBank();
  const env = {
    NODE_ENV: 'production',
    UPSTREAM_URL: bank.url,
    LOG_LEVEL: 'trace',
    SHUTDOWN_DELAY_MS: '0',
  };
  const { child, end, url, adminUrl } = await startListening(env);
  const headers = await callerHeaders(bank);
  const askFor = (query: string) => post({ url }, JSON.stringify({ query }), { headers });
  const answer = await askFor('{ me { ... on Person { id name document } } }');
  expect(answer.status).toBe(200);
  expect((await askFor('{ __schema { types { name } } }')).errors).toHaveLength(1);
  expect((await ask(`${adminUrl}/health/ready`)).status).toBe(200);
  bank.addFault({ kind: 'status', status: 500 });
  expect((await askFor('{ accounts { id } }')).errors).toHaveLength(1);
  child.kill('SIGTERM');
  const { stdout, stderr, code } = await end;
  expect(code).toBe(0);
  const { id, name, document } = answer.data?.['me'] as Record<string, string>;
  for (const secret of [headers.authorization.slice(7), bank.secretMark, id, name, document]) {
    expect(stdout + stderr).not.toContain(secret);
  }
  for (const line of stdout.trim().split('\n')) JSON.parse(line);
});

test('in production, neither the sandbox nor the doctor is loaded', async () => {
  await using bank = await startBank();
  const printLoaded = `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) });`;
  const { child, end } = await startListening({
    NODE_ENV: 'production',
    UPSTREAM_URL: bank.url,
    SHUTDOWN_DELAY_MS: '0',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(printLoaded)}`,
  });
  child.kill('SIGTERM');
  const { stderr } = await end;
  expect(stderr).toMatch(/\/src\/gateway\.ts$/m);
  expect(stderr).not.toMatch(/\/(?:src\/sandbox|doctor)\/[\w-]+\.ts$/m);
});

test('the process fails to start if tracing is on and OpenTelemetry is not installed', async () => {
  const notInstalled = `import { registerHooks } from 'node:module';
    registerHooks({
      resolve(name, context, next) {
        if (!name.startsWith('@opentelemetry/sdk-')) return next(name, context);
        throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
      },
    });`;
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(notInstalled)}`,
  };
  const { stderr, code } = await endOf(start(env));
  expect(code).toBe(1);
  expect(stderr).toMatch(/^OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed/);
});

describe('after SIGTERM or SIGINT,', () => {
  /** Starts a gateway with its own bank; `askFor` sends a request to the gateway. */
  async function startBusy(env: Readonly<Record<string, string>>) {
    const bank = await startBank();
    const gateway = await startListening({ UPSTREAM_URL: bank.url, ...env });
    const headers = await callerHeaders(bank);
    const askFor = () =>
      post(gateway, JSON.stringify({ query: '{ accounts { id } }' }), { headers });
    return { ...gateway, bank, askFor };
  }

  test('readiness fails at once, requests are served for SHUTDOWN_DELAY_MS, and then the process exits', async () => {
    const { bank, askFor, child, end, adminUrl } = await startBusy({ SHUTDOWN_DELAY_MS: '3000' });
    expect((await ask(`${adminUrl}/health/ready`)).status).toBe(200);
    child.kill('SIGTERM');
    await printed(child, /draining/);
    expect((await ask(`${adminUrl}/health/ready`)).status).toBe(503);
    expect((await ask(`${adminUrl}/health/live`)).status).toBe(200);
    const answer = await askFor();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('connection')).toBe('close');
    expect(await end).toMatchObject({ code: 0 });
    await expect(askFor()).rejects.toThrow();
    await bank.close();
  });

  test('requests in progress are finished', async () => {
    const { bank, askFor, child, end } = await startBusy({});
    bank.addFault({ kind: 'delay', delayMs: 500 });
    const asked = askFor();
    await bank.waitForCall(() => true);
    // On Ctrl+C, the terminal sends one signal, and npm forwards another one.
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect(await asked).toMatchObject({ status: 200 });
    expect((await asked).errors).toBeUndefined();
    expect(await end).toMatchObject({ code: 0 });
    await bank.close();
  });

  test('requests that take longer than SHUTDOWN_GRACE_MS are cut off', async () => {
    const { bank, askFor, child, end } = await startBusy({ SHUTDOWN_GRACE_MS: '200' });
    bank.addFault({ kind: 'hang' });
    const asked = expect(askFor()).rejects.toThrow();
    await bank.waitForCall(() => true);
    child.kill('SIGTERM');
    await asked;
    expect(await end).toMatchObject({ code: 0 });
    await bank.close();
  });

  test('a second SIGTERM ends the process at once, with exit code 1', async () => {
    const { bank, child, end } = await startBusy({ SHUTDOWN_DELAY_MS: '60000' });
    child.kill('SIGTERM');
    await printed(child, /draining/);
    const startedAt = performance.now();
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 1 });
    // The exit did not wait for the delay.
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    await bank.close();
  });
});

describe('calls that wait for a connection or for an answer', () => {
  /** Starts 120 calls for statements of different dates, over two connections that the service keeps busy. */
  async function startWaiting(env: Readonly<Record<string, string>> = {}) {
    const bank = await startBank();
    const settings = {
      UPSTREAM_CONNECTIONS: '2',
      MAX_PARALLEL_READS: '30',
      UPSTREAM_TIMEOUT_MS: '30000',
      OPERATION_TIMEOUT_MS: '60000',
      ...env,
    };
    const started = await startListening({ UPSTREAM_URL: bank.url, ...settings });
    const headers = await callerHeaders(bank);
    const id = firstHolder(bank).accounts[0] ?? '';
    const askFor = (query: string) => post(started, JSON.stringify({ query }), { headers });
    const statements = Array.from({ length: 120 }, (_, n) => {
      const from = new Date(Date.UTC(2020, 0, 1 + n)).toISOString().slice(0, 10);
      return `_${n}: transactions(accountId: "${id}", from: "${from}") { totalCount }`;
    });
    bank.addFault({ kind: 'hang', match: { route: 'transactions' } });
    const asked = [0, 30, 60, 90].map((at) =>
      askFor(`{ ${statements.slice(at, at + 30).join(' ')} }`),
    );
    await vi.waitFor(
      async () => {
        const { text } = await ask(`${started.adminUrl}/metrics`);
        expect(text).toContain('\naccount_bff_upstream_queue_length 118\n');
      },
      { timeout: 15_000, interval: 50 },
    );
    return { ...started, bank, asked, askFor };
  }

  test.each([
    ['refuses connections', (bank: Bank) => bank.goOffline()],
    [
      'resets its connections',
      async (bank: Bank) => {
        bank.addFault({ kind: 'reset' });
        // The fault affects only new requests. Going offline also breaks the connections of hanging requests.
        await bank.goOffline();
        await bank.goOnline();
      },
    ],
  ])('fail if the service %s, and later calls are answered', async (_what, goAway) => {
    const { bank, asked, askFor, child, end } = await startWaiting();
    bank.reset();
    await goAway(bank);
    for (const { status, data, errors } of await Promise.all(asked)) {
      expect(status).toBe(200);
      const codes = errors?.map(({ extensions }) => extensions.code);
      expect(codes).toEqual(Array(30).fill('UPSTREAM_UNAVAILABLE'));
      expect(Object.values(data ?? {})).toEqual(Array(30).fill(null));
    }
    bank.reset();
    await bank.goOffline();
    await bank.goOnline();
    await vi.waitFor(
      async () => expect((await askFor('{ accounts { id } }')).errors).toBeUndefined(),
      { timeout: 20_000, interval: 100 },
    );
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 0, stderr: '' });
    await bank.close();
  });
});

describe('an uncaught exception or rejection', () => {
  const defects = { NODE_OPTIONS: `--import=${import.meta.dirname}/support/defects.ts` };

  test.each([
    ['exception', 'SIGUSR2', 'thrown by the test', 'uncaughtException'],
    ['rejection', 'SIGPIPE', 'rejected by the test', 'unhandledRejection'],
  ] as const)(
    '(%s) is logged, requests in progress are finished, and the process exits with 1',
    async (_what, signal, message, origin) => {
      await using bank = await startBank();
      const env = { UPSTREAM_URL: bank.url, SHUTDOWN_DELAY_MS: '3000', ...defects };
      const { child, end, url, adminUrl } = await startListening(env);
      const headers = await callerHeaders(bank);
      const askFor = () =>
        post({ url }, JSON.stringify({ query: '{ accounts { id } }' }), { headers });
      bank.addFault({ kind: 'delay', delayMs: 600, times: 1 });
      const underWay = askFor();
      await bank.waitForCall(() => true);
      child.kill(signal);
      await printed(child, /draining/);
      expect((await ask(`${adminUrl}/health/ready`)).status).toBe(503);
      expect(await askFor()).toMatchObject({ status: 200 });
      expect(await underWay).toMatchObject({ status: 200 });
      const { stdout, code } = await end;
      expect(code).toBe(1);
      const lines = stdout.trim().split('\n');
      const fatal = lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ level }) => level === 'fatal');
      expect(fatal).toMatchObject([{ origin, err: { message } }]);
    },
  );

  test('(exception) during a drain changes the exit code to 1, and does not restart the drain', async () => {
    await using bank = await startBank();
    const env = { UPSTREAM_URL: bank.url, SHUTDOWN_DELAY_MS: '300', ...defects };
    const { child, end } = await startListening(env);
    child.kill('SIGTERM');
    await printed(child, /draining/);
    child.kill('SIGUSR2');
    const { stdout, code } = await end;
    expect(code).toBe(1);
    expect(stdout.match(/"msg":"draining"/g)).toHaveLength(1);
  });
});
