// Sends requests of every kind, with marked secrets, to gateways over a bank with every kind of fault, and keeps all
// answers.
import type { Bank } from '../../src/sandbox/bank-script.ts';
import type { HolderSummary } from '../../src/sandbox/data/directory.ts';
import type { FaultKind } from '../../src/sandbox/faults/faults.ts';
import { connectionFields, meFields } from '../support/documents.ts';
import { byId, listed, manifestOf, newFolder, put, sha256 } from '../support/manifest.ts';
import { askedMark, personalMark, secretMark } from '../support/marks.ts';
import type { Answer } from '../support/query.ts';
import {
  openSocket,
  parseAnswers,
  type RawRequest,
  rawRequest,
  receiveAll,
} from '../support/raw.ts';

/** The first answer on a connection, and all bytes that the connection received. */
export interface SeenAnswer extends Answer {
  readonly bytes: string;
}

export interface Caller {
  readonly holder: HolderSummary;
  readonly token: string;
}

const investment = JSON.stringify({
  product: `CDB ${personalMark}`,
  lots: [{ [personalMark]: 1 }],
});

/** Adds a person and a company with a mark in every text field that a script can set freely. */
export function addHolders(bank: Bank): readonly HolderSummary[] {
  return (['PERSON', 'COMPANY'] as const).map((kind, i) =>
    bank.addHolder({
      kind,
      tenant: `tenant:${personalMark}`,
      name: `Name ${personalMark}`,
      document: `7770001112223${i}`,
      email: `${personalMark}@example.com`,
      phone: `+${personalMark}`,
      accounts: [
        {
          balance: `77700011122.3${i}`,
          investmentAccount: investment,
          // All transactions have the same createdAt, so that the place of a removed transaction cannot be found by
          // time.
          tieSizes: [95],
          transactions: Array.from({ length: 95 }, (_, row) => ({
            amount: `8880001112${row}.50`,
            beneficiaryName: `Beneficiary ${personalMark}`,
            category: `Category ${personalMark}`,
            externalStatus: `${personalMark}!`,
            type: `${personalMark}?`,
          })),
        },
      ],
    }),
  );
}

/** Personal numbers and ids, which cannot carry a mark. */
export function personalTexts(holders: readonly HolderSummary[]): string[] {
  const ids = holders.flatMap(({ id, accounts }) => [id, ...accounts]);
  return [...ids, '7770001112223', '77700011122.3', '8880001112'];
}

export const callerLines = ({ holder, token }: Caller): string[] => [
  `Authorization: Bearer ${token}`,
  `x-tenant-id: ${holder.tenant}`,
];

/** Sends requests to gateways and keeps the answers. */
export class Client {
  readonly answers: SeenAnswer[] = [];

  async send(gateway: { readonly url: string }, request: RawRequest | string): Promise<SeenAnswer> {
    const socket = await openSocket(gateway);
    const received = receiveAll(socket);
    socket.write(typeof request === 'string' ? request : rawRequest(request));
    return this.keep(await received);
  }

  /** Keeps the first answer of a connection, with all bytes received, and returns the answer. */
  keep(received: Buffer): SeenAnswer {
    const [answer] = parseAnswers(received);
    if (answer === undefined) throw new Error('nothing came');
    const seen = { ...answer, bytes: received.toString('latin1') };
    this.answers.push(seen);
    return seen;
  }

  ask(
    gateway: { readonly url: string },
    body: object,
    lines: readonly string[] = [],
  ): Promise<SeenAnswer> {
    return this.send(gateway, { lines: [...lines, ...strayLines], body: JSON.stringify(body) });
  }
}

/** The bytes of a request that leaves its connection open. */
export function requestBytes(body: object, lines: readonly string[]): Buffer {
  const standard = ['Host: gateway', 'Content-Type: application/json'];
  return rawRequest({ standard, lines, body: JSON.stringify(body) });
}

/** Headers that clients, browsers and proxies may add. */
const strayLines = [
  `Cookie: session=${secretMark}`,
  `X-Api-Key: ${secretMark}`,
  `Proxy-Authorization: Basic ${Buffer.from(`a:${secretMark}`).toString('base64')}`,
  `Referer: https://app.example/?token=${secretMark}`,
  `User-Agent: ${secretMark}`,
];

const everything = `query Everything($id: ID!, $theirs: ID!) {
  me { ${meFields} }
  transactions(accountId: $id, first: 3) { ${connectionFields} }
  account(id: $id) { id transactions(last: 2) { nodes { id } } }
  theirs: transactions(accountId: $theirs) { totalCount }
}`;

