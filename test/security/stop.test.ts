// A shutdown, with a delay or without: no request on an open connection is lost, and idle connections are closed.
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { graphqlRequest } from '../support/load.ts';
import { callerHeaders } from '../support/query.ts';
import { openSocket } from '../support/raw.ts';

/** Requests sent and answers received on one connection. */
interface Count {
  sent: number;
  answered: number;
}

/** Sends a request after each answer until the connection is closed; returns the counts. */
async function askSteadily(gateway: TestGateway, request: Buffer, onAnswer: () => void) {
  const count: Count = { sent: 0, answered: 0 };
  const socket = await openSocket(gateway);
  const send = () => {
    count.sent++;
    socket.write(request);
  };
  // Each answer is small enough to arrive in one piece.
  socket.setEncoding('latin1').on('data', (answer: string) => {
    count.answered++;
    onAnswer();
    if (!/^connection: close/im.test(answer)) send();
  });
  send();
  await new Promise((resolve) => socket.on('close', resolve));
  return count;
}

/**
 * Waits until the gateway accepts no more connections. A gateway that stops accepts connections until a turn of its
 * event loop in which none arrives, so turns pass between two attempts.
 */
async function untilRefused(gateway: TestGateway): Promise<void> {
  for (let isOpen = true; isOpen;) {
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    isOpen = await openSocket(gateway).then(
      (socket) => socket.destroy().destroyed,
      () => false,
    );
  }
}

test.each([0, 50])(
  'a stop loses no request of 200 busy clients if SHUTDOWN_DELAY_MS is %d',
  async (delayMs) => {
    const env = { LOG_LEVEL: 'silent', SHUTDOWN_DELAY_MS: String(delayMs) };
    const options = { idleMs: 60_000, bank: { latencyMs: 2 } };
    await using gateway = await startTestGateway(
      { ...env, SHUTDOWN_GRACE_MS: '60000', OPERATION_TIMEOUT_MS: '60000' },
      options,
    );
    const request = graphqlRequest('{ accounts { id } }', await callerHeaders(gateway.bank));
    const { promise: isBusy, resolve } = Promise.withResolvers<undefined>();
    let answers = 0;
    const onAnswer = () => {
      if (++answers === 1000) resolve(undefined);
    };
    const asked = Array.from({ length: 200 }, () => askSteadily(gateway, request, onAnswer));
    await isBusy;
    await gateway.close();
    const counts = await Promise.all(asked);
    const lost = counts.map(({ sent, answered }) => sent - answered);
    expect(lost.filter((count) => count !== 0)).toEqual([]);
    expect(answers).toBeGreaterThanOrEqual(1200);
  },
);

test('during a stop, an idle connection may send one more request, and is then closed', async () => {
  await using gateway = await startTestGateway({}, { idleMs: 60_000 });
  const request = graphqlRequest('{ __typename }', {});
  const [used, unused] = [await openSocket(gateway), await openSocket(gateway)];
  used.write(request);
  await once(used, 'data');
  const closed = gateway.close();
  await untilRefused(gateway);
  for (const socket of [used, unused]) {
    socket.write(request);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1\.1 200 [^]*connection: close/i);
  }
  await closed;
});

test('during a stop, a request is answered if it began to arrive before the idle timeout', async () => {
  await using gateway = await startTestGateway({}, { idleMs: 1000 });
  const request = graphqlRequest('{ __typename }', {});
  const [idle, used] = [await openSocket(gateway), await openSocket(gateway)];
  used.write(request);
  await once(used, 'data');
  const closed = gateway.close();
  await untilRefused(gateway);
  used.write(request.subarray(0, 40));
  await once(idle, 'close');
  used.write(request.subarray(40));
  const [chunk] = (await once(used, 'data')) as [Buffer];
  expect(chunk.toString()).toMatch(/^HTTP\/1.1 200 [^]*connection: close/i);
  await closed;
});

test('during a stop, a connection that sends nothing is closed cleanly after the idle timeout', async () => {
  await using gateway = await startTestGateway({}, { idleMs: 20 });
  const socket = await openSocket(gateway);
  const ended = once(socket, 'end');
  await Promise.all([gateway.close(), ended]);
});
