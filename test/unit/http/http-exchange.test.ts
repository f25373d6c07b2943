// Answers that are sent together: an exception in one does not affect the others.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Exchange, type Lifecycle, send } from '../../../src/http/http-exchange.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createClients } from '../../../src/telemetry/clients.ts';
import { OperationRecord } from '../../../src/telemetry/operation-record.ts';
import type { RecorderParts } from '../../../src/telemetry/telemetry.ts';

test('an exception in one answer is logged, and the other answers of the same turn are sent', async () => {
  const failures: unknown[] = [];
  const exchanges: Exchange[] = [];
  const lifecycle: Lifecycle = { phase: 'serving' };
  let ended = 0;
  const recorder: RecorderParts = {
    log: createLogger({ level: 'silent', destination: { write: () => undefined } }),
    metrics: {
      begin: () => undefined,
      drop: () => undefined,
      end: () => {
        if (ended++ === 1) throw new Error('a defect');
      },
      slice: () => undefined,
    },
    tracing: null,
    clients: createClients([]),
    tellsCalls: false,
  };
  const create = (request: IncomingMessage, response: ServerResponse): Exchange => {
    const id = request.url?.slice(1) ?? '';
    const record = new OperationRecord(recorder, id, request);
    record.refuse('BAD_REQUEST');
    const log = { error: (line: unknown) => failures.push(line) };
    return { request, response, id, headers: {}, lifecycle, record, log };
  };
  const server = createServer((request, response) => {
    exchanges.push(create(request, response));
    if (exchanges.length === 3) for (const exchange of exchanges) send(exchange, 200, exchange.id);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const ask = async (id: number) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`GET /${id} HTTP/1.1\r\nHost: gateway\r\n\r\n`);
    const [chunk] = (await Promise.race([
      once(socket, 'data'),
      once(socket, 'close'),
    ])) as unknown[];
    socket.destroy();
    return String(chunk).split('\r\n\r\n')[1];
  };
  const answers = await Promise.all([0, 1, 2].map(ask));
  const failed = exchanges[1]?.id;
  expect(failures).toEqual([{ requestId: failed, err: new Error('a defect') }]);
  expect(answers.filter((_, id) => String(id) !== failed)).toEqual(
    ['0', '1', '2'].filter((id) => id !== failed),
  );
});
