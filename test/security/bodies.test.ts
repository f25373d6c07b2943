// Request bodies with unsupported content types or encodings, and bodies that are compressed, chunked, too large,
// endless, slow, nested, or not JSON.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { boundMemory, expectRefusal, expectServing } from '../support/attack.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway } from '../support/gateway.ts';
import { type MeasuredGateway, startMeasuredGateway } from '../support/measured-gateway.ts';
import type { Answer } from '../support/query.ts';
import {
  callerLines,
  chunked,
  openSocket,
  parseAnswers,
  type RawRequest,
  rawRequest,
  receiveAll,
  sendRawOnce,
} from '../support/raw.ts';

boundMemory();

const gateway = await gatewayOfFile();
const caller = await callerLines(gateway.bank);

const reader = '{"query":"{ accounts { id } }"}';
const badRequest = { status: 400, code: 'BAD_REQUEST' };
const unsupported = { status: 415, code: 'BAD_REQUEST' };
const tooLarge = { status: 413, code: 'OPERATION_TOO_COMPLEX' };

function send(request: RawRequest, to: { readonly url: string } = gateway): Promise<Answer> {
  return sendRawOnce(
    to,
    rawRequest({ body: reader, ...request, lines: [...caller, ...(request.lines ?? [])] }),
  );
}

/** Sends the body with these content types. */
function sendAs(...types: readonly string[]): Promise<Answer> {
  const contentTypes = types.map((type) => `Content-Type: ${type}`);
  return send({ standard: ['Host: a', 'Connection: close', ...contentTypes] });
}

describe('a content type', () => {
  test.each([
    '',
    'text/plain',
    'text/html',
    'text/json',
    'application/graphql',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'multipart/mixed; boundary=x',
    'application/xml',
    'application/octet-stream',
    'application/x-json',
    'application/jsonp',
    'application/json5',
    'application/json-seq',
    'application/x-ndjson',
    'application/vnd.api+json',
    'application/graphql+json',
    'application/graphql-response+json',
    'application/json, text/plain',
    'text/plain, application/json',
    'text/plain; application/json',
    'text/plain;x="application/json"',
    'text/plain\t;application/json',
    'application/json;charset=utf-16',
    'application/json; charset=utf-16le',
    'application/json; charset=utf-32',
    'application/json; charset=utf-7',
    'application/json; charset=iso-8859-1',
    'application/json; charset=windows-1252',
    'application/json; charset=us-ascii',
    'application/json; charset="utf-16"',
    'application/json; charset=utf-8; charset=utf-16',
    "application/json; charset*=utf-8''utf-16",
    'application/json; charset=',
    'application/json; boundary=x',
    '*/*',
    'application/*',
    'json',
    'application',
    'application/json\xe9',
  ])(
    'is rejected with status 415 because it is not application/json, or has another parameter than charset=utf-8: %j',
    async (type) => {
      await expectRefusal(gateway, unsupported, () => sendAs(type));
    },
  );

  test.each([
    ['no content type', []],
    ['two types, the first one right', ['application/json', 'text/plain']],
    ['two types, the last one right', ['text/plain', 'application/json']],
    ['two types, both right', ['application/json', 'application/json']],
    ['two types, one empty', ['application/json', '']],
  ])(
    'is rejected with status 415 because it is not sent exactly once: %s',
    async (_name, types) => {
      await expectRefusal(gateway, unsupported, () => sendAs(...types));
    },
  );
});

