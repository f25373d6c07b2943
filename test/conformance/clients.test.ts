// The programs in docs/clients.md run unchanged (the program with Relay is compiled first), with the packages that they
// import, and read a statement that changes.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { transformAsync } from '@babel/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { callerHeaders, firstHolder } from '../support/query.ts';
import { startRecorder } from '../support/recorder.ts';

const root = new URL('../../', import.meta.url);
/** This folder is inside the repository, so that imports find the repository's packages. */
const folder = new URL(`.cache/clients-${process.pid}/`, root);

let gateway: TestGateway;
let accountId: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  accountId = firstHolder(gateway.bank).accounts[0] ?? '';
  await mkdir(folder, { recursive: true });
});
afterAll(async () => {
  await gateway.close();
  await rm(folder, { recursive: true });
});

interface Row {
  readonly id: string;
}

interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly accountId: string;
  readonly fetch?: typeof fetch;
}

/** The exports that all programs have in common. */
interface Program {
  readonly statement: (asked: Asked) => Promise<readonly Row[]> | AsyncIterable<Row>;
}

const programs: [string, () => Promise<Program>][] = [
  ['fetch', () => load('fetch')],
  ['Apollo Client', () => load('Apollo Client')],
  ['urql', () => load('urql')],
  ['Relay', loadRelay],
];

describe.each(programs)('the program with %s', (_name, loadProgram) => {
  test('returns each of 300 transactions once and in order while 50 more arrive', async () => {
    const { statement } = await loadProgram();
    const { bank } = gateway;
    bank.reset();
    const existing = bank.setStatement(accountId, 300);
    // The first slice takes three reads. After these, rows arrive both between two slices and between two reads of one
    // slice.
    bank.onStatementRead({ accountId, arrivals: 10, skip: 3, times: 3, timing: 'before' });
    bank.onStatementRead({ accountId, arrivals: 10, skip: 3, times: 2, timing: 'after' });
    await using recorder = await startRecorder(gateway);
    const headers = await callerHeaders(bank);

    const shown = await shownIds(statement({ url: recorder.url, headers, accountId }));

    expect(bank.statement(accountId)).toHaveLength(350);
    expect(recorder.answers.flatMap(idsOf)).toEqual(existing);
    expect(recorder.answers).toHaveLength(5);
    expect(shown).toEqual(existing);
  });
});

test.each(programs)(
  'the program with %s throws the error of a failed statement',
  async (_name, loadProgram) => {
    const { statement } = await loadProgram();
    const { bank } = gateway;
    bank.reset();
    const headers = await callerHeaders(bank);
    bank.addFault({ kind: 'status', status: 500 });
    const asked = { url: `${gateway.url}/graphql`, headers, accountId };
    await expect(async () => shownIds(statement(asked))).rejects.toThrow('cannot be reached');
  },
);

test.each(programs)(
  'the program with %s goes on with a new token after its token has expired',
  async (_name, loadProgram) => {
    const [{ statement }, refreshing] = await Promise.all([loadProgram(), loadRefreshing()]);
    const { bank } = gateway;
    bank.reset();
    const existing = bank.setStatement(accountId, 300);
    const { authorization, ...headers } = await callerHeaders(bank);
    let refreshes = 0;
    const refreshed = refreshing.createFetch({
      token: await expiredToken(),
      refresh: () => {
        refreshes += 1;
        return Promise.resolve(authorization.replace('Bearer ', ''));
      },
    });
    const asked = { url: `${gateway.url}/graphql`, headers, accountId, fetch: refreshed };
    expect(await shownIds(statement(asked))).toEqual(existing);
    expect(refreshes).toBe(1);
  },
);

test('requests that meet an expired token at the same time share one refresh', async () => {
  const { createFetch } = await loadRefreshing();
  const { bank } = gateway;
  const { authorization, ...headers } = await callerHeaders(bank);
  const refreshed = Promise.withResolvers<string>();
  let refreshes = 0;
  const send = createFetch({
    token: await expiredToken(),
    refresh: () => {
      refreshes += 1;
      return refreshed.promise;
    },
  });
  const body = JSON.stringify({ query: '{ accounts { id } }' });
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  };
  const answers = Promise.all([1, 2, 3].map(() => send(`${gateway.url}/graphql`, init)));
  await expect.poll(() => refreshes).toBe(1);
  refreshed.resolve(authorization.replace('Bearer ', ''));
  expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(refreshes).toBe(1);
});

test('the program with fetch returns each transaction once, in spite of an expired cursor and an unsettled statement', async () => {
  const { statement } = await load('fetch');
  const { bank } = gateway;
  bank.reset();
  const existing = bank.setStatement(accountId, 300);
  const codes = [null, 'STATEMENT_UNSETTLED', null, 'CURSOR_EXPIRED'];
  const failing: typeof fetch = (input, init) => {
    const code = codes.shift() ?? null;
    const errors = [{ message: '', path: ['transactions'], extensions: { code } }];
    return code === null
      ? fetch(input, init)
      : Promise.resolve(Response.json({ data: { transactions: null }, errors }));
  };
  const headers = await callerHeaders(bank);
  const asked = { url: `${gateway.url}/graphql`, headers, accountId, fetch: failing };
  expect(await shownIds(statement(asked))).toEqual(existing);
  expect(codes).toEqual([]);
});