/** Requests all data as every caller. */
export function askEverything(
  client: Client,
  gateway: { readonly url: string },
  callers: readonly Caller[],
): Promise<SeenAnswer[]> {
  const [one, other] = callers.map(({ holder }) => holder.accounts[0] ?? '');
  return Promise.all(
    callers.map((caller, i) => {
      const [id, theirs] = i === 0 ? [one, other] : [other, one];
      return client.ask(
        gateway,
        { query: everything, variables: { id, theirs } },
        callerLines(caller),
      );
    }),
  );
}

const page = `<!doctype html><h1>${secretMark}</h1>`;

/** Every kind of fault, with a mark in strings that a script can set. */
export const faults: { readonly [K in FaultKind['kind']]: readonly (FaultKind & { kind: K })[] } = {
  status: [
    ...[201, 204, 304, 400, 401, 403, 404, 409, 429, 500, 502, 503].map((status) => ({
      kind: 'status' as const,
      status,
      ...(status !== 204 && status !== 304 && { body: `{"error":"${secretMark}"}` }),
    })),
    { kind: 'status', status: 429, retryAfter: secretMark },
    { kind: 'status', status: 200, body: `"${secretMark}"` },
    { kind: 'status', status: 200, body: `{"${secretMark}":1,"accounts":"${secretMark}"}` },
    { kind: 'status', status: 200, contentType: `text/plain; x=${secretMark}` },
  ],
  reset: [{ kind: 'reset' }],
  hang: [{ kind: 'hang' }, { kind: 'hang', afterHalf: true }],
  cutBody: [{ kind: 'cutBody' }, { kind: 'cutBody', reset: true }],
  drip: [{ kind: 'drip' }],
  delay: [{ kind: 'delay', delayMs: 60_000 }],
  html: [{ kind: 'html', body: page }],
  brokenJson: [{ kind: 'brokenJson' }],
  wrongShape: [
    '/person',
    '/entity',
    '/accounts',
    '/accounts/0',
    '/accounts/0/id',
    '/data',
    '/data/0',
  ]
    .flatMap((pointer) => [pointer, `${pointer}/status`])
    .map((pointer) => ({
      kind: 'wrongShape' as const,
      pointer,
      value: [{ [secretMark]: secretMark }],
    })),
  hugeBody: [{ kind: 'hugeBody', bytes: 5_000_000 }],
  redirect: [{ kind: 'redirect', location: `http://${secretMark}.example/?token=${secretMark}` }],
  encoding: [{ kind: 'encoding' }],
  nested: [{ kind: 'nested', depth: 100_000 }],
  informational: [{ kind: 'informational' }],
};

/**
 * Requests all data under each fault. Returns how many times each fault was applied, so that a test can check that no
 * fault was unused.
 */
export async function askThroughFaults(
  client: Client,
  gateway: { readonly url: string },
  bank: Bank,
  callers: readonly Caller[],
): Promise<number[]> {
  const hits: number[] = [];
  for (const fault of Object.values(faults).flat()) {
    const active = bank.addFault(fault);
    await askEverything(client, gateway, callers);
    hits.push(active.hits);
    bank.clearFaults();
    // After each fault, requests that succeed keep the circuit closed. The circuit would open if 80 % of the recent
    // calls had failed.
    await askEverything(client, gateway, callers);
  }
  await bank.goOffline();
  await askEverything(client, gateway, callers);
  await bank.goOnline();
  await askEverything(client, gateway, callers);
  return hits;
}

export const routerSecret = `router-${secretMark}`;

/** Writes a manifest with one operation; returns its path. */
export function writeManifest(): string {
  return put(newFolder(), manifestOf(listed('Listed', listedQuery)));
}

const listedQuery = 'query Listed { accounts { id balance } }';

