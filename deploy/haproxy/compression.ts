// Walks through a statement of 5,000 transactions behind HAProxy, with and without compression. Measures the
// transferred bytes and the gateway's CPU time.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { InMemoryCache } from '@apollo/client';
import { print } from 'graphql';
import { type GatewayProcess, startProcess } from '../../bench/gateway-process.ts';
import { StatementDocument } from '../../examples/web/src/generated/graphql.ts';
import { startBank } from '../../src/sandbox/bank.ts';
import { freePort } from '../../test/support/port.ts';
import { type ReplicaPorts, startHAProxy, untilServed } from './proxy.ts';

const rows = 5000;
const mostOfBytes = 1 / 3;
/** The example app's query. The app's cache adds __typename to each selection. */
const query = print(new InMemoryCache().transformDocument(StatementDocument));

await using bank = await startBank();
const [holder] = bank.holders;
const accountId = holder?.accounts[0] ?? '';
const ids = bank.setStatement(accountId, rows);
const authorization = `Bearer ${await bank.tokenFor({ id: holder?.id ?? '', tenant: holder?.tenant ?? '' })}`;

const listen = await freePort();
const ports: ReplicaPorts = [await freePort(), await freePort()];
const unusedPorts: ReplicaPorts = [await freePort(), await freePort()];
const env = { PORT: `${ports[0]}`, ADMIN_PORT: `${ports[1]}` };
await using gateway: GatewayProcess = await startProcess(bank.url, { env });
const haproxy = startHAProxy(listen, ports, unusedPorts);
await untilServed(listen);

const proxyUrl = `http://127.0.0.1:${listen}`;
// The first walk also warms up the gateway.
await walk(proxyUrl, 'identity');
const plain = await walk(proxyUrl, 'identity');
const compressed = await walk(proxyUrl, 'gzip');
const direct = await walk(gateway.url, 'gzip');
haproxy.kill('SIGTERM');

const share = compressed.bytes / plain.bytes;
console.log(
  `${rows} rows: ${plain.bytes} bytes plain, ${compressed.bytes} compressed (${percent(share)})`,
);
console.log(
  `CPU of the gateway: ${plain.cpuSeconds.toFixed(2)} s plain, ${compressed.cpuSeconds.toFixed(2)} s compressed`,
);
check(share <= mostOfBytes, `more than ${percent(mostOfBytes)} of the bytes`);
check(compressed.encodings.has('gzip'), 'HAProxy did not compress');
check(!direct.encodings.has('gzip'), 'the gateway itself compressed');
check(plain.text === compressed.text, 'the compressed answers are other ones');
check(compressed.ids.join() === ids.join(), 'the walk did not give each row once, in order');
console.log(process.exitCode === 1 ? 'FAILED' : 'passed');

interface Walk {
  /** Bytes received on the client's connection, headers included. */
  readonly bytes: number;
  /** CPU time of the gateway's process for this walk. */
  readonly cpuSeconds: number;
  readonly encodings: ReadonlySet<string | undefined>;
  readonly ids: readonly string[];
  /** The text of all answers, joined. */
  readonly text: string;
}

/** Walks from the newest row to the oldest, 100 at a time, with every field that the example app shows. */
async function walk(url: string, encoding: string): Promise<Walk> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const cpuBefore = gateway.cpuSeconds();
  const encodings = new Set<string | undefined>();
  const texts: string[] = [];
  const seen: string[] = [];
  let bytes = 0;
  for (let after: string | null = null, hasNext = true; hasNext;) {
    const response = await ask(url, encoding, after, agent);
    const { socket } = response;
    encodings.add(response.headers['content-encoding']);
    const body = await buffer(response);
    // All answers use one connection, so the bytes read from it are the size of all answers so far.
    bytes = socket.bytesRead;
    const text = (
      response.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
    ).toString();
    texts.push(text);
    const { edges, pageInfo } = (JSON.parse(text) as Answer).data.transactions;
    seen.push(...edges.map(({ node }) => node.id));
    ({ endCursor: after, hasNextPage: hasNext } = pageInfo);
  }
  agent.destroy();
  const cpuSeconds = gateway.cpuSeconds() - cpuBefore;
  return { bytes, cpuSeconds, encodings, ids: seen, text: texts.join('\n') };
}

interface Answer {
  readonly data: {
    readonly transactions: {
      readonly edges: readonly { readonly node: { readonly id: string } }[];
      readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
    };
  };
}

async function ask(
  url: string,
  encoding: string,
  after: string | null,
  agent: Agent,
): Promise<IncomingMessage> {
  const headers = {
    ...{ authorization, 'x-tenant-id': holder?.tenant },
    ...{ 'content-type': 'application/json', 'accept-encoding': encoding },
  };
  const sent = request(`${url}/graphql`, { method: 'POST', headers, agent });
  const variables = { accountId, first: 100, after };
  sent.end(JSON.stringify({ query, variables }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}

function check(holds: boolean, failure: string): void {
  if (holds) return;
  console.error(failure);
  process.exitCode = 1;
}