/** The programs with a list that grows at both ends: how to load them, and the function that creates their cache. */
const lists: [string, () => Promise<ListProgram>, 'createClient' | 'createEnvironment'][] = [
  ['Apollo Client', () => load('Apollo Client'), 'createClient'],
  ['urql', () => load('urql'), 'createClient'],
  ['Relay', loadRelay, 'createEnvironment'],
];

interface ListProgram extends Program {
  readonly createClient?: CreateCache;
  readonly createEnvironment?: CreateCache;
  openStatement(cache: unknown, accountId: string): Promise<List>;
}

type CreateCache = (asked: Omit<Asked, 'accountId'>) => unknown;

interface List {
  rows(): readonly Row[];
  newer(): Promise<unknown>;
  older(): Promise<unknown>;
  close?(): void;
}

describe.each(lists)('the list of the program with %s', (_name, loadProgram, createCache) => {
  /** Opens the program's list of a statement with this number of transactions. */
  async function openStatement(count: number): Promise<List> {
    const program = await loadProgram();
    const { bank } = gateway;
    bank.reset();
    bank.setStatement(accountId, count);
    const headers = await callerHeaders(bank);
    const cache = program[createCache]?.({ url: `${gateway.url}/graphql`, headers });
    return program.openStatement(cache, accountId);
  }

  /** The ids of the newest transactions in the bank. */
  const newest = (count: number) =>
    gateway.bank
      .statement(accountId)
      .slice(0, count)
      .map(({ id }) => id);

  const idsIn = (list: List) => list.rows().map(({ id }) => id);

  test('prepends new transactions', async () => {
    const list = await openStatement(300);
    await list.older();
    gateway.bank.arrive(accountId, 50);
    await list.newer();
    list.close?.();
    expect(idsIn(list)).toEqual(newest(170));
  });

  test('prepends transactions that arrive after there was nothing new', async () => {
    const list = await openStatement(300);
    await list.newer();
    gateway.bank.arrive(accountId, 5);
    await list.newer();
    list.close?.();
    expect(idsIn(list)).toEqual(newest(65));
  });

  test('has the first transactions of a statement that was empty', async () => {
    const list = await openStatement(0);
    gateway.bank.arrive(accountId, 5);
    await list.newer();
    list.close?.();
    expect(newest(10)).toHaveLength(5);
    expect(idsIn(list)).toEqual(newest(5));
  });

  test('is unchanged if a further slice fails, and continues when this slice is read again', async () => {
    const list = await openStatement(300);
    gateway.bank.addFault({ kind: 'status', status: 500 });
    await expect(list.older()).rejects.toThrow('cannot be reached');
    await expect(list.newer()).rejects.toThrow('cannot be reached');
    expect(idsIn(list)).toEqual(newest(60));
    gateway.bank.clearFaults();
    await list.older();
    list.close?.();
    expect(idsIn(list)).toEqual(newest(120));
  });
});

test.each([
  [
    'Query.transactions',
    'query ($id: ID!, $after: String, $before: String, $first: Int, $last: Int) { transactions(accountId: $id, PAGE) { ...Page } }',
  ],
  [
    'Account.transactions',
    'query ($id: ID!, $after: String, $before: String, $first: Int, $last: Int) { account(id: $id) { id transactions(PAGE) { ...Page } } }',
  ],
])(
  'the cache of the program with urql keeps %s in order, with new transactions at the front',
  async (_field, text) => {
    const program = (await load('urql')) as Program & {
      createClient(asked: Omit<Asked, 'accountId'>): {
        query(text: string, variables: object): { toPromise(): Promise<{ data: Shown }> };
      };
    };
    const page = 'first: $first, after: $after, last: $last, before: $before';
    const document = `${text.replace('PAGE', page)} fragment Page on TransactionConnection {
    edges { cursor node { id } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
  }`;
    const { bank } = gateway;
    bank.reset();
    bank.setStatement(accountId, 300);
    const headers = await callerHeaders(bank);
    const client = program.createClient({ url: `${gateway.url}/graphql`, headers });
    const read = async (slice: object) => {
      const { data } = await client.query(document, { id: accountId, ...slice }).toPromise();
      return data.transactions ?? data.account?.transactions ?? expect.unreachable();
    };
    const newest = await read({ first: 20 });
    const two = await read({ first: 20, after: newest.pageInfo.endCursor });
    bank.arrive(accountId, 3);
    const all = await read({ last: 100, before: two.pageInfo.startCursor });
    const wanted = bank.statement(accountId).slice(0, 43);
    expect(all.edges.map(({ node }) => node.id)).toEqual(wanted.map(({ id }) => id));
  },
);

interface Slice {
  readonly edges: readonly { readonly node: Row }[];
  readonly pageInfo: { readonly startCursor: string; readonly endCursor: string };
}

interface Shown {
  readonly transactions?: Slice;
  readonly account?: { readonly transactions: Slice };
}

