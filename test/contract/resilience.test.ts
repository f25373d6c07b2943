// A failing service, observed at the client and at the service: deadlines, disconnects, connections, outages, the
// circuit breaker, and shared calls.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { gatewayOfTest } from '../support/fixtures.ts';
import { type TestGateway } from '../support/gateway.ts';
import { type Answer, ask, callerHeaders, codesOf, firstHolder, query } from '../support/query.ts';

async function start(env: Readonly<Record<string, string>> = {}): Promise<TestGateway> {
  return gatewayOfTest({ LOG_LEVEL: 'silent', ...env });
}

/** A query for a statement from a given day on. Queries with different days share no call. */
const statementOf = (accountId: string, day: number) => {
  const from = new Date(Date.UTC(2020, 0, 1 + day)).toISOString().slice(0, 10);
  return `{ transactions(accountId: "${accountId}", from: "${from}") { totalCount } }`;
};

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));

/** Waits up to two seconds until no request is open at the service. */
const quiet = ({ bank }: TestGateway) =>
  vi.waitFor(() => expect(bank.load().requests).toBe(0), { timeout: 2000, interval: 10 });

/** The value of a metric; `name` may include labels. */
async function metric({ adminUrl }: TestGateway, name: string): Promise<number> {
  const { text } = await ask(`${adminUrl}/metrics`);
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

describe('a client that disconnects', () => {
  test.each([
    ['before an answer', { kind: 'hang' }],
    ['in the middle of the body', { kind: 'hang', afterHalf: true }],
    ['while the body arrives slowly', { kind: 'drip' }],
  ] as const)(
    '%s has its calls to the service aborted, in 50 of 50 cases',
    async (_what, fault) => {
      // With timeouts this long, only the disconnect can end these calls. bench/outage.ts measures how soon the calls
      // end.
      const gateway = await start({
        UPSTREAM_TIMEOUT_MS: '600000',
        OPERATION_TIMEOUT_MS: '600000',
      });
      const { bank } = gateway;
      bank.addFault(fault);
      for (let i = 1; i <= 50; i++) {
        const controller = new AbortController();
        const asked = query(gateway, '{ accounts { id } }', { signal: controller.signal });
        await bank.waitForCall((call) => call.id === i);
        controller.abort();
        await expect(asked).rejects.toThrow();
        await bank.waitForCall((call) => call.id === i && call.outcome === 'aborted');
      }
    },
  );

  test('does not affect another client that shares its call', async () => {
    const gateway = await start();
    const { bank } = gateway;
    bank.addFault({ kind: 'delay', delayMs: 300 });
    const controllers = times(8, () => new AbortController());
    const asked = controllers.map(({ signal }) =>
      query(gateway, '{ accounts { id } }', { signal }).catch(() => 'left' as const),
    );
    await bank.waitForCall(() => true);
    for (const controller of controllers.slice(0, 4)) controller.abort();
    const answers = await Promise.all(asked);
    expect(answers.slice(0, 4)).toEqual(times(4, () => 'left'));
    for (const answer of answers.slice(4))
      expect(answer).toMatchObject({ status: 200, errors: undefined });
  });
});

/** Whether the circuit of a route is closed. */
const isClosed = async (gateway: TestGateway, route = 'transactions') =>
  (await metric(gateway, `account_bff_upstream_breaker_state{route="${route}",state="closed"}`)) ===
  1;

describe('the deadline', () => {
  test.each([
    ['no answer', { kind: 'hang' }],
    ['half a body', { kind: 'hang', afterHalf: true }],
    ['a slow body', { kind: 'drip' }],
  ] as const)('ends a call with %s, and leaves no connection open', async (_what, fault) => {
    const gateway = await start({ UPSTREAM_TIMEOUT_MS: '200' });
    gateway.bank.addFault(fault);
    const answer = await query(gateway, '{ me { __typename } __typename }');
    expect(answer).toMatchObject({ status: 200, data: { me: null, __typename: 'Query' } });
    expect(codesOf(answer)).toEqual(['UPSTREAM_TIMEOUT']);
    await quiet(gateway);
  });

  test('of an operation ends its calls, and finished fields are answered', async () => {
    const gateway = await start({ OPERATION_TIMEOUT_MS: '300' });
    gateway.bank.addFault({ kind: 'hang', match: { route: 'transactions' } });
    const [account = ''] = firstHolder(gateway.bank).accounts;
    const answer = await query(
      gateway,
      `{ accounts { id } transactions(accountId: "${account}") { totalCount } }`,
    );
    expect(codesOf(answer)).toEqual(['UPSTREAM_TIMEOUT']);
    expect(answer.data).toMatchObject({ accounts: [{}, {}, {}, {}], transactions: null });
    await quiet(gateway);
  });
});

describe('UPSTREAM_CONNECTIONS', () => {
  test('is never exceeded, whether calls are answered or time out', async () => {
    const gateway = await start({ UPSTREAM_CONNECTIONS: '4', UPSTREAM_TIMEOUT_MS: '1000' });
    const { bank } = gateway;
    const [account = ''] = firstHolder(bank).accounts;
    bank.addFault({ kind: 'delay', delayMs: 50 });
    await Promise.all(times(60, (day) => query(gateway, statementOf(account, day))));
    expect(bank.load()).toMatchObject({ maxSockets: 4, maxRequests: 4 });
    bank.clearFaults();
    bank.addFault({ kind: 'hang' });
    await Promise.all(times(60, (day) => query(gateway, statementOf(account, day))));
    await quiet(gateway);
    await query(gateway, '{ accounts { id } }');
    expect(bank.load()).toMatchObject({ maxSockets: 4, maxRequests: 4 });
  });

  test('does not delay the deadline of a call that waits for a connection', async () => {
    const gateway = await start({ UPSTREAM_CONNECTIONS: '4', UPSTREAM_TIMEOUT_MS: '1000' });
    const { bank } = gateway;
    bank.addFault({ kind: 'hang' });
    const [account = ''] = firstHolder(bank).accounts;
    const startedAtMs = performance.now();
    // Fewer calls than a round of the circuit needs: on a slow machine, 50 failed calls could open it for later ones.
    const answers = await Promise.all(
      times(45, (day) => query(gateway, statementOf(account, day))),
    );
    expect(new Set(answers.flatMap(codesOf))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
    // Each call has its own deadline from the start. If deadlines began only when a connection became free, 45 calls on
    // 4 connections would take 11 s.
    expect(performance.now() - startedAtMs).toBeLessThan(7000);
  });
});

describe('an outage', () => {
  interface Outage {
    readonly begin: () => unknown;
    readonly end: () => unknown;
    readonly codes: readonly string[];
  }

  const outages: Readonly<Record<string, (gateway: TestGateway) => Outage>> = {
    'with status 503': ({ bank }) => ({
      begin: () => bank.addFault({ kind: 'status', status: 503 }),
      end: () => bank.clearFaults(),
      codes: ['UPSTREAM_UNAVAILABLE'],
    }),
    'with refused connections': ({ bank }) => ({
      begin: () => bank.goOffline(),
      end: () => bank.goOnline(),
      codes: ['UPSTREAM_UNAVAILABLE'],
    }),
    'with a hanging service': ({ bank }) => ({
      begin: () => bank.addFault({ kind: 'hang' }),
      end: () => bank.clearFaults(),
      codes: ['UPSTREAM_TIMEOUT', 'UPSTREAM_UNAVAILABLE'],
    }),
  };

  test.each(Object.entries(outages))(
    '%s adds at most a fifth to the calls, and then leaves only probes until the service is back',
    async (_name, outageOf) => {
      const gateway = await start({ UPSTREAM_TIMEOUT_MS: '1000' });
      const { bank } = gateway;
      const [account = ''] = firstHolder(bank).accounts;
      let operations = 0;
      const codes = new Set<string>();
      const askSome = async () => {
        const answers = await Promise.all(
          times(25, (day) => query(gateway, statementOf(account, day))),
        );
        operations += answers.length;
        for (const code of answers.flatMap(codesOf)) codes.add(code);
      };
      await query(gateway, statementOf(account, 0));
      const before = await exchanges(gateway);
      const outage = outageOf(gateway);
      await outage.begin();
      while (!(await isOpen(gateway))) await askSome();
      const openedAtMs = performance.now();
      const asked = await exchanges(gateway);
      for (let round = 0; round < 8; round++) await askSome();
      expect([...codes].sort()).toEqual(outage.codes);
      expect((await exchanges(gateway)) - before).toBeLessThanOrEqual(1.2 * operations);
      // While the circuit is open, the gateway sends at most three probes per second.
      const seconds = Math.ceil((performance.now() - openedAtMs) / 1000);
      expect((await exchanges(gateway)) - asked).toBeLessThanOrEqual(3 * (seconds + 1));
      await outage.end();
      await vi.waitFor(
        async () => {
          expect(codesOf(await query(gateway, statementOf(account, 0)))).toEqual([]);
          expect(await isClosed(gateway)).toBe(true);
        },
        { timeout: 20_000, interval: 10 },
      );
    },
  );

  /** Whether the circuit is open or half-open. In the half-open state, the gateway probes the service. */
  const isOpen = async (gateway: TestGateway) => !(await isClosed(gateway));

  /** The number of exchanges with the service, whatever their outcome. */
  async function exchanges({ adminUrl }: TestGateway): Promise<number> {
    const { text } = await ask(`${adminUrl}/metrics`);
    const counts = text.matchAll(
      /^account_bff_upstream_exchange_duration_seconds_count\{.*\} (\d+)$/gm,
    );
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }
});

describe('the circuit', () => {
  test.each([{ kind: 'reset' }, { kind: 'status', status: 500 }, { kind: 'hang' }] as const)(
    'of one route opens, probes and closes while other routes are served: $kind',
    async (fault) => {
      const gateway = await start({ UPSTREAM_TIMEOUT_MS: '1000' });
      const { bank } = gateway;
      const [account = ''] = firstHolder(bank).accounts;
      const profiles: Promise<Answer>[] = [];
      const askSome = () =>
        Promise.all(
          times(25, (day) => {
            profiles.push(query(gateway, '{ accounts { id } }'));
            return query(gateway, statementOf(account, day));
          }),
        );
      const statementCalls = () => bank.calls().filter(({ route }) => route === 'transactions');
      bank.addFault({ ...fault, match: { route: 'transactions' } });
      while (await isClosed(gateway)) await askSome();
      const openedAtMs = performance.now();
      bank.resetCalls();
      for (let round = 0; round < 8; round++) await askSome();
      const seconds = Math.ceil((performance.now() - openedAtMs) / 1000);
      expect(statementCalls().length).toBeLessThanOrEqual(3 * (seconds + 1));
      bank.clearFaults();
      const recovered = async () => {
        expect((await askSome()).flatMap(codesOf)).toEqual([]);
        expect(await isClosed(gateway)).toBe(true);
      };
      await vi.waitFor(recovered, { timeout: 20_000, interval: 10 });
      expect((await Promise.all(profiles)).flatMap(codesOf)).toEqual([]);
      expect(await isClosed(gateway, 'persons')).toBe(true);
    },
  );

  test.each([400, 401, 403, 404, 422, 429])(
    'is not opened by 200 answers with status %i',
    async (status) => {
      const gateway = await start();
      const { bank } = gateway;
      const [account = ''] = firstHolder(bank).accounts;
      // Once a page has been answered, a rejection is no longer treated as a sign of a wrong UPSTREAM_PAGE_BASE.
      await query(gateway, statementOf(account, 0));
      bank.resetCalls();
      bank.addFault({ kind: 'status', status, match: { route: 'transactions' } });
      for (let round = 0; round < 4; round++) {
        await Promise.all(
          times(50, (day) => query(gateway, statementOf(account, day + 50 * round))),
        );
        await sleep(400);
      }
      bank.clearFaults();
      expect(codesOf(await query(gateway, statementOf(account, 1)))).toEqual([]);
      expect(bank.calls()).toHaveLength(201);
    },
  );

  test.each(['status', 'reset', 'hang'] as const)(
    'stays closed if an account with a tenth of the traffic always fails (%s)',
    async (kind) => {
      const gateway = await start({ UPSTREAM_TIMEOUT_MS: '1000' });
      const { bank } = gateway;
      const [bad = '', good = ''] = firstHolder(bank).accounts;
      const match = { accountId: bad };
      bank.addFault(kind === 'status' ? { kind, status: 500, match } : { kind, match });
      const failing: Promise<Answer>[] = [];
      // The loop takes long enough for late failures to count, and for the circuit to react.
      const endMs = performance.now() + 3000;
      for (let round = 0; round < 40 || performance.now() < endMs; round++) {
        failing.push(query(gateway, statementOf(bad, round)));
        const others = await Promise.all(times(9, (day) => query(gateway, statementOf(good, day))));
        expect(others.flatMap(codesOf)).toEqual([]);
      }
      const codes = (await Promise.all(failing)).map(codesOf);
      const code = kind === 'hang' ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_UNAVAILABLE';
      expect(codes).toEqual(codes.map(() => [code]));
    },
  );
});

describe('calls for the same path', () => {
  test('share an exchange while they wait for a connection', async () => {
    const gateway = await start({ UPSTREAM_CONNECTIONS: '1' });
    const { bank } = gateway;
    bank.addFault({ kind: 'delay', delayMs: 1000, times: 1 });
    const first = query(gateway, '{ accounts { id } }');
    await bank.waitForCall(() => true);
    // These calls cannot be sent before the first call is answered. By then, all of them are waiting.
    const answers = await Promise.all(times(20, () => query(gateway, '{ me { __typename } }')));
    await first;
    for (const answer of answers) expect(answer.data).toEqual({ me: { __typename: 'Person' } });
    expect(bank.calls().length).toBeLessThan(5);
  });

  test('never share one exchange across tokens or tenants', async () => {
    const gateway = await start({ UPSTREAM_CONNECTIONS: '1' });
    const { bank } = gateway;
    bank.addFault({ kind: 'delay', delayMs: 1000, times: 1 });
    const first = query(gateway, '{ accounts { id } }');
    await bank.waitForCall(() => true);
    const answers = await Promise.all(
      bank.holders.map(async (holder) => {
        const headers = await callerHeaders(bank, holder);
        const { data } = await query(gateway, '{ me { ... on AccountHolder { id } } }', {
          headers,
        });
        return data;
      }),
    );
    await first;
    expect(answers).toEqual(bank.holders.map(({ id }) => ({ me: { id } })));
  });

  test('get the new state after a change, even while an older exchange is in progress', async () => {
    const gateway = await start();
    const { bank } = gateway;
    const [account = ''] = firstHolder(bank).accounts;
    const statement = `{ transactions(accountId: "${account}", first: 1) { totalCount nodes { id } } }`;
    // The answer shows the statement at the time of the request, but arrives late.
    bank.onStatementRead({ accountId: account, timing: 'after', times: 1, arrivals: 1 });
    bank.addFault({ kind: 'drip', bytes: 400, everyMs: 100, times: 1 });
    const before = query(gateway, statement);
    await bank.waitForCall(({ status }) => status === 200);
    const after = await query(gateway, statement);
    const total = bank.statement(account).length;
    expect(after.data).toMatchObject({ transactions: { totalCount: total } });
    expect(JSON.stringify(after.data)).toContain(bank.statement(account)[0]?.id);
    expect((await before).data).toMatchObject({ transactions: { totalCount: total - 1 } });
  });
});
