// The URL of a listener, the memory that it retains for idle connections, and the one answer to a request that is
// answered early.
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ByteBudget } from '../../../src/byte-budget.ts';
import { Listener } from '../../../src/http/listener.ts';
import { collectGarbage } from '../../support/memory.ts';
import { receiveAll } from '../../support/raw.ts';

test('the URL of an IPv6 address has the address in brackets', async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  vi.spyOn(server, 'address').mockReturnValue({ address: '::1', family: 'IPv6', port: 4000 });
  expect(
    await new Listener(server, new ByteBudget(0), () => undefined).listen(0, '127.0.0.1'),
  ).toBe('http://[::1]:4000');
});

test('an idle connection does not retain the responses that were sent on it', async () => {
  const answers: WeakRef<ServerResponse>[] = [];
  const server = createServer();
  const onRequest: RequestListener = (_request, response) => {
    answers.push(new WeakRef(response));
    response.end('answer');
  };
  await new Listener(server, new ByteBudget(0), onRequest).listen(0, '127.0.0.1');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  for (let count = 0; count < 3; count++) {
    socket.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
    await once(socket, 'data');
  }
  await nextTurn();
  collectGarbage();
  const kept = answers.filter((answer) => answer.deref() !== undefined);
  expect([answers.length, kept.length]).toEqual([3, 0]);
});

test('a request that was answered before it was complete gets no second answer if its rest never comes', async () => {
  const options = { requestTimeout: 50, headersTimeout: 50, connectionsCheckingInterval: 10 };
  const server = createServer(options);
  const onRequest: RequestListener = (_request, response) => response.end('answer');
  await new Listener(server, new ByteBudget(0), onRequest).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const received = receiveAll(socket);
  socket.write('POST / HTTP/1.1\r\nHost: gateway\r\nContent-Length: 10\r\n\r\n1');
  expect((await received).toString().match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200']);
});
