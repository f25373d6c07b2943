// Operations that keep large answers of the service while they wait for another one share a limit of memory.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startBank } from '../../src/sandbox/bank.ts';
import { scrape } from '../support/exposition.ts';
import { gatewayOfTest } from '../support/fixtures.ts';
import { type MeasuredGateway, startMeasuredGateway } from '../support/measured-gateway.ts';
import { codesOf, query } from '../support/query.ts';
import { callerLines, openSocket, rawRequest } from '../support/raw.ts';

const mebibyte = 1_048_576;

/** Pages of one row of two million and of 20,000 characters, and a page without rows. */
const pageOf = (rows: string, total: number) =>
  `{"data":[${rows}],"pagination":{"totalItems":${total},"currentPage":0,"itemsPerPage":20,"totalPages":1}}`;
const pageOfText = (length: number) =>
  Buffer.from(pageOf(`{"id":"a","beneficiaryName":"${'x'.repeat(length)}"}`, 1));
const [large, medium] = [pageOfText(2_000_000), pageOfText(20_000)];
const empty = Buffer.from(pageOf('', 0));

/** The service answers at once, but for these accounts only when it is released. */
const slowAccount = 'ffffffff';

/** The account with the medium page. */
const mediumAccount = 'eeeeeeee';

async function startService() {
  const held: ServerResponse[] = [];
  let isHolding = false;
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'application/json');
    if (!url.includes(slowAccount)) response.end(url.includes(mediumAccount) ? medium : large);
    else if (isHolding) held.push(response);
    else response.end(empty);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: () => void (isHolding = true),
    release(): void {
      isHolding = false;
      for (const response of held.splice(0)) response.end(empty);
    },
  };
}

function sliceOf(account: string, nth: number, selected = 'id'): string {
  const id = `${account}-0000-4000-8000-${String(nth).padStart(12, '0')}`;
  return `transactions(accountId: "${id}") { nodes { ${selected} } }`;
}

/** The number of exchanges with the service that have ended. */
async function exchangesOf(gateway: MeasuredGateway): Promise<number> {
  return (await scrape(gateway)).total('account_bff_upstream_exchange_duration_seconds_count');
}

test('operations that wait keep at most 128 MiB of answers, and further answers are UPSTREAM_UNAVAILABLE', async () => {
  await using bank = await startBank();
  const service = await startService();
  const timeouts = { UPSTREAM_TIMEOUT_MS: '60000', OPERATION_TIMEOUT_MS: '60000' };
  const gateway = await startMeasuredGateway(service.url, timeouts);
  onTestFinished(() => gateway.stop('SIGTERM').then(() => undefined));
  /** The codes of operations that each keep a large answer while they wait for another answer. */
  const codesOfMany = async (count: number, fields?: string) => {
    const before = await exchangesOf(gateway);
    let refused = 0;
    service.hold();
    const codes = Promise.all(
      Array.from({ length: count }, async (_, nth) => {
        const [kept, slow] = [sliceOf('00000000', nth, fields), sliceOf(slowAccount, nth)];
        const document = `{ large: ${kept} slow: ${slow} }`;
        const answer = await query({ url: gateway.url, bank }, document);
        // The gateway refuses some operations if it has to collect garbage for long; these get no large answer.
        if (answer.status === 503) refused++;
        return codesOf(answer).join();
      }),
    );
    const areKept = async () => expect((await exchangesOf(gateway)) - before + refused).toBe(count);
    await vi.waitFor(areKept, { timeout: 60_000 });
    // This page is parsed after all that were received before it.
    await query({ url: gateway.url, bank }, `{ ${sliceOf(mediumAccount, 0)} }`);
    service.release();
    return codes;
  };
  let codes: string[] = [];
  const most = await gateway.mostRetained(async () => (codes = await codesOfMany(200)));
  expect(codes).toContain('UPSTREAM_UNAVAILABLE');
  expect(codes).toContain('');
  // The answers would take 400 MiB.
  expect(most).toBeLessThan(180 * mebibyte);
  // The memory was released: what fits is answered.
  for (let times = 0; times < 3; times++) {
    expect(new Set(await codesOfMany(20))).toEqual(new Set(['']));
  }
  // The results of graphql-js share the memory: those of 20 operations would take 320 MB.
  const aliases = Array.from({ length: 4 }, (_, n) => `a${n}: beneficiaryName`).join(' ');
  const mostOfResults = await gateway.mostRetained(
    async () => (codes = await codesOfMany(20, aliases)),
  );
  expect(codes).toContain('UPSTREAM_UNAVAILABLE');
  expect(mostOfResults).toBeLessThan(300 * mebibyte);
  expect(new Set(await codesOfMany(20))).toEqual(new Set(['']));
});

test('an operation keeps no answers of the service while its client reads the answer', async () => {
  await using bank = await startBank();
  const service = await startService();
  const gateway = await gatewayOfTest({ UPSTREAM_URL: service.url }, { bank });
  const slices = Array.from({ length: 30 }, (_, nth) => {
    const account = `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`;
    // Four names make the answer longer than the buffers of the sockets.
    const fields = nth < 4 ? 'id beneficiaryName' : 'id';
    return `s${nth}: transactions(accountId: "${account}") { nodes { ${fields} } }`;
  });
  const document = `{ ${slices.join(' ')} }`;
  const request = rawRequest({
    lines: await callerLines(bank),
    body: JSON.stringify({ query: document }),
  });
  // The answers for each operation take 57 MiB.
  for (let times = 0; times < 2; times++) {
    const socket = await openSocket(gateway);
    onTestFinished(() => void socket.destroy());
    socket.write(request);
    // The client reads only the beginning of its answer.
    await once(socket, 'readable');
  }
  expect(codesOf(await query(gateway, document))).toEqual([]);
});
