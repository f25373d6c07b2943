// Documents requested by id in each client's format: documentId, Apollo's extension, and the manifests of client tools.
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { generate } from '@graphql-codegen/cli';
import { Client, createRequest, fetchExchange, makeOperation } from '@urql/core';
import { type DocumentNode, Kind } from 'graphql';
import {
  type ConcreteRequest,
  Environment,
  fetchQuery,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { byId, listed, manifestOf, newFolder, put, sha256 } from '../support/manifest.ts';
import { type Answer, ask, callerHeaders, codesOf, post } from '../support/query.ts';

const text = 'query Profile { me { __typename } accounts { id } }';
const id = sha256(text);
const custom = 'app-7-profile';

async function send(gateway: TestGateway, body: object): Promise<Answer> {
  return post(gateway, JSON.stringify(body), { headers: await callerHeaders(gateway.bank) });
}

async function get(gateway: TestGateway, parameters: Record<string, string>): Promise<Answer> {
  const search = new URLSearchParams(parameters);
  return ask(`${gateway.url}/graphql?${search.toString()}`, {
    headers: await callerHeaders(gateway.bank),
  });
}

describe('a documentId', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const path = put(newFolder(), manifestOf(listed('Profile', text), listed('A', text, custom)));
    gateway = await startTestGateway({ OPERATIONS_MANIFEST: path });
  });
  afterAll(() => gateway.close());

  test.each([`sha256:${id}`, id, custom])(
    'of the form %s selects its document over POST and GET, the first time and later',
    async (documentId) => {
      for (const answer of [
        await send(gateway, { documentId }),
        await get(gateway, { documentId }),
        await send(gateway, { documentId }),
        await get(gateway, { documentId }),
      ]) {
        expect(answer.errors).toBeUndefined();
        expect(answer.data).toMatchObject({ me: { __typename: 'Person' } });
      }
    },
  );

  test('with a sha256: prefix selects the same document as the hash in the extension', async () => {
    const answer = await send(gateway, { documentId: `sha256:${id}`, extensions: byId(id) });
    expect(answer.errors).toBeUndefined();
  });

  test.each(['sha256:' + '0'.repeat(64), 'sha256:short', 'nobody-knows', 'x-app:1', text])(
    'that is unknown (%s) fails with PERSISTED_QUERY_NOT_FOUND and status 200',
    async (documentId) => {
      for (const answer of [
        await send(gateway, { documentId }),
        await get(gateway, { documentId }),
      ]) {
        expect([answer.status, ...codesOf(answer)]).toEqual([200, 'PERSISTED_QUERY_NOT_FOUND']);
      }
    },
  );

  test.each([
    ['a number', { documentId: 7 }],
    ['different from the hash in the extension', { documentId: id, extensions: byId(sha256('x')) }],
    ['not the hash of the text', { documentId: `sha256:${id}`, query: '{ __typename }' }],
  ])('that is %s fails with BAD_REQUEST', async (_what, body) => {
    const answer = await send(gateway, body);
    expect([answer.status, ...codesOf(answer)]).toEqual([400, 'BAD_REQUEST']);
  });

  test('with the text of its document registers the document', async () => {
    const other = '{ accounts { bank } }';
    const documentId = `sha256:${sha256(other)}`;
    expect(codesOf(await send(gateway, { documentId }))).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
    expect((await send(gateway, { documentId, query: other })).errors).toBeUndefined();
    expect((await get(gateway, { documentId })).data).toHaveProperty('accounts');
  });
});

test('an unknown documentId fails with PERSISTED_QUERY_REQUIRED if OPERATIONS_ONLY is on', async () => {
  const path = put(newFolder(), JSON.stringify({ [custom]: text }));
  await using gateway = await startTestGateway({
    OPERATIONS_MANIFEST: path,
    OPERATIONS_ONLY: 'on',
  });
  expect((await send(gateway, { documentId: custom })).data).toHaveProperty('accounts');
  const answer = await send(gateway, { documentId: `sha256:${sha256('{ __typename }')}` });
  expect([answer.status, ...codesOf(answer)]).toEqual([400, 'PERSISTED_QUERY_REQUIRED']);
});

describe('a manifest', () => {
  const root = new URL('../../', import.meta.url);
  const folder = new URL(`.cache/persisted-${process.pid}/`, root);
  beforeAll(() => mkdir(folder, { recursive: true }));
  afterAll(() => rm(folder, { recursive: true }));

  test('of the Relay compiler is read, and relay-runtime gets answers for its ids', async () => {
    const config = {
      src: '.',
      schema: './schema.graphql',
      language: 'javascript',
      eagerEsModules: true,
      persistConfig: { file: './persisted.json', algorithm: 'SHA256' },
    };
    await Promise.all([
      writeFile(new URL('schema.graphql', folder), await readFile('schema/client.graphql')),
      writeFile(new URL('relay.config.json', folder), JSON.stringify(config)),
      writeFile(new URL('app.js', folder), 'graphql`query appQuery { me { __typename } }`;'),
      writeFile(new URL('persisted.json', folder), '{}'),
    ]);
    const compiler = new URL('node_modules/.bin/relay-compiler', root).pathname;
    await promisify(execFile)(compiler, ['relay.config.json'], { cwd: folder });
    await using gateway = await startTestGateway(onlyOf(new URL('persisted.json', folder)));
    const network = Network.create(async ({ id: documentId }, variables) => {
      const answer = await send(gateway, { documentId, variables });
      return JSON.parse(answer.text) as { data: Record<string, unknown> };
    });
    const environment = new Environment({ network, store: new Store(new RecordSource()) });
    const artifact = new URL('__generated__/appQuery.graphql.js', folder);
    const query = (await import(artifact.href)) as { readonly default: ConcreteRequest };
    const data = await fetchQuery(environment, query.default, {}).toPromise();
    expect(data).toEqual({ me: { __typename: 'Person' } });
  });

  test("of graphql-codegen's client preset is read, and urql gets answers for its ids", async () => {
    const out = new URL('gql/', folder).pathname;
    await generate(
      {
        schema: 'schema/client.graphql',
        documents: ['examples/operations/profile.graphql'],
        generates: {
          [out]: { preset: 'client', presetConfig: { persistedDocuments: true } },
        },
        silent: true,
      },
      true,
    );
    const file = new URL('gql/persisted-documents.json', folder);
    const [documentId = ''] = Object.keys(JSON.parse(await readFile(file, 'utf8')) as object);
    expect(documentId).toMatch(/^sha256:[\da-f]{64}$/);
    await using gateway = await startTestGateway(onlyOf(file));
    const client = new Client({
      url: `${gateway.url}/graphql`,
      exchanges: [fetchExchange],
      preferGetMethod: false,
      fetchOptions: { headers: await callerHeaders(gateway.bank) },
    });
    // A production build contains only the ids of documents, so the document is empty here.
    const request = createRequest<unknown>({ ...emptyDocument, documentId } as DocumentNode, {});
    const operation = makeOperation(
      'query',
      request,
      client.createRequestOperation('teardown', request).context,
    );
    const { data, error } = await client.executeRequestOperation(operation).toPromise();
    expect(error).toBeUndefined();
    expect(data).toHaveProperty('accounts');
  });
});

const emptyDocument = { kind: Kind.DOCUMENT, definitions: [] } as const;

function onlyOf(file: URL): Record<string, string> {
  return { OPERATIONS_MANIFEST: file.pathname, OPERATIONS_ONLY: 'on' };
}
