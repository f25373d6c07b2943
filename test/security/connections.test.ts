// Connections: pipelined, smuggled and slow requests, and protocol upgrades.
import { hash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { startBank } from '../../src/sandbox/bank.ts';
import { boundMemory, expectSafeHeaders, expectServing } from '../support/attack.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { type Answer, codesOf, query } from '../support/query.ts';
import {
  callerLines,
  chunked,
  openSocket,
  parseAnswers,
  type RawRequest,
  rawRequest,
  receiveAll,
  sendRaw,
} from '../support/raw.ts';

boundMemory();

const gateway = await gatewayOfFile();
const caller = await callerLines(gateway.bank);

const reader = '{"query":"{ accounts { id } }"}';
const chunkedFraming = ['Transfer-Encoding: chunked'];

describe('pipelined requests', () => {
  /** A request whose answer contains the number `n`. */
  function numbered(n: number, connection = 'keep-alive'): Buffer {
    return rawRequest({
      standard: ['Host: gateway', `Connection: ${connection}`, 'Content-Type: application/json'],
      lines: caller,
      body: `{"query":"{ q${n}: __typename ${n % 2 === 0 ? 'accounts { id }' : ''} }"}`,
    });
  }

  const namesOf = (answers: readonly Answer[]) =>
    answers.map(({ data }) => Object.keys(data ?? {})[0]);

  test('are answered in order if 100 are sent at once', async () => {
    const requests = Array.from({ length: 100 }, (_, n) =>
      numbered(n, n === 99 ? 'close' : undefined),
    );
    const answers = await sendRaw(gateway, Buffer.concat(requests));
    expect(namesOf(answers)).toEqual(requests.map((_, n) => `q${n}`));
    expect(answers.flatMap(codesOf)).toEqual([]);
  });

  test('are all answered if far more than 10,000 are sent to a gateway that is fast enough', async () => {
    const request = rawRequest({ start: 'GET /healthz HTTP/1.1', standard: ['Host: a'] });
    const last = rawRequest({ start: 'GET /healthz HTTP/1.1' });
    const many = Array.from({ length: 24_999 }, () => request);
    const socket = await openSocket(gateway);
    socket.write(Buffer.concat([...many, last]));
    const answers = (await receiveAll(socket)).toString('latin1');
    expect(answers.match(/HTTP\/1\.1 404 /g)).toHaveLength(25_000);
  });

  test('are answered in order even if they arrive byte by byte', async () => {
    const socket = await openSocket(gateway);
    const received = receiveAll(socket);
    for (const byte of Buffer.concat([numbered(1), numbered(2, 'close')])) {
      if (!socket.write(Buffer.of(byte))) await once(socket, 'drain');
    }
    expect(namesOf(parseAnswers(await received))).toEqual(['q1', 'q2']);
  });

  test('are executed one after another, and not at all if the client disconnects before their turn', async () => {
    gateway.bank.addFault({ kind: 'delay', delayMs: 500, times: 1 });
    const socket = await openSocket(gateway);
    const before = gateway.log.length;
    socket.write(Buffer.concat([numbered(2), numbered(4), numbered(6)]));
    await gateway.bank.waitForCall(() => true);
    socket.destroy();
    const ended = () => gateway.log.slice(before).map(({ codes }) => codes);
    await vi.waitFor(() => expect(ended()).toEqual(Array(3).fill(['CLIENT_GONE'])));
    expect(gateway.bank.calls()).toHaveLength(1);
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^account_bff_operations_under_way 0$/m);
  });

  const hidden = numbered(7).toString('latin1');

  test.each<[string, () => RawRequest]>([
    [
      'after a length that is too short, with chunks',
      () => ({ framing: ['Content-Length: 4', ...chunkedFraming], body: `0\r\n\r\n${hidden}` }),
    ],
    [
      'after chunks, with a length that is too long',
      () => ({
        framing: [...chunkedFraming, `Content-Length: ${5 + hidden.length}`],
        body: `0\r\n\r\n${hidden}`,
      }),
    ],
    [
      'after an unknown transfer encoding',
      () => ({
        framing: ['Transfer-Encoding: xchunked', 'Content-Length: 4'],
        body: `0\r\n\r\n${hidden}`,
      }),
    ],
    [
      'after two lengths',
      () => ({ framing: ['Content-Length: 0', `Content-Length: ${hidden.length}`], body: hidden }),
    ],
    [
      'after gzip within chunks',
      () => ({
        framing: ['Transfer-Encoding: gzip, chunked'],
        body: `${chunked(reader)}${hidden}`,
      }),
    ],
    [
      'after chunks in HTTP/1.0',
      () => ({
        start: 'POST /graphql HTTP/1.0',
        framing: ['Connection: keep-alive', ...chunkedFraming],
        body: `${chunked(reader)}${hidden}`,
      }),
    ],
    [
      'after a folded header',
      () => ({ lines: ['X: y', '\tz'], framing: ['Content-Length: 0'], body: hidden }),
    ],
    [
      'after a second Host',
      () => ({ lines: ['Host: other'], framing: ['Content-Length: 0'], body: hidden }),
    ],
  ])('that are smuggled %s are not executed', async (_name, request) => {
    const standard = ['Host: gateway', 'Content-Type: application/json'];
    gateway.bank.resetCalls();
    const answers = await sendRaw(gateway, rawRequest({ standard, lines: caller, ...request() }));
    expect(answers.map(({ status }) => status)).toEqual([400]);
    expect(gateway.bank.calls()).toEqual([]);
    await expectServing(gateway);
  });

  test('in the body of a GET, of an OPTIONS or of a rejected request are not executed', async () => {
    const body = numbered(7);
    for (const [start, status] of [
      ['GET /graphql?query={__typename} HTTP/1.1', 200],
      ['POST /nothing HTTP/1.1', 404],
      ['PUT /graphql HTTP/1.1', 405],
      ['OPTIONS /graphql HTTP/1.1', 204],
    ] as const) {
      const first = rawRequest({ standard: ['Host: a'], start, lines: caller, body });
      const answers = await sendRaw(gateway, Buffer.concat([first, numbered(9, 'close')]));
      expect(answers[0]?.status).toBe(status);
      expect(namesOf(answers)).not.toContain('q7');
    }
  });

  test('are answered before a malformed request that follows them', async () => {
    gateway.bank.addFault({ kind: 'delay', delayMs: 200, times: 1 });
    const answers = await sendRaw(
      gateway,
      Buffer.concat([numbered(2), Buffer.from('nonsense\r\n\r\n')]),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(namesOf(answers)[0]).toBe('q2');
    answers.forEach(expectSafeHeaders);
    await expectServing(gateway);
  });

  test('are answered in order if one with an unknown expectation is followed by bytes that are not HTTP', async () => {
    const first = rawRequest({ standard: ['Host: a'], lines: ['Expect: wonders'] });
    const answers = await sendRaw(gateway, Buffer.concat([first, Buffer.from('nonsense\r\n\r\n')]));
    expect(answers.map(({ status }) => status)).toEqual([417, 400]);
  });

  test.each<[string, RawRequest, number]>([
    [
      'whose body is malformed',
      {
        ...{ standard: ['Host: a', 'Content-Type: application/json'], lines: caller },
        ...{ framing: chunkedFraming, body: '2\r\n{}\r\nZZ\r\n' },
      },
      400,
    ],
    [
      'whose body is malformed and of an unsupported type',
      { standard: ['Host: a'], framing: chunkedFraming, body: '2\r\n{}\r\nZZ\r\n' },
      415,
    ],
    [
      'that is rejected before its body arrives',
      {
        ...{ standard: ['Host: a'], start: 'POST /nothing HTTP/1.1' },
        ...{ framing: ['Content-Length: 20000'], body: 'abc' },
      },
      404,
    ],
  ])('are answered before a request that follows them, %s', async (_name, second, status) => {
    // Longer than the time in which a client may send the rest of a rejected body.
    gateway.bank.addFault({ kind: 'delay', delayMs: 2300, times: 1 });
    const answers = await sendRaw(gateway, Buffer.concat([numbered(2), rawRequest(second)]));
    expect(answers.map((answer) => answer.status)).toEqual([200, status]);
    expect(namesOf(answers)[0]).toBe('q2');
    await expectServing(gateway);
  });
});

describe('a request to change the protocol', () => {
  const kept = ['Host: gateway', 'Content-Type: application/json'];
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
  const smuggled = rawRequest({ lines: caller, body: reader });

  /** A request with `Upgrade`, by its answer: data, or a status. */
  const requests: [string, RawRequest, unknown][] = [
    ['with a body', { lines: upgrade, body: '{"query":"{ one: __typename }"}' }, { one: 'Query' }],
    [
      'for h2c',
      {
        lines: ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c'],
        body: '{"query":"{ one: __typename }"}',
      },
      { one: 'Query' },
    ],
    [
      'in chunks',
      {
        lines: upgrade,
        framing: chunkedFraming,
        body: chunked('{"query":', '"{ one: __typename }"}'),
      },
      { one: 'Query' },
    ],
    [
      'without a body',
      {
        start: 'GET /graphql?query={one:__typename} HTTP/1.1',
        lines: [...upgrade, 'Apollo-Require-Preflight: 1'],
        framing: [],
      },
      { one: 'Query' },
    ],
    [
      'without Connection',
      { lines: ['Upgrade: TLS/1.3'], body: '{"query":"{ one: __typename }"}' },
      { one: 'Query' },
    ],
    ['of an unknown path', { start: 'GET /socket HTTP/1.1', lines: upgrade, framing: [] }, 404],
    ['with CONNECT', { start: 'CONNECT bank.example:443 HTTP/1.1', framing: [] }, 405],
    [
      'with CONNECT and a length',
      { start: 'CONNECT bank.example:443 HTTP/1.1', body: 'SSH-2.0' },
      405,
    ],
  ];

  test.each(requests)(
    '%s is answered, and its connection closed, without a second request',
    async (_name, request, expected) => {
      const first = rawRequest({ standard: kept, ...request });
      const before = rawRequest({ standard: kept, body: '{"query":"{ zero: __typename }"}' });
      const sequences: [string, readonly Buffer[]][] = [
        ['in one read', [Buffer.concat([first, smuggled])]],
        ['in two reads', [first, smuggled]],
        [
          'in many reads',
          [first, smuggled.subarray(0, 20), smuggled.subarray(20), smuggled, smuggled],
        ],
        ['with other bytes', [first, Buffer.from('\0\x01 no HTTP\r\n\r\n')]],
        ['pipelined', [Buffer.concat([before, first, smuggled])]],
        ['pipelined, in two reads', [Buffer.concat([before, first]), smuggled]],
      ];
      for (const [name, writes] of sequences) {
        gateway.bank.resetCalls();
        const socket = await openSocket(gateway);
        const received = receiveAll(socket);
        for (const bytes of writes) {
          await new Promise((resolve) => socket.write(bytes, resolve));
          await nextTurn();
        }
        const answers = parseAnswers(await received);
        const zero = name.startsWith('pipelined') ? [{ zero: 'Query' }] : [];
        expect(
          answers.map(({ status, data }) => data ?? status),
          name,
        ).toEqual([...zero, expected]);
        expect(answers.at(-1)?.headers.get('connection')).toBe('close');
        expect(gateway.bank.calls(), name).toEqual([]);
      }
      await expectServing(gateway);
    },
  );

  test('that arrives slowly is cut off like any other', async () => {
    const socket = await openSocket(gateway);
    const received = receiveAll(socket);
    socket.write(
      rawRequest({ standard: kept, lines: upgrade, framing: ['Content-Length: 30'], body: '{' }),
    );
    socket.end();
    await received;
    await expectServing(gateway);
  });
});

describe('slow clients', () => {
  // Longer than the gateway waits for a request or for a client to read an answer. The margin is large, because Node.js
  // checks for slow clients only once a second, or less often on a busy machine.
  const lateMs = 28_000;

  test.concurrent(
    'that send single bytes take little CPU time and are disconnected, even if there are 500',
    async () => {
      await using measured = await startMeasuredGateway(gateway.bank.url);
      const sockets = await Promise.all(Array.from({ length: 500 }, () => openSocket(measured)));
      const closed = Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
      for (const socket of sockets) socket.write('POST /graphql HTTP/1.1\r\nHost: a\r\nX-A: ');
      const before = await measured.use();
      for (let left = 15; left > 0; left--) {
        sockets.forEach(writeByte);
        await sleep(200);
      }
      const cpuMs = (await measured.use()).cpuMs - before.cpuMs;
      expect(cpuMs, 'milliseconds of CPU in three seconds').toBeLessThan(500);
      await expectServing({ url: measured.url, bank: gateway.bank });
      const startedAt = performance.now();
      await closed;
      expect(performance.now() - startedAt).toBeLessThan(lateMs);
      await expectServing({ url: measured.url, bank: gateway.bank });
    },
  );

  function writeByte(socket: Socket): void {
    if (socket.writable) socket.write('b');
  }

  /**
   * Sends the beginning of a request, then waits for the end of the connection; returns the status of the answer, and
   * the time taken in ms.
   */
  async function stall(beginning: string): Promise<{ status: number | undefined; tookMs: number }> {
    const startedAt = performance.now();
    const socket = await openSocket(gateway);
    socket.write(beginning);
    const [answer] = parseAnswers(await receiveAll(socket));
    return { status: answer?.status, tookMs: performance.now() - startedAt };
  }

  test.concurrent.each([
    ['an unfinished request head', 'POST /graphql HTTP/1.1\r\nHost: a\r\n'],
    ['a silent connection', ''],
    ['an unfinished body', rawRequest({ framing: ['Content-Length: 9'], body: '{' }).toString()],
    ['unfinished chunks', rawRequest({ framing: chunkedFraming, body: '1\r\n{' }).toString()],
  ])('are disconnected with status 408: %s', async (_name, beginning) => {
    const { status, tookMs } = await stall(beginning);
    expect(status).toBe(408);
    expect(tookMs).toBeLessThan(lateMs);
  });

  test.concurrent(
    'that pipeline requests for long answers and do not read them do not exhaust a heap of 256 MiB',
    async () => {
      // A bank of its own, because the tests that run at the same time count calls.
      await using bank = await startBank();
      await using measured = await startMeasuredGateway(bank.url);
      const target = { url: measured.url, bank };
      const aliases = Array.from({ length: 29 }, (_, i) => `a${i}${'x'.repeat(1000)}: id`);
      // The invalid id causes an error, so that graphql-js answers, whose answers are in the heap.
      const text = `{ account(id: "x") { id } accounts { transactions(first: 100) { nodes { ${aliases.join(' ')} } } } }`;
      const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', text) } };
      const answer = await query(target, text, { extensions });
      expect(answer.text.length).toBeGreaterThan(6_000_000);
      const body = JSON.stringify({ extensions });
      const standard = ['Host: a', 'Content-Type: application/json'];
      const lines = await callerLines(bank);
      const request = rawRequest({ standard, lines, body });
      const client = await openSocket(measured);
      client.pause().write(Buffer.concat(Array.from({ length: 10_000 }, () => request)));
      // Once the kernel has taken everything, a client that does not read notices the end only when it writes.
      const writing = setInterval(() => client.write('\r\n'), 100);
      await new Promise((resolve) => client.once('close', resolve));
      clearInterval(writing);
      await expectServing(target);
    },
  );

  test.concurrent.each([
    ['10,000 requests', 30_000, ['Content-Length: 2'], '{}'],
    ['32 MiB of bodies', 800, ['Content-Length: 60000'], '{}'.padEnd(60_000)],
    ['32 MiB of chunks', 800, ['Transfer-Encoding: chunked'], chunked('{}'.padEnd(60_000))],
  ])(
    'that pipeline more than %s behind slow requests are disconnected',
    async (_what, count, framing, body) => {
      await using bank = await startBank({ latencyMs: 60_000 });
      await using measured = await startMeasuredGateway(bank.url);
      const standard = ['Host: a', 'Content-Type: application/json'];
      const lines = await callerLines(bank);
      const slow = rawRequest({ standard, lines, body: '{"query":"{ accounts { id } }"}' });
      const small = rawRequest({ standard, body: '{}' });
      const few = await openSocket(measured);
      few.write(Buffer.concat([slow, ...Array.from({ length: 100 }, () => small)]));
      const next = rawRequest({ standard, framing, body });
      const many = Buffer.concat([slow, ...Array.from({ length: count }, () => next)]);
      const sockets = await Promise.all([0, 1, 2].map(() => openSocket(measured)));
      const closed = sockets.map(
        (socket) => new Promise((resolve) => socket.once('close', resolve)),
      );
      for (const socket of sockets) socket.write(many);
      await Promise.all(closed);
      expect(await measured.retained()).toBeLessThan(64 * 1_048_576);
      // The connection with most of the memory is closed.
      expect(few.closed).toBe(false);
    },
  );

  test.concurrent('are disconnected if they do not read their answers', async () => {
    const client = await openSocket(gateway);
    const server = serverSideOf(client);
    const body = '{"query":"{ _service { sdl } }"}';
    const standard = ['Host: a', 'Content-Type: application/json'];
    // Together, the answers are larger than what the kernel buffers for a client that does not read.
    client
      .pause()
      .write(Buffer.concat(Array.from({ length: 500 }, () => rawRequest({ standard, body }))));
    const startedAt = performance.now();
    await once(await server, 'close');
    expect(performance.now() - startedAt).toBeLessThan(lateMs);
    client.destroy();
  });

  /** Resolves with the gateway's socket of a connection when the next request arrives on this connection. */
  function serverSideOf(client: Socket): Promise<Socket> {
    const channel = 'http.server.request.start';
    const { promise, resolve } = Promise.withResolvers<Socket>();
    const look = (message: unknown) => {
      const { socket } = message as { socket: Socket };
      if (socket.remotePort === client.localPort) resolve(socket);
    };
    subscribe(channel, look);
    return promise.finally(() => unsubscribe(channel, look));
  }
});