/** Sends valid and invalid requests of other kinds. */
export async function askOtherwise(
  client: Client,
  gateway: { readonly url: string },
  callers: readonly Caller[],
): Promise<void> {
  const [caller] = callers as [Caller];
  const lines = callerLines(caller);
  const strict = ['Accept: application/graphql-response+json'];
  const query = '{ accounts { id } }';
  const [id] = caller.holder.accounts;
  const registered = `query Registered { accounts { number } } # ${sha256(query).slice(0, 8)}`;
  const router = [...lines, `x-router-secret: ${routerSecret}`];
  const deep = `${'{ a '.repeat(40)}${'}'.repeat(40)}`;
  const representations = [
    { __typename: 'Account', id },
    { __typename: 'Person', id: askedMark },
  ];
  const entities =
    'query ($all: [_Any!]!) { _entities(representations: $all) { __typename ... on Account { id } } }';
  const bodies: [body: object, lines?: readonly string[]][] = [
    [{ query }, [...lines, ...strict]],
    [{ extensions: byId(sha256(registered)) }, lines],
    [{ query: registered, extensions: byId(sha256(registered)) }, lines],
    [{ extensions: byId(sha256(registered)) }, lines],
    [{ extensions: byId(sha256(listedQuery)) }, lines],
    [{ query, extensions: byId(sha256(askedMark)) }, lines],
    [{ query: '{ __typename }' }],
    [{ query: '{ __schema { types { name description } } }' }],
    [{ query: '{ _service { sdl } }' }, router],
    [{ query: '{ _service { sdl } }' }, ['x-router-secret: wrong']],
    [{ query: entities, variables: { all: representations } }, router],
    [{ query: entities, variables: { all: representations } }, lines],
    [{ query: `mutation { ${askedMark} }` }, lines],
    [{ query: `subscription { ${askedMark} }` }, [...lines, ...strict]],
    [{ query: `{ "${askedMark}` }, lines],
    [{ query: `{ ${askedMark}(id: "${askedMark}") }` }, lines],
    [{ query: `{ account(id: "${askedMark}") { id } }` }, lines],
    [
      {
        query: 'query ($id: ID!) { account(id: $id) { id } }',
        variables: { id: { [askedMark]: askedMark } },
      },
      lines,
    ],
    [
      { query: `{ transactions(accountId: "${id}", after: "${askedMark}") { totalCount } }` },
      lines,
    ],
    [{ query: `{ transactions(accountId: "${id}", from: "${askedMark}") { totalCount } }` }, lines],
    [{ query: deep }, lines],
    [
      {
        query: `{ ${Array.from({ length: 30 }, (_, i) => `_${i}: transactions(accountId: "${id}", first: 100, from: "2020-01-${String(i + 1).padStart(2, '0')}") { nodes { id } }`).join(' ')} }`,
      },
      lines,
    ],
    [{ query, token: caller.token, password: secretMark }, lines],
  ];
  for (const [body, own] of bodies) await client.ask(gateway, body, own);
  await askBadly(client, gateway, lines);
}

/** Sends GET requests, and requests that are not GraphQL or not well formed. */
async function askBadly(
  client: Client,
  gateway: { readonly url: string },
  lines: readonly string[],
): Promise<void> {
  const query = encodeURIComponent('{ accounts { id } }');
  const get = (path: string, more: readonly string[] = []): RawRequest => ({
    start: `GET ${path} HTTP/1.1`,
    standard: ['Host: gateway', 'Connection: close'],
    lines: [...lines, ...more],
    framing: [],
  });
  const requests: (RawRequest | string)[] = [
    get(`/graphql?query=${query}`),
    get(`/graphql?query=${query}&access_token=${secretMark}`),
    get('/graphql', ['Accept: text/html']),
    get(`/${secretMark}`),
    { start: 'OPTIONS /graphql HTTP/1.1', lines: ['Origin: http://localhost:3000'], framing: [] },
    { start: `DELETE /graphql?${secretMark} HTTP/1.1`, lines },
    { lines, body: `[{"query":"${askedMark}"}]` },
    { lines, body: `{"query":"${askedMark}` },
    { lines, body: `"${askedMark}"` },
    { lines, body: ' '.repeat(1_100_000) },
    {
      lines,
      standard: ['Host: a', 'Connection: close', `Content-Type: text/${secretMark}`],
      body: '{}',
    },
    { lines: [...lines, `X-Long: ${secretMark.repeat(2000)}`], body: '{}' },
    `NONSENSE ${secretMark}\r\n\r\n`,
  ];
  for (const request of requests) await client.send(gateway, request);
}

/** Sends requests whose token or tenant is missing, repeated or invalid. */
export async function askAsStrangers(
  client: Client,
  gateway: { readonly url: string },
  { holder, token }: Caller,
  badTokens: readonly string[],
): Promise<void> {
  const body = { query: '{ accounts { id } }' };
  const tenant = `x-tenant-id: ${holder.tenant}`;
  for (const bad of badTokens)
    await client.ask(gateway, body, [`Authorization: Bearer ${bad}`, tenant]);
  const good = `Authorization: Bearer ${token}`;
  const lists = [
    [tenant],
    [`Authorization: Basic ${secretMark}`, tenant],
    [good, good, tenant],
    [good],
    [good, `x-tenant-id: other-${personalMark}`],
    [good, `x-tenant-id: ${personalMark} ${personalMark}`],
  ];
  for (const lines of lists) await client.ask(gateway, body, lines);
}