describe('Relay', () => {
  const slice = (headers: Asked['headers']) => ({
    url: `${gateway.url}/graphql`,
    headers,
    accountId,
  });

  test('throws if a statement fails, and returns the other rows if one row fails', async () => {
    const { statement } = await loadRelay();
    const { bank } = gateway;
    bank.reset();
    const ids = bank.setStatement(accountId, 30);
    const headers = await callerHeaders(bank);
    bank.addFault({ kind: 'wrongShape', pointer: '/data/1/id', raw: '7' });
    const [first, , third] = ids;
    const shown = await shownIds(statement(slice(headers)));
    expect(shown.slice(0, 2)).toEqual([first, third]);
    bank.clearFaults();
    bank.addFault({ kind: 'status', status: 500 });
    await expect(shownIds(statement(slice(headers)))).rejects.toThrow('cannot be reached');
  });

  test('generates a non-null type for a field that is marked as non-null, unless the query catches the error of the field', async () => {
    const { types } = await loadRelayQuery();
    expect(types.replace(/\s+/g, ' ')).toContain(
      `export type clientsNewestQuery$data = {
        readonly accounts: Result<ReadonlyArray<{
          readonly balance: string | null | undefined;
        }> | null | undefined, unknown>;
        readonly transactions: {
          readonly edges: ReadonlyArray<{
            readonly node: { readonly signedAmount: string | null | undefined; } | null | undefined;
          }>;
          readonly totalCount: number;
        };
      };`.replace(/\s+/g, ' '),
    );
  });
});

async function expiredToken(): Promise<string> {
  const { authorization } = await callerHeaders(gateway.bank, undefined, { exp: 1 });
  return authorization.replace('Bearer ', '');
}

async function shownIds(rows: ReturnType<Program['statement']>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of await rows) ids.push(id);
  return ids;
}

/** The ids of the transactions in an answer of the gateway. */
function idsOf(answer: unknown): string[] {
  const { data } = answer as { data: { transactions: { edges: { node: Row }[] } } };
  return data.transactions.edges.map(({ node }) => node.id);
}

/** The last code block in a language below a heading of docs/clients.md; throws if there is none. */
async function blockOf(heading: string, language: string): Promise<string> {
  const page = await readFile(new URL('docs/clients.md', root), 'utf8');
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  const text = [...own.matchAll(RegExp(`\`\`\`${language}\\n([^]+?)\`\`\``, 'g'))].at(-1)?.[1];
  if (text === undefined) throw new Error(`docs/clients.md has no ${language} below ${heading}`);
  return text;
}

async function load(heading: string): Promise<ListProgram> {
  return (await importBlock(heading)) as ListProgram;
}

interface Refreshing {
  readonly createFetch: (options: {
    readonly token: string;
    readonly refresh: () => Promise<string>;
  }) => typeof fetch;
}

async function loadRefreshing(): Promise<Refreshing> {
  return (await importBlock('Sign in')) as Refreshing;
}

async function importBlock(heading: string): Promise<unknown> {
  const file = new URL(`${heading.toLowerCase().replaceAll(' ', '-')}.js`, folder);
  await writeFile(file, await blockOf(heading, 'js'));
  return import(file.href);
}

/**
 * Loads the program as a build does: relay-compiler generates the artifacts, and Relay's Babel plugin imports them for
 * each `graphql` tag.
 */
async function loadRelay(): Promise<ListProgram> {
  const source = await blockOf('Relay', 'js');
  const config = await blockOf('Relay', 'json');
  const schema = await readFile(new URL('schema/client.graphql', root));
  const file = new URL('clients.js', folder);
  await Promise.all([
    writeFile(new URL('schema.graphql', folder), schema),
    writeFile(new URL('relay.config.json', folder), config),
    writeFile(file, source),
  ]);
  await compileRelay(folder);
  const compiled = await transformAsync(source, {
    filename: file.pathname,
    configFile: false,
    plugins: [['relay', { eagerEsModules: true }]],
  });
  await writeFile(file, compiled?.code ?? '');
  return (await import(file.href)) as ListProgram;
}

/** The TypeScript that Relay's compiler generates for the query that throws on errors. */
async function loadRelayQuery(): Promise<{ readonly types: string }> {
  const own = new URL('relay-query/', folder);
  await mkdir(own, { recursive: true });
  const config = JSON.parse(await blockOf('Relay', 'json')) as Readonly<Record<string, unknown>>;
  await Promise.all([
    copyFile(new URL('schema/client.graphql', root), new URL('schema.graphql', own)),
    writeFile(
      new URL('relay.config.json', own),
      JSON.stringify({ ...config, language: 'typescript' }),
    ),
    writeFile(new URL('clients.ts', own), `graphql\`${await blockOf('Relay', 'relay')}\`;`),
  ]);
  await compileRelay(own);
  const artifact = new URL('__generated__/clientsNewestQuery.graphql.ts', own);
  return { types: await readFile(artifact, 'utf8') };
}

async function compileRelay(at: URL): Promise<void> {
  const compiler = new URL('node_modules/.bin/relay-compiler', root);
  await promisify(execFile)(compiler.pathname, ['relay.config.json'], { cwd: at });
}
