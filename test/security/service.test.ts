// A hostile service: malformed, endless, large and deep answers are handled within bounds of time and memory, and the
// id of an account cannot change the path of a request.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bank, startBank } from '../../src/sandbox/bank.ts';
import { startTestGateway } from '../support/gateway.ts';
import { type MeasuredGateway, startMeasuredGateway } from '../support/measured-gateway.ts';
import { type Answer, codesOf, query } from '../support/query.ts';

const mebibyte = 1_048_576;

/** Yields the parts of an answer, which may be endless. */
type Flood = () => Iterable<string>;

/** A service that answers every request with a flood, as fast as the gateway reads. */
class Flooder {
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #sockets = new Set<Socket>();
  flood: Flood = () => [];
  sentBytes = 0;

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // Errors are ignored, because the gateway is expected to disconnect.
    socket.on('error', () => undefined);
    socket.on('data', () => void this.#pour(socket));
  }

  async #pour(socket: Socket): Promise<void> {
    for (const text of this.flood()) {
      if (socket.destroyed) return;
      this.sentBytes += text.length;
      if (!socket.write(text, 'latin1')) await this.#roomOn(socket);
    }
  }

  /** Resolves once there is room or the connection is closed. */
  #roomOn(socket: Socket): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const done = () => resolve(undefined);
    socket.once('drain', done).once('close', done);
    return promise.finally(() => socket.off('drain', done).off('close', done));
  }
}

const service = new Flooder();
let bank: Bank;
/** A gateway with timeouts so long that only limits on answers apply. */
let patient: MeasuredGateway;
/** A gateway with a timeout of one second, for answers that only the timeout ends. */
let hasty: MeasuredGateway;
let retainedAtFirst = 0;
beforeAll(async () => {
  bank = await startBank();
  const url = await service.listen();
  const env = { OPERATION_TIMEOUT_MS: '60000' };
  [patient, hasty] = (await Promise.all(
    ['60000', '1000'].map((ms) => startMeasuredGateway(url, { ...env, UPSTREAM_TIMEOUT_MS: ms })),
  )) as [MeasuredGateway, MeasuredGateway];
  retainedAtFirst = await patient.retained();
});
afterAll(async () => {
  expect((await patient.retained()) - retainedAtFirst).toBeLessThan(32 * mebibyte);
  await Promise.all([patient, hasty].map((gateway) => gateway.stop('SIGTERM')));
  await service.close();
  await bank.close();
});

