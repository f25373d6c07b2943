// The memory that a server retains for idle connections.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Listener } from '../../../src/http/listener.ts';
import { collectGarbage } from '../../support/memory.ts';

test('an idle connection does not retain the responses that were sent on it', async () => {
  const answers: WeakRef<ServerResponse>[] = [];
  const server = createServer((_request, response) => {
    answers.push(new WeakRef(response));
    response.end('answer');
  });
  await new Listener(server).listen(0, '127.0.0.1');
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
