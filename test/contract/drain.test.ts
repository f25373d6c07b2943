// Draining as clients see it: which requests are still answered, and which connections are closed. process.test.ts
// tests how the process stops.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { graphqlRequest } from '../support/load.ts';
import { ask, callerHeaders, query } from '../support/query.ts';
import { parseAnswers } from '../support/raw.ts';

/** Opens a keep-alive connection. `received` returns everything that has arrived so far. */
async function connectTo({ url }: { readonly url: string }) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  const closed = once(socket, 'close');
  return { socket, closed, received: () => received };
}

/** The text of a complete HTTP request. */
async function requestFor({ bank }: TestGateway, document: string): Promise<string> {
  return graphqlRequest(document, await callerHeaders(bank)).toString();
}

async function answered(socket: Socket): Promise<void> {
  await once(socket, 'data');
}

const isReady = async ({ adminUrl }: TestGateway) =>
  (await ask(`${adminUrl}/health/ready`)).status === 200;

test('during SHUTDOWN_DELAY_MS, requests are still served, with Connection: close', async () => {
  const gateway = await startTestGateway({ SHUTDOWN_DELAY_MS: '5000' });
  const old = await connectTo(gateway);
  const request = await requestFor(gateway, '{ accounts { id } }');
  old.socket.write(request);
  await answered(old.socket);
  expect(old.received()).not.toMatch(/connection: close/i);
  const closed = gateway.close();
  expect(await isReady(gateway)).toBe(false);
  expect((await ask(`${gateway.adminUrl}/health/live`)).status).toBe(200);
  old.socket.write(request);
  await old.closed;
  expect(old.received().match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
  expect(old.received()).toMatch(/connection: close/i);
  const fresh = await query(gateway, '{ accounts { id } }');
  expect(fresh.status).toBe(200);
  expect(fresh.headers.get('connection')).toBe('close');
  await closed;
});

test('a drain closes idle connections, whether or not they have been used', async () => {
  const gateway = await startTestGateway();
  const [used, unused] = await Promise.all([connectTo(gateway), connectTo(gateway)]);
  used.socket.write(await requestFor(gateway, '{ __typename }'));
  await answered(used.socket);
  await Promise.all([gateway.close(), used.closed, unused.closed]);
});

test('a drain finishes requests in progress, also pipelined ones, but starts no more', async () => {
  const gateway = await startTestGateway();
  gateway.bank.addFault({ kind: 'delay', delayMs: 300 });
  const [idle, busy] = await Promise.all([connectTo(gateway), connectTo(gateway)]);
  const request = await requestFor(gateway, '{ accounts { id } }');
  const another = await requestFor(gateway, '{ accounts { number } }');
  busy.socket.write(request + another);
  await gateway.bank.waitForCall(() => true);
  const closed = gateway.close();
  await idle.closed;
  busy.socket.write(request);
  await busy.closed;
  const answers = parseAnswers(Buffer.from(busy.received()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 503]);
  expect(answers.map(({ headers }) => headers.get('connection'))).toEqual([
    'keep-alive',
    'keep-alive',
    'close',
  ]);
  expect(answers[1]?.text).toContain('"accounts":[{"number"');
  expect(answers[2]?.errors?.[0]?.extensions.code).toBe('SHUTTING_DOWN');
  expect(answers[2]?.headers.get('retry-after')).toBe('1');
  // The second request begins after the answer to the first, so they do not share a call.
  expect(gateway.bank.calls()).toHaveLength(2);
  await closed;
});

test('a drain closes a connection whose last answer was ready before the one ahead of it', async () => {
  const gateway = await startTestGateway({ SHUTDOWN_GRACE_MS: '600000' });
  gateway.bank.addFault({ kind: 'delay', delayMs: 500 });
  const [idle, busy] = await Promise.all([connectTo(gateway), connectTo(gateway)]);
  // The second request is rejected at once, while the first one is in progress.
  busy.socket.write(
    `${await requestFor(gateway, '{ accounts { id } }')}GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n`,
  );
  await gateway.bank.waitForCall(() => true);
  await vi.waitFor(() =>
    expect(gateway.log.filter(({ msg }) => msg === 'operation')).toHaveLength(1),
  );
  const closed = gateway.close();
  await idle.closed;
  await busy.closed;
  expect(busy.received().match(/HTTP\/1.1 (?:200|404) /g)).toEqual([
    'HTTP/1.1 200 ',
    'HTTP/1.1 404 ',
  ]);
  await closed;
});

test('a drain cuts off requests after SHUTDOWN_GRACE_MS, and aborts their upstream calls', async () => {
  const gateway = await startTestGateway({ SHUTDOWN_GRACE_MS: '100' });
  gateway.bank.addFault({ kind: 'hang' });
  const hanging = await connectTo(gateway);
  hanging.socket.on('error', () => undefined);
  hanging.socket.write(await requestFor(gateway, '{ accounts { id } }'));
  await gateway.bank.waitForCall(() => true);
  const closed = gateway.close();
  await hanging.closed;
  await closed;
  expect(gateway.bank.calls()).toMatchObject([{ outcome: 'aborted' }]);
});

test('a drain does not wait for a connection to the service that is not established', async () => {
  const connected = Promise.withResolvers<Socket>();
  // The server never takes part in the TLS handshake.
  const server = createServer(connected.resolve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const gateway = await startTestGateway({
    UPSTREAM_URL: `https://127.0.0.1:${port}`,
    // Longer than this test may take.
    UPSTREAM_TIMEOUT_MS: '86400000',
    SHUTDOWN_GRACE_MS: '100',
  });
  const asking = query(gateway, '{ accounts { id } }').catch(() => 'cut off');
  const socket = await connected.promise;
  await gateway.close();
  expect(await asking).toBe('cut off');
  socket.destroy();
  server.close();
});

test('a gateway that is closed twice drains once', async () => {
  const gateway = await startTestGateway();
  await Promise.all([gateway.close(), gateway.close()]);
  expect(gateway.log.filter(({ msg }) => msg === 'draining')).toHaveLength(1);
});