describe('a compressed body', () => {
  const bomb = Buffer.alloc(5_000_000, 0x20);

  test.each<[string, () => Buffer]>([
    ['gzip', () => gzipSync(reader)],
    ['x-gzip', () => gzipSync(reader)],
    ['GZIP', () => gzipSync(reader)],
    ['deflate', () => deflateSync(reader)],
    ['br', () => brotliCompressSync(reader)],
    ['zstd', () => zstdCompressSync(reader)],
    ['compress', () => Buffer.from(reader)],
    ['gzip, gzip', () => gzipSync(gzipSync(reader))],
    ['identity, gzip', () => gzipSync(reader)],
    ['gzip;q=1', () => gzipSync(reader)],
    ['aes128gcm', () => Buffer.from(reader)],
    ['unknown', () => Buffer.from(reader)],
    ['gzip, of 5 MB', () => gzipSync(bomb)],
    ['br, of 5 MB', () => brotliCompressSync(bomb)],
  ])('gets status 415 with the content encoding %s', async (encoding, body) => {
    const lines = [`Content-Encoding: ${encoding.replace(/, of .*/, '')}`];
    await expectRefusal(gateway, unsupported, () => send({ lines, body: body() }));
  });

  test('gets status 400 if it is sent without Content-Encoding, because it is not JSON', async () => {
    for (const body of [gzipSync(reader), brotliCompressSync(reader), deflateSync(reader)]) {
      await expectRefusal(gateway, badRequest, () => send({ body }));
    }
  });

  test('gets status 415 with two Content-Encoding headers, even if the first one is identity', async () => {
    const lines = ['Content-Encoding: identity', 'Content-Encoding: gzip'];
    await expectRefusal(gateway, unsupported, () => send({ lines, body: gzipSync(reader) }));
  });
});

describe('a body', () => {
  const latin1 = (text: string) => Buffer.from(text, 'latin1');
  const utf16 = Buffer.from(reader, 'utf16le');

  test.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['a space', ' '],
    ['a null byte', '\0'],
    ['a JSON string', '"{ accounts { id } }"'],
    ['a number', '1'],
    ['null', 'null'],
    ['true', 'true'],
    ['GraphQL', '{ accounts { id } }'],
    ['a form', 'query=%7B+accounts+%7B+id+%7D+%7D'],
    [
      'XML',
      '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    ],
    ['half of the object', reader.slice(0, 12)],
    ['text after the object', `${reader}x`],
    ['the object twice', reader + reader],
    ['the object twice, on two lines', `${reader}\n${reader}`],
    ['a comment before the object', `/**/${reader}`],
    ['a trailing comma', '{"query":"{ accounts { id } }",}'],
    ['single quotes', "{'query':'{ accounts { id } }'}"],
    ['names without quotes', '{query:"{ accounts { id } }"}'],
    ['NaN', '{"query":"{ accounts { id } }","variables":{"a":NaN}}'],
    ['a line feed in a string', '{"query":"{ accounts\n{ id } }"}'],
    ['an invalid escape', '{"query":"\\x7b accounts { id } }"}'],
    ['JSONP', `a(${reader})`],
    ['a prefix against script inclusion', `)]}',\n${reader}`],
    ['a byte order mark', `\ufeff${reader}`],
    ['UTF-16', utf16],
    ['UTF-16 with a byte order mark', Buffer.concat([Buffer.of(0xff, 0xfe), utf16])],
    ['UTF-32', Buffer.from(Uint32Array.from(Buffer.from(reader)).buffer)],
    ['Latin-1', latin1('{"query":"{ accounts { id } } # \xe9"}')],
    ['a byte that UTF-8 excludes', latin1('{"query":"{ accounts { id } } # \xff"}')],
    ['a truncated character', latin1('{"query":"{ accounts { id } } # \xe2\x82"}')],
    ['an overlong encoding', latin1('{"query":"{ accounts { id } } # \xc0\x80"}')],
    ['a surrogate', latin1('{"query":"{ accounts { id } } # \xed\xa0\x80"}')],
    [
      'a code point above the highest',
      latin1('{"query":"{ accounts { id } } # \xf5\x80\x80\x80"}'),
    ],
    ['MessagePack', latin1('\x81\xa5query\xb3{ accounts { id } }')],
    ['an image', latin1('\x89PNG\r\n\x1a\n')],
    ['nested arrays', '['.repeat(25_000)],
    ['nested objects', '{"a":'.repeat(2000)],
    ['nested arrays, closed', '['.repeat(25_000) + ']'.repeat(25_000)],
    ['a batch', `[${reader}]`],
    ['an empty batch', '[]'],
    ['a batch of 1,000', `[${`${reader},`.repeat(1000)}${reader}]`],
    ['a batch of batches', `[[${reader}],[${reader}]]`],
    ['an array that resembles an object', `[{"0":${reader}}]`],
  ])('gets status 400 because it is not one JSON object in UTF-8: %s', async (_name, body) => {
    await expectRefusal(gateway, badRequest, () => send({ body }));
  });
});