function* endless(text: string, first = ''): Generator<string> {
  yield first;
  const block = text.repeat(Math.ceil(65_536 / text.length));
  for (;;) yield block;
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const whole = (body: string) => `${head}content-length: ${body.length}\r\n\r\n${body}`;
const chunkedHead = `${head}transfer-encoding: chunked\r\n\r\n`;
const good = whole('{"accounts":[]}');

const unavailable = ['UPSTREAM_UNAVAILABLE'];
const violation = ['UPSTREAM_CONTRACT_VIOLATION'];
const late = ['UPSTREAM_TIMEOUT'];

/** The gateway to use for a test that expects these codes. */
const gatewayFor = (codes: readonly string[]) => (codes === late ? hasty : patient);

function ask({ url }: MeasuredGateway, document = '{ accounts { id } }'): Promise<Answer> {
  return query({ url, bank }, document);
}

/** Expects that the gateway reads the next answer correctly. */
async function expectWell(gateway = patient): Promise<void> {
  service.flood = () => [good];
  expect(await ask(gateway)).toMatchObject({ status: 200, data: { accounts: [] } });
}

describe('an answer of the service', () => {
  test.each<[string, Flood, readonly string[]]>([
    ['status line', () => endless('x', 'HTTP/1.1 200 '), late],
    ['header', () => endless('x', `${head}x: `), unavailable],
    ['list of headers', () => endless('x-a: b\r\n', head), unavailable],
    ['series of early hints', () => endless('HTTP/1.1 103 Early Hints\r\n\r\n'), violation],
    ['body', () => endless('x', `${head}\r\n`), violation],
    ['JSON body', () => endless('[{"a":1},', `${head}\r\n`), violation],
    ['compressed body', () => endless('\0', `${head}content-encoding: gzip\r\n\r\n`), violation],
    ['series of chunks', () => endless('1\r\n[\r\n', chunkedHead), violation],
    // The extensions are long, so that the deadline comes before the limit on chunks even on a fast machine.
    [
      'series of chunks with long extensions',
      () => endless(`1;${'x'.repeat(15_000)}\r\n[\r\n`, chunkedHead),
      late,
    ],
    ['chunk extension', () => endless('x', `${chunkedHead}1;a=`), late],
    ['chunk', () => endless('x', `${chunkedHead}fffffffffffff\r\n`), violation],
    [
      'list of trailers',
      () => endless('x-a: b\r\n', `${chunkedHead}2\r\n{}\r\n0\r\n`),
      unavailable,
    ],
    ['body of an error', () => endless('x', 'HTTP/1.1 500 X\r\n\r\n'), unavailable],
    ['body of a rejection', () => endless('x', 'HTTP/1.1 403 X\r\n\r\n'), ['FORBIDDEN']],
    [
      'body of a redirect',
      () => endless('x', 'HTTP/1.1 302 X\r\nlocation: /\r\n\r\n'),
      ['UPSTREAM_REJECTED'],
    ],
  ])(
    'with an endless %s is abandoned before it takes 16 MiB of memory',
    async (_name, flood, codes) => {
      const gateway = gatewayFor(codes);
      service.flood = flood;
      let answer: Answer | undefined;
      const most = await gateway.mostRetained(async () => (answer = await ask(gateway)));
      expect(answer && codesOf(answer), answer?.text).toEqual(codes);
      // 16 MiB is enough for a buffer of UPSTREAM_MAX_BODY_BYTES and the buffer of twice that size that replaces it.
      expect(most).toBeLessThan(16 * mebibyte);
      await expectWell(gateway);
    },
  );
});

describe('a malformed or incomplete answer', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'a switch to another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      unavailable,
    ],
    ['HTTP/2', 'HTTP/2.0 200 OK\r\n\r\n', late],
    ['a request', 'GET / HTTP/1.1\r\nhost: a\r\n\r\n', unavailable],
    ['two lengths', `${head}content-length: 2\r\ncontent-length: 15\r\n\r\n{}`, unavailable],
    [
      'a length and chunks',
      `${chunkedHead.replace('\r\n\r\n', '\r\ncontent-length: 2\r\n\r\n')}2\r\n{}\r\n0\r\n\r\n`,
      unavailable,
    ],
    ['a negative length', `${head}content-length: -1\r\n\r\n{}`, unavailable],
    ['invalid chunks', `${chunkedHead}{}\r\n`, unavailable],
    ['a null byte in a header', `${head}x: \0\r\n\r\n`, unavailable],
    ['204 with a body', `HTTP/1.1 204 X\r\ncontent-length: 2\r\n\r\n{}`, violation],
    ['304 with a body', `HTTP/1.1 304 X\r\ncontent-length: 2\r\n\r\n{}`, ['UPSTREAM_REJECTED']],
  ])('causes an error: %s', async (_name, bytes, codes) => {
    const gateway = gatewayFor(codes);
    service.flood = () => [bytes];
    const answer = await ask(gateway);
    expect(codesOf(answer), answer.text).toEqual(codes);
    expect(answer.data).toEqual({ accounts: null });
    await expectWell(gateway);
  });
});

test('bytes after the end of an answer of the service do not affect later requests', async () => {
  const another = whole('{"accounts":[{"id":"00000000-0000-4000-8000-000000000000"}]}');
  service.flood = () => [good + another];
  for (let i = 0; i < 20; i++) {
    const answer = await ask(patient);
    expect(answer.data, answer.text).toEqual({ accounts: [] });
  }
  await expectWell();
});

