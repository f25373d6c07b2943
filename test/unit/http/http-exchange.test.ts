// Answers that are sent together: how many, and that an exception in one does not affect the others. The answer to a
// defect, and a client that disconnects just before its answer is sent.
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ByteBudget } from '../../../src/byte-budget.ts';
import {
  answerError,
  type HttpExchange,
  type Lifecycle,
  send,
} from '../../../src/http/http-exchange.ts';
import { Outbox } from '../../../src/http/outbox.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createClients } from '../../../src/telemetry/clients.ts';
import type { EndedOperation } from '../../../src/telemetry/ended-operation.ts';
import { OperationRecord } from '../../../src/telemetry/operation-record.ts';
import type { RecorderParts } from '../../../src/telemetry/telemetry.ts';

const recorder: RecorderParts = {
  log: createLogger({ level: 'silent', destination: { write: () => undefined } }),
  metrics: {
    begin: () => undefined,
    drop: () => undefined,
    end: () => undefined,
    slice: () => undefined,
  },
  tracing: null,
  clients: createClients([]),
  listsCalls: false,
  showsCalls: false,
};

/** A recorder, with the status and the codes of each request that has ended. */
function recording() {
  const ended: unknown[] = [];
  const end = ({ status, codes }: EndedOperation) => void ended.push([status, codes]);
  return { ended, parts: { ...recorder, metrics: { ...recorder.metrics, end } } };
}

const lifecycle: Lifecycle = { phase: 'serving' };

const outbox = new Outbox(new ByteBudget(1_048_576));

/** The exchange of a request; `failures` receives the lines of its log. */
function createExchange(
  request: IncomingMessage,
  response: ServerResponse,
  failures: unknown[] = [],
  parts = recorder,
): HttpExchange {
  const id = request.url?.slice(1) ?? '';
  const record = new OperationRecord(parts, id, request);
  record.refuse('BAD_REQUEST');
  const log = { error: (line: unknown) => failures.push(line) };
  const connections = { hasLater: () => false, refusalOf: () => undefined };
  const served = { lifecycle, connections, outbox, record, log };
  return { request, response, id, headers: {}, ...served };
}

/** Starts a server, and returns a function that asks it for a path and resolves with the body of the answer. */
async function startServer(onRequest: RequestListener): Promise<(id: number) => Promise<string>> {
  const server = createServer(onRequest);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return async (id) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(`GET /${id} HTTP/1.1\r\nHost: gateway\r\n\r\n`);
    const [chunk] = (await Promise.race([
      once(socket, 'data'),
      once(socket, 'close'),
    ])) as unknown[];
    socket.destroy();
    return String(chunk).split('\r\n\r\n')[1] ?? '';
  };
}

test('an exception in one answer is logged, and the other answers of the same turn are sent', async () => {
  const failures: unknown[] = [];
  const exchanges: HttpExchange[] = [];
  let ended = 0;
  const end = () => {
    if (ended++ === 1) throw new Error('a defect');
  };
  const failing = { ...recorder, metrics: { ...recorder.metrics, end } };
  const ask = await startServer((request, response) => {
    exchanges.push(createExchange(request, response, failures, failing));
    if (exchanges.length === 3) for (const exchange of exchanges) send(exchange, 200, exchange.id);
  });
  const answers = await Promise.all([0, 1, 2].map(ask));
  const failed = exchanges[1]?.id;
  expect(failures).toEqual([{ requestId: failed, err: new Error('a defect') }]);
  expect(answers.filter((_, id) => String(id) !== failed)).toEqual(
    ['0', '1', '2'].filter((id) => id !== failed),
  );
});

test('an unexpected error is logged, and answered with status 500 and without details', async () => {
  const failures: unknown[] = [];
  const { parts, ended } = recording();
  const ask = await startServer((request, response) => {
    answerError(createExchange(request, response, failures, parts), new Error('a defect'));
  });
  const body = JSON.parse(await ask(7)) as unknown;
  const error = {
    message: 'The gateway failed.',
    extensions: { code: 'INTERNAL_SERVER_ERROR' },
  };
  expect(body).toEqual({ errors: [error] });
  expect(failures).toEqual([{ requestId: '7', err: new Error('a defect') }]);
  expect(ended).toEqual([[500, ['INTERNAL_SERVER_ERROR']]]);
});

test('a request whose client disconnects when its answer is ready is recorded as CLIENT_GONE', async () => {
  const { parts, ended } = recording();
  const ask = await startServer((request, response) => {
    send(createExchange(request, response, [], parts), 200, 'ready');
    response.destroy();
  });
  await ask(0);
  expect(ended).toEqual([[null, ['CLIENT_GONE']]]);
});

test('answers of one turn are sent together at its end, but at the latest when 32 are ready', async () => {
  const exchanges: HttpExchange[] = [];
  const sent: number[] = [];
  const ask = await startServer((request, response) => {
    exchanges.push(createExchange(request, response));
    if (exchanges.length < 40) return;
    for (const exchange of exchanges) {
      send(exchange, 200, exchange.id);
      sent.push(exchanges.filter((one) => one.response.writableEnded).length);
    }
  });
  const ids = Array.from({ length: 40 }, (_, id) => id);
  expect(await Promise.all(ids.map(ask))).toEqual(ids.map(String));
  expect(sent).toEqual(ids.map((id) => (id < 31 ? 0 : 32)));
});

test('answers of one turn are sent before its end once they have a mebibyte in total', async () => {
  const exchanges: HttpExchange[] = [];
  const sent: number[] = [];
  const ask = await startServer((request, response) => {
    exchanges.push(createExchange(request, response));
    if (exchanges.length < 4) return;
    for (const exchange of exchanges) {
      send(exchange, 200, 'x'.repeat(400_000));
      sent.push(exchanges.filter((one) => one.response.writableEnded).length);
    }
  });
  await Promise.all([0, 1, 2, 3].map(ask));
  expect(sent).toEqual([0, 0, 3, 3]);
});

/** Sends this many pipelined requests on one connection, and resolves with their exchanges. */
async function pipelined(count: number): Promise<HttpExchange[]> {
  const exchanges: HttpExchange[] = [];
  const arrived = Promise.withResolvers<HttpExchange[]>();
  const server = createServer((request, response) => {
    exchanges.push(createExchange(request, response));
    if (exchanges.length === count) arrived.resolve(exchanges);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  for (let id = 0; id < count; id++) socket.write(`GET /${id} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return arrived.promise;
}

test('an answer that waits for an earlier one on its connection does not limit the time of the earlier one', async () => {
  const [first, second] = await pipelined(2);
  if (first === undefined || second === undefined) throw new Error('too few requests');
  const before = first.request.socket.timeout;
  send(second, 200, 'b');
  await nextTurn();
  expect(second.response.writableEnded).toBe(true);
  expect(first.request.socket.timeout).toBe(before);
  send(first, 200, 'a');
  await once(second.response, 'finish');
});

test('the time to take an answer does not limit the next one on the connection', async () => {
  const [first, second, third] = await pipelined(3);
  if (first === undefined || second === undefined || third === undefined)
    throw new Error('too few requests');
  send(second, 200, 'b');
  await nextTurn();
  send(first, 200, 'a');
  await once(second.response, 'finish');
  expect(first.request.socket.timeout).toBe(0);
  send(third, 200, 'c');
  await once(third.response, 'finish');
});