describe('the limit on the weight of a body', () => {
  const tooHeavy = { status: 400, code: 'OPERATION_TOO_COMPLEX' };
  const query = '"query":"{ __typename }"';
  /** `count` copies of a part, each with its number in place of `#`. */
  const parts = (count: number, part: string) =>
    Array.from({ length: count }, (_, i) => part.replace('#', `a${i}`)).join();

  test.each([
    ['nested arrays', '['.repeat(1_000_000)],
    ['nested arrays, closed', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['nested objects', '{"a":'.repeat(200_000)],
    ['nested objects, closed', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`],
    ['a batch of 10,000', `[${`${reader},`.repeat(10_000)}${reader}]`],
    ['60,000 numbers', `{${query},"variables":{"a":[${'0,'.repeat(60_000)}0]}}`],
    ['members with the same name', `{${query}${',"a":0'.repeat(4100)}}`],
    ['numbers in the extensions', `{${query},"extensions":{"a":[${'0,'.repeat(60_000)}0]}}`],
    ['12,100 strings', `{${query},"variables":{"a":[${parts(12_100, '"#"')}]}}`],
    [
      '30,100 nested lists',
      `{${query},"variables":{"a":${'['.repeat(30_100)}${']'.repeat(30_100)}}}`,
    ],
    ['4,100 members with different names', `{${query},"variables":{${parts(4100, '"#":0')}}}`],
    ['2,500 objects', `{${query},"variables":{"a":[${parts(2500, '{"#":0}')}]}}`],
    [
      '1,300 references',
      `{${query},"variables":{"a":[${parts(1300, '{"__typename":"#","id":"#"}')}]}}`,
    ],
  ])('applies before the body is parsed: %s', async (_name, body) => {
    await expectRefusal(gateway, tooHeavy, () => send({ body }));
  });

  test.each([
    ['59,000 numbers', '0,'.repeat(58_999) + '0'],
    ['11,900 strings', parts(11_900, '"#"')],
    ['29,000 nested lists', '['.repeat(29_000) + ']'.repeat(29_000)],
    ['3,900 members', `{${parts(3900, '"#":0')}}`],
    ['1,200 references', parts(1200, '{"__typename":"#","id":"#"}')],
  ])('allows %s', async (_name, values) => {
    const body = `{${query},"variables":{"a":[${values}]}}`;
    expect((await send({ body })).data).toEqual({ __typename: 'Query' });
  });

  test.each([
    [16_384, undefined],
    [16_385, 'OPERATION_TOO_COMPLEX'],
  ])('applies only beyond 16 KiB: a body of %i bytes', async (bytes, code) => {
    const nested = `${'{"":'.repeat(2600)}0${'}'.repeat(2600)}`;
    const body = `{${query},"variables":{"a":${nested}}}`.padEnd(bytes);
    expect((await send({ body })).errors?.[0]?.extensions.code).toBe(code);
  });

  test('allows as many references as MAX_REPRESENTATIONS if that is more', async () => {
    await using large = await startTestGateway(
      { MAX_REPRESENTATIONS: '5000' },
      { bank: gateway.bank },
    );
    const references = parts(5000, '{"__typename":"Account","id":"#"}');
    const text = 'query ($a: [_Any!]!) { _entities(representations: $a) { __typename } }';
    const body = `{"query":"${text}","variables":{"a":[${references}]}}`;
    expect((await send({ body }, large)).data?.['_entities']).toHaveLength(5000);
  });
});

describe('a body above MAX_BODY_BYTES', () => {
  const mebibyte = 1_048_576;

  test.each<[string, RawRequest]>([
    ['one byte too many', { body: ' '.repeat(mebibyte + 1) }],
    [
      'one byte too many in two chunks',
      { framing: ['Transfer-Encoding: chunked'], body: chunked(' '.repeat(mebibyte), ' ') },
    ],
    ['5 MB', { body: ' '.repeat(5_000_000) }],
    ['a declared length of 9 PB', { framing: ['Content-Length: 9007199254740991'] }],
  ])('gets status 413: %s', async (_name, request) => {
    await expectRefusal(gateway, tooLarge, () => send(request));
  });

  test('gets status 413 before it is sent if the client sends Expect: 100-continue', async () => {
    const lines = [...caller, 'Expect: 100-continue'];
    const socket = await openSocket(gateway);
    socket.write(rawRequest({ lines, framing: ['Content-Length: 2000000'] }));
    const [answer] = parseAnswers(await receiveAll(socket));
    expect(answer?.status).toBe(413);
    await expectServing(gateway);
  });
});

interface SendResult {
  readonly sentBytes: number;
  /** The status of the answer; undefined if there was none. */
  readonly status: number | undefined;
}

describe('a chunked body', () => {
  let measured: MeasuredGateway;
  beforeAll(async () => {
    measured = await startMeasuredGateway(gateway.bank.url);
  });
  afterAll(() => measured.stop('SIGTERM'));

  /** Sends the body from a separate process, and reads the answer in this process. */
  async function sendEndless(chunkBytes: number): Promise<SendResult> {
    const socket = await openSocket(measured);
    const client = fork(new URL('endless-body.ts', import.meta.url), [String(chunkBytes)], {
      stdio: ['ignore', socket, 'inherit', 'ipc'],
    });
    const received = receiveAll(socket);
    // Node.js pauses a socket that it passes to another process.
    socket.resume();
    const [sentBytes] = (await once(client, 'message')) as [number];
    const status = parseAnswers(await received)[0]?.status;
    return { sentBytes, status };
  }

  test.each([
    ['in chunks of 64 KiB', 65_536, 413],
    ['in chunks of a byte', 1, 400],
  ])(
    'of 200 MiB %s is rejected before most of it is read, and takes little CPU time',
    async (_name, chunkBytes, status) => {
      const before = await measured.use();
      const report = await sendEndless(chunkBytes);
      const cpuMs = (await measured.use()).cpuMs - before.cpuMs;
      expect(report.status).toBe(status);
      expect(report.sentBytes).toBeLessThan(60 * mebibyte);
      // If every byte were kept, the CPU time would be about 1.5 s.
      expect(cpuMs, 'milliseconds of CPU').toBeLessThan(500);
      const retained = await measured.retained();
      expect(await measured.mostRetained(() => sendEndless(chunkBytes))).toBeLessThan(8 * mebibyte);
      expect((await measured.retained()) - retained).toBeLessThan(2 * mebibyte);
      await expectServing({ url: measured.url, bank: gateway.bank });
    },
  );

  const mebibyte = 1_048_576;

  test.each([
    [1024, 1024, 200],
    [2100, 400, 400],
  ])('of %d chunks of %d bytes gets status %d', async (chunks, bytes, status) => {
    const filler = Array<string>(chunks - 1).fill(' '.repeat(bytes));
    const framing = ['Transfer-Encoding: chunked'];
    const { status: answered } = await send({
      framing,
      body: chunked(reader.padEnd(bytes), ...filler),
    });
    expect(answered).toBe(status);
    await expectServing(gateway);
  });

  test('of 10 MB in chunks of the size of a packet is accepted if MAX_BODY_BYTES allows it', async () => {
    const env = { MAX_BODY_BYTES: String(10 * mebibyte) };
    await using large = await startTestGateway(env, { bank: gateway.bank });
    const packet = ' '.repeat(1400);
    const framing = ['Transfer-Encoding: chunked'];
    const body = chunked(reader.padEnd(1400), ...Array<string>(7400).fill(packet));
    expect((await send({ framing, body }, large)).status).toBe(200);
  });

  test('of a few bytes that does not end takes no part of a larger buffer', async () => {
    const framing = ['Transfer-Encoding: chunked'];
    const slow = rawRequest({ framing, body: '1\r\n{\r\n'.repeat(2) });
    const body = chunked(reader.padEnd(7500), ' '.repeat(7500));
    const count = 200;
    const before = await measured.retained();
    for (let sent = 0; sent < count; sent++) {
      const socket = await openSocket(measured);
      onTestFinished(() => void socket.destroy());
      socket.write(slow);
      // The other parts of a buffer that requests share are soon free again.
      expect((await send({ framing, body }, measured)).status).toBe(200);
      expect((await send({ framing, body }, measured)).status).toBe(200);
    }
    const perBody = ((await measured.retained()) - before) / count;
    expect(perBody).toBeLessThan(32_768);
  });

  test('is decoded correctly even if its chunks split characters', async () => {
    const query = `{ accounts { id } } # ${'é'.repeat(500)}`;
    const body = Buffer.from(JSON.stringify({ query }));
    const pieces = [...body].map((byte) =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]),
    );
    const framing = ['Transfer-Encoding: chunked'];
    const whole = Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
    const answer = await send({ framing, body: whole });
    expect(answer.data?.['accounts']).toHaveLength(4);
  });
});