describe('large or deep JSON of the service', () => {
  const size = 4_000_000;
  const many = (text: string, between = ',') =>
    (text + between).repeat(Math.floor(size / (text.length + between.length)) - 1) + text;
  const deep = (open: string, close: string) => {
    const levels = Math.floor(size / (open.length + close.length));
    return open.repeat(levels) + close.repeat(levels);
  };
  const names = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":0`).join();
  const accounts = (text: string) => `{"accounts":[${text}]}`;
  const page = (rows: string, size = 1_000_000) =>
    `{"data":[${rows}],"pagination":{"totalItems":${size},"currentPage":0,"itemsPerPage":${size},"totalPages":1}}`;
  const id = `${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`;
  const transactions = `{ transactions(accountId: "${id}") { totalCount } }`;

  test.each<[string, string, readonly string[], string?]>([
    ['nested lists', deep('[', ']'), violation],
    ['nested objects', deep('{"a":', '}').replace('}', '1}'), []],
    [
      'nested lists in an account',
      accounts(`{"id":"${id}","investmentAccount":{"a":${deep('[', ']')}}}`),
      violation,
    ],
    ['800,000 null accounts', accounts(many('null')), violation],
    ['a million numbers as accounts', accounts(many('1')), violation],
    [
      'accounts with wrong values',
      accounts(many(`{"id":"${id}","bank":1,"agency":1,"number":1,"status":1}`)),
      violation,
    ],
    ['85,000 valid accounts', accounts(many(`{"id":"${id}"}`)), violation],
    ['5,000 valid accounts', accounts(many(`{"id":"${id}"}`).slice(0, 5000 * 46 - 1)), []],
    ['250,000 members', `{${names(250_000)}}`, []],
    ['one member 300,000 times', `{${many('"accounts":1')}}`, violation],
    [
      'a number of four million digits',
      accounts(`{"id":"${id}","balance":${'9'.repeat(size)}}`),
      [],
    ],
    [
      'half a million exponents, thirty times',
      accounts(`{"id":"${id}","investmentAccount":{"a":[${many('1e99')}]}}`),
      Array<string>(30).fill('UPSTREAM_CONTRACT_VIOLATION'),
      `{ ${Array.from({ length: 30 }, (_, i) => `_${i}: accounts { investmentAccount }`).join(' ')} }`,
    ],
    ['four million escapes', accounts(`{"id":"${id}","bank":"${many('\\u0000', '')}"}`), []],
    [
      'members named after properties of Object.prototype',
      '{"accounts":[],"__proto__":{"accounts":[1]},"constructor":1}',
      [],
    ],
    ['null rows', page(many('null')), violation, transactions],
    ['empty rows', page(many('{}')), violation, transactions],
    [
      'rows with the same id',
      page(many('{"id":"a"}').slice(0, 2_200_000 - 1)),
      violation,
      transactions,
    ],
    [
      '5,000 rows with the same id',
      page(many('{"id":"a"}').slice(0, 55_000 - 1), 5000),
      [],
      transactions,
    ],
  ])(
    'takes less than five seconds of CPU time: %s',
    async (_name, body, codes, document = '{ accounts { id balance investmentAccount } }') => {
      service.flood = () => [whole(body)];
      const before = await patient.use();
      const { errors, data, text } = await ask(patient, document);
      const cpuMs = (await patient.use()).cpuMs - before.cpuMs;
      // Each request takes at most 0.4 s on a busy machine. If each null were a separate error, a request would take
      // minutes.
      expect(cpuMs, 'milliseconds of CPU').toBeLessThan(5000);
      expect(errors?.map(({ extensions }) => extensions.code) ?? [], text.slice(0, 500)).toEqual(
        codes,
      );
      expect(data).toBeDefined();
      await expectWell();
    },
  );
});

