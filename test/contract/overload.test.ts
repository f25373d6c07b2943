// Overload as clients see it: which requests are rejected and how. Under ordinary load, no request is rejected.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { gatewayOfTest } from '../support/fixtures.ts';
import type { TestGateway } from '../support/gateway.ts';
import { graphqlRequest } from '../support/load.ts';
import { ask, callerHeaders, codesOf, firstHolder, query } from '../support/query.ts';
import { openSocket } from '../support/raw.ts';

const origin = 'http://localhost:3000';

/**
 * Starts a gateway whose only upstream connection is busy, and whose queue of calls is more than half full. `relieve`
 * ends the load.
 */
async function startSaturated() {
  const gateway = await gatewayOfTest({
    ...patient,
    ...{ UPSTREAM_CONNECTIONS: '1', MAX_PARALLEL_READS: '50' },
  });
  const fault = gateway.bank.addFault({ kind: 'hang' });
  const [account = ''] = firstHolder(gateway.bank).accounts;
  const headers = await callerHeaders(gateway.bank);
  const controller = new AbortController();
  const fields = (group: number) =>
    Array.from({ length: 25 }, (_, i) => {
      const day = new Date(Date.UTC(2020, 0, 1 + i + 25 * group)).toISOString().slice(0, 10);
      return `_${i}: transactions(accountId: "${account}", from: "${day}") { totalCount }`;
    });
  const clients = Array.from({ length: 22 }, (_, group) =>
    query(gateway, `{ ${fields(group).join(' ')} }`, { headers, signal: controller.signal }).catch(
      () => 'left' as const,
    ),
  );
  await vi.waitFor(async () => {
    expect((await query(gateway, '{ __typename }')).status).toBe(503);
  }, 20_000);
  /** Disconnects the clients and lets the service answer again. */
  const relieve = async () => {
    fault[Symbol.dispose]();
    controller.abort();
    await Promise.all(clients);
  };
  return { gateway, relieve };
}

/** Waits until the gateway serves requests again, after the clients have disconnected. */
const served = (gateway: TestGateway) =>
  vi.waitFor(async () => expect((await query(gateway, '{ accounts { id } }')).status).toBe(200), {
    timeout: 5000,
    interval: 10,
  });

test('a saturated gateway answers with OVERLOADED and Retry-After, and serves requests once the load is gone', async () => {
  const { gateway, relieve } = await startSaturated();
  const headers = { 'x-request-id': 'mine', origin };
  const answer = await query(gateway, '{ __typename }', { headers });
  expect(answer.status).toBe(503);
  expect(answer).toMatchObject({
    errors: [{ message: expect.any(String) as string, extensions: { code: 'OVERLOADED' } }],
  });
  expect(answer.data).toBeUndefined();
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'retry-after': '1',
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': 'mine',
    'access-control-allow-origin': origin,
  });
  await relieve();
  await served(gateway);
});

test('a saturated gateway still answers health checks, and counts rejected requests', async () => {
  const { gateway, relieve } = await startSaturated();
  await Promise.all(Array.from({ length: 50 }, () => query(gateway, '{ __typename }')));
  for (const path of ['live', 'ready']) {
    expect((await ask(`${gateway.adminUrl}/health/${path}`)).status).toBe(200);
  }
  const counted = /account_bff_operations_total\{code="OVERLOADED",status="503"\} (\d+)/;
  await vi.waitFor(async () => {
    const { text } = await ask(`${gateway.adminUrl}/metrics`);
    expect(Number(counted.exec(text)?.[1] ?? 0)).toBeGreaterThan(50);
  }, 5000);
  await relieve();
});

test('the connection of a rejected request stays open for later requests', async () => {
  const { gateway, relieve } = await startSaturated();
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  await once(socket, 'connect');
  const request = graphqlRequest('{ __typename }', await callerHeaders(gateway.bank));
  const answers: string[] = [];
  const ask = async () => {
    socket.write(request);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    answers.push(chunk.toString().slice(0, 12));
  };
  await ask();
  await ask();
  await relieve();
  await served(gateway);
  await ask();
  expect(answers).toEqual(['HTTP/1.1 503', 'HTTP/1.1 503', 'HTTP/1.1 200']);
  socket.destroy();
});