describe('bodies that take too much memory together', () => {
  /** Sends a request on 80 connections, and returns the first answer. After `check`, the connections are closed. */
  async function firstAnswer(request: Buffer, check: () => Promise<void>): Promise<string> {
    const sockets = await Promise.all(Array.from({ length: 80 }, () => openSocket(gateway)));
    try {
      const answers = sockets.map((socket) => once(socket, 'data') as Promise<[Buffer]>);
      for (const socket of sockets) socket.write(request);
      const [answer] = await Promise.race(answers);
      await check();
      return answer.toString();
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  }

  /** Further bodies are accepted once the memory of earlier bodies has been released. */
  async function expectReleased(): Promise<void> {
    await vi.waitFor(async () => {
      const whole = { body: `{"query":"{ __typename }"}${' '.repeat(1_000_000)}` };
      const answers = await Promise.all([send(whole), send(whole), send(whole)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    }, 10_000);
  }

  const overloaded = /^HTTP\/1\.1 503 [^]*"code":"OVERLOADED"/;

  test('are rejected with OVERLOADED if they arrive slowly, while small requests are still answered', async () => {
    const framing = ['Content-Length: 1048576'];
    const body = ' '.repeat(1_000_000);
    const refused = await firstAnswer(rawRequest({ framing, body }), () => expectServing(gateway));
    expect(refused).toMatch(overloaded);
    await expectReleased();
  });

  test('are rejected with OVERLOADED if the operations of earlier ones wait for the service, while small ones are still answered', async () => {
    gateway.bank.addFault({ kind: 'hang', match: { route: 'transactions' } });
    const account = '11111111-0000-4000-8000-000000000000';
    const query = `{ transactions(accountId: "${account}") { nodes { id } } }`;
    const body = JSON.stringify({ query, variables: { unused: 'x'.repeat(1_000_000) } });
    const refused = await firstAnswer(rawRequest({ lines: caller, body }), async () => {
      const small = await send({});
      expect([small.status, small.errors]).toEqual([200, undefined]);
    });
    expect(refused).toMatch(overloaded);
    gateway.bank.clearFaults();
    await expectReleased();
  });
});