describe('an answer to a client', () => {
  const tooComplex = ['OPERATION_TOO_COMPLEX'];
  const profile = (name: string) => whole(`{"person":{"id":"a","name":"${name}"},"accounts":[]}`);
  const aliased = Array.from({ length: 30 }, (_, i) => `_${i}: name`).join(' ');

  test.each([
    ['plain characters', 'x'.repeat(4_000_000)],
    ['escaped characters', '\\u0001'.repeat(600_000)],
    ['characters just above the limit', 'x'.repeat(280_000)],
  ])(
    'fails with OPERATION_TOO_COMPLEX above 8,388,608 characters, also on the fast path: %s',
    async (_name, long) => {
      const document = `{ me { ... on Person { ${aliased} } } }`;
      const expectRefused = async () => {
        service.flood = () => [profile(long)];
        const answer = await ask(patient, document);
        expect(codesOf(answer), answer.text.slice(0, 500)).toEqual(tooComplex);
        expect(answer.data).toBeNull();
      };
      const counted = async () => {
        const metrics = await (await fetch(`${patient.adminUrl}/metrics`)).text();
        const [, count] =
          /^account_bff_operations_total\{.*OPERATION_TOO_COMPLEX.*\} (\d+)$/m.exec(metrics) ?? [];
        return Number(count ?? 0);
      };
      const before = await counted();
      await expectRefused();
      service.flood = () => [profile('short')];
      for (let times = 0; times < 3; times++) {
        expect((await ask(patient, document)).errors).toBeUndefined();
      }
      await expectRefused();
      expect(await counted()).toBe(before + 2);
      await expectWell();
    },
  );

  const accounts = (count: number) =>
    Array.from(
      { length: count },
      (_, i) => `{"id":"00000000-0000-4000-8000-${100_000_000_000 + i}"}`,
    );
  const profileOf = (count: number) =>
    whole(`{"person":{"id":"a"},"accounts":[${accounts(count).join()}]}`);
  const repeated = (field: string) =>
    `{ ${Array.from({ length: 30 }, (_, i) => `_${i}: ${field}`).join(' ')} }`;
  const reference = '{ __typename: "Person", id: "a" }';

  test.each([
    ['`accounts`', repeated('accounts { id bank }')],
    [
      '`me`',
      repeated('me { ... on Person { accounts { id agency number balance status isEscrow } } }'),
    ],
    ['an interface', repeated('me { ... on AccountHolder { accounts { id bank } } }')],
    [
      'references',
      `{ _entities(representations: [${reference.repeat(400)}]) { ... on Person { accounts { id } } } }`,
    ],
  ])(
    'has at most 50,000 values of accounts, however often they are selected, also on the fast path: %s',
    async (_what, document) => {
      for (let times = 0; times < 3; times++) {
        service.flood = () => [profileOf(1)];
        expect((await ask(patient, document)).errors).toBeUndefined();
      }
      for (let times = 0; times < 2; times++) {
        service.flood = () => [profileOf(5000)];
        const answer = await ask(patient, document);
        expect(new Set(codesOf(answer)), answer.text.slice(0, 500)).toEqual(new Set(tooComplex));
        expect(answer.text.split('"id":').length).toBeLessThanOrEqual(50_001);
        expect(answer.errors?.length).toBeLessThanOrEqual(501);
        expect(answer.data).not.toBeNull();
      }
      await expectWell();
    },
  );

  test('is returned if it has 8 million characters', async () => {
    service.flood = () => [profile('x'.repeat(270_000))];
    const answer = await ask(patient, `{ me { ... on Person { ${aliased} } } }`);
    expect(answer.errors).toBeUndefined();
    expect(answer.text.length).toBeGreaterThan(8_000_000);
    await expectWell();
  });
});

describe('the id of an account', () => {
  const uuid = '5f0c1f3e-8a57-4c3b-9d54-2f6f0f4f5a11';

  /**
   * Requests the statements of two accounts, one of which has this id; returns the paths of the upstream requests, and
   * the answer.
   */
  async function pathsFor(id: string): Promise<{ paths: string[]; answer: Answer }> {
    const paths: string[] = [];
    const service = createHttpServer(({ url = '' }, response) => {
      paths.push(url);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ accounts: [{ id, bank: '1' }, { id: uuid }] }));
    });
    await once(service.listen(0, '127.0.0.1'), 'listening');
    const { port } = service.address() as AddressInfo;
    const env = { UPSTREAM_URL: `http://127.0.0.1:${port}/bank`, UPSTREAM_RETRIES: '0' };
    await using other = await startTestGateway(env, { bank });
    const answer = await query(other, '{ accounts { id bank transactions { totalCount } } }');
    service.close();
    service.closeAllConnections();
    return { paths, answer };
  }

  test.each([
    ...['.', '..', '../..', '%2e%2e', '/', '//', '?', '#', 'a', ' ', '\u202e', '\0'],
    ...[`${uuid}/..`, `${uuid}?page=1`, `{${uuid}}`, uuid.replaceAll('-', ''), `${uuid}\n`],
  ])(
    'is not used in a path if it is %j: the account fails, and the others are answered',
    async (id) => {
      const { paths, answer } = await pathsFor(id);
      expect(paths.toSorted()).toEqual([
        `/bank/accounts/${uuid}/transactions?page=0`,
        '/bank/persons',
      ]);
      expect(answer.data?.['accounts']).toMatchObject([null, { id: uuid }]);
      expect(answer.errors?.[0]).toMatchObject({
        path: ['accounts', 0],
        extensions: { code: 'UPSTREAM_CONTRACT_VIOLATION' },
      });
    },
  );

  test('keeps its case in the path and in the answer', async () => {
    const upper = uuid.toUpperCase();
    const { paths, answer } = await pathsFor(upper);
    expect(paths).toContain(`/bank/accounts/${upper}/transactions?page=0`);
    expect(answer.data?.['accounts']).toMatchObject([{ id: upper, bank: '1' }, { id: uuid }]);
  });
});