/** No log, and timeouts long enough for a slow machine. */
const patient = {
  LOG_LEVEL: 'silent',
  UPSTREAM_TIMEOUT_MS: '60000',
  OPERATION_TIMEOUT_MS: '60000',
};

test('a thousand simultaneous clients are all served', async () => {
  const gateway = await gatewayOfTest(patient);
  const headers = await callerHeaders(gateway.bank);
  const answers = await Promise.all(
    Array.from({ length: 1000 }, () => query(gateway, '{ accounts { id } }', { headers })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.flatMap(codesOf))).toEqual(new Set());
});

test('of 300 clients that connect at once, each gets an answer before any of them gets twenty', async () => {
  const gateway = await gatewayOfTest(patient);
  const request = graphqlRequest('{ accounts { id } }', await callerHeaders(gateway.bank));
  const port = Number(new URL(gateway.url).port);
  const answers = await new Promise<readonly number[]>((resolve) => {
    const counts = Array.from({ length: 300 }, () => 0);
    const sockets = counts.map((_, client) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(request));
      // Each answer is small enough to arrive in one chunk.
      return socket.on('data', () => {
        counts[client] = (counts[client] ?? 0) + 1;
        if (counts.includes(0)) {
          socket.write(request);
          return;
        }
        for (const one of sockets) one.destroy();
        resolve(counts);
      });
    });
  });
  expect(Math.max(...answers)).toBeLessThan(20);
});

test('requests that arrive while the event loop is blocked are all served', async () => {
  const gateway = await gatewayOfTest(patient);
  const headers = await callerHeaders(gateway.bank);
  await query(gateway, '{ __typename }');
  for (let round = 0; round < 3; round++) {
    const asked = Array.from({ length: 100 }, () =>
      query(gateway, '{ accounts { id } }', { headers }),
    );
    await turn();
    stall(700);
    const answers = await Promise.all(asked);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  }
});

/** Opens connections, and sends on each a request without the last byte of its body. */
async function sendAllButTheLastByte(gateway: TestGateway, clients: number) {
  const request = graphqlRequest('{ __typename }', {});
  const sockets = await Promise.all(Array.from({ length: clients }, () => openSocket(gateway)));
  for (const socket of sockets) socket.resume().write(request.subarray(0, -1));
  await vi.waitFor(async () => {
    const { text } = await ask(`${gateway.adminUrl}/metrics`);
    expect(text).toContain(`account_bff_operations_under_way ${clients}\n`);
  }, 5000);
  return { sockets, last: request.subarray(-1) };
}

const ended = ({ log }: TestGateway) => log.filter(({ msg }) => msg === 'operation');

test('requests whose bodies end at the same moment are executed in several turns', async () => {
  const clients = 200;
  const gateway = await gatewayOfTest({ ...patient, LOG_LEVEL: 'info' });
  const { sockets, last } = await sendAllButTheLastByte(gateway, clients);
  for (const socket of sockets) socket.write(last);
  let most = 0;
  for (let before = 0; before < clients;) {
    await turn();
    const now = ended(gateway).length;
    most = Math.max(most, now - before);
    before = now;
  }
  // In one turn, the answers of two turns may be sent, of 16 requests each.
  expect(most).toBeLessThanOrEqual(32);
  for (const socket of sockets) socket.destroy();
});

test('a request whose body ended late is not executed if its client has gone before its turn', async () => {
  const clients = 200;
  const gateway = await gatewayOfTest({ ...patient, LOG_LEVEL: 'info' });
  const { sockets, last } = await sendAllButTheLastByte(gateway, clients);
  for (const socket of sockets) {
    socket.write(last);
    socket.destroySoon();
  }
  await vi.waitFor(() => expect(ended(gateway)).toHaveLength(clients), 5000);
  const gone = ended(gateway).filter(({ codes }) => String(codes) === 'CLIENT_GONE');
  expect(gone.length).toBeGreaterThan(0);
  expect(gone.filter(({ executor }) => executor === null).length).toBeGreaterThan(0);
});

/** Blocks the event loop, as a long garbage collection does. */
function stall(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}
