// Key sets that are unavailable, slow, huge, invalid or changing, and tokens with unknown keys.
import { getIntrospectionQuery } from 'graphql';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { boundMemory } from '../support/attack.ts';
import { bankOfFile } from '../support/fixtures.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  answerKeySet,
  type KeyAnswer,
  type KeyServer,
  startKeyServer,
} from '../support/key-server.ts';
import { type Answer, codesOf, firstHolder, post } from '../support/query.ts';
import { createSigner, type Signer, signToken } from '../support/tokens.ts';

boundMemory();

const [signer, newcomer, stranger] = ['old', 'new', 'unknown'].map((kid) =>
  createSigner('ES256', kid),
) as [Signer, Signer, Signer];
const rsa = createSigner('RS256');

const bank = await bankOfFile();

interface Site extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly keyServer: KeyServer;
}

/** Starts a gateway with its own key server. */
async function start(answer: KeyAnswer = answerKeySet): Promise<Site> {
  const keyServer = await startKeyServer(signer);
  keyServer.answer = answer;
  const gateway = await startTestGateway({ JWT_JWKS_URL: keyServer.url }, { bank });
  const close = async () => {
    await gateway.close();
    await keyServer[Symbol.asyncDispose]();
  };
  return { gateway, keyServer, [Symbol.asyncDispose]: close };
}

let tokens = 0;

/** Signs a new token at each call, so that no cached result is used. */
function tokenOf(one: Signer, kid = one.kid): string {
  const { id, tenant, kind } = firstHolder(bank);
  const exp = Math.floor(Date.now() / 1000) + 600;
  return signToken(one, { sub: id, tenant, entityType: kind, exp, jti: String(tokens++) }, { kid });
}

function ask(gateway: TestGateway, token: string, accept = 'application/json'): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': 'aurora', accept };
  return post(gateway, JSON.stringify({ query: '{ accounts { id } }' }), { headers });
}

const outcomeOf = (answer: Answer) => [answer.status, codesOf(answer)];
const letIn = [200, []];
const unknownKey = [401, ['UNAUTHENTICATED']];
const unavailable = [503, ['UPSTREAM_UNAVAILABLE']];

/** Sends tokens until one is accepted, for at most 15 seconds; returns the time taken in ms. */
async function untilLetIn(gateway: TestGateway, one: Signer): Promise<number> {
  const startedAt = performance.now();
  const isLetIn = async () => expect(outcomeOf(await ask(gateway, tokenOf(one)))).toEqual(letIn);
  await vi.waitFor(isLetIn, { timeout: 15_000, interval: 50 });
  return performance.now() - startedAt;
}

/** Expects that the gateway still answers requests that need no caller. */
async function expectSchema(gateway: TestGateway): Promise<void> {
  for (const document of ['{ __typename }', getIntrospectionQuery()]) {
    const answer = await post(gateway, JSON.stringify({ query: document }));
    expect(outcomeOf(answer)).toEqual(letIn);
  }
}

const keep: KeyAnswer = () => undefined;
const drip: KeyAnswer = (response) => {
  const timer = setInterval(() => response.write(' '), 20);
  response.writeHead(200).once('close', () => clearInterval(timer));
};
const huge =
  (bytes: number): KeyAnswer =>
  (response, keySet) => {
    response.writeHead(200).end(keySet.replace('{', `{"filler":"${'x'.repeat(bytes)}",`));
  };

describe('an unusable answer of the key server', () => {
  test.each<[string, KeyAnswer]>([
    ['status 500', (response) => response.writeHead(500).end()],
    ['status 404 with the key set', (response, keySet) => response.writeHead(404).end(keySet)],
    ['status 204', (response) => response.writeHead(204).end()],
    ['a redirect', (response) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['an HTML page', (response) => response.writeHead(200).end('<!doctype html>')],
    ['an empty body', (response) => response.writeHead(200).end()],
    ['half of the key set', (response, keySet) => response.writeHead(200).end(keySet.slice(0, 40))],
    ['an array', (response) => response.writeHead(200).end('[]')],
    ['keys that are not an array', (response) => response.writeHead(200).end('{"keys":{}}')],
    ['keys that are not objects', (response) => response.writeHead(200).end('{"keys":[1]}')],
    ['nested brackets', (response) => response.writeHead(200).end('['.repeat(200_000))],
    ['1 MiB', huge(1_048_576)],
    [
      '1 MiB, compressed',
      (response) => {
        const body = gzipSync(`{"keys":[],"x":"${'x'.repeat(1_048_576)}"}`);
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
      },
    ],
    [
      'a connection that breaks',
      (response) => response.writeHead(200).write('{"keys"', () => response.destroy()),
    ],
    ['no response', (response) => response.destroy()],
  ])(
    'causes UPSTREAM_UNAVAILABLE for every token if no key set has been read: %s',
    async (_name, answer) => {
      await using site = await start(answer);
      const { gateway, keyServer } = site;
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        const refused = await ask(gateway, tokenOf(signer), accept);
        expect(outcomeOf(refused)).toEqual(unavailable);
        expect(refused.text).not.toMatch(/127\.0\.0\.1|jwks/);
      }
      await expectSchema(gateway);
      expect(gateway.log.filter(({ level }) => level === 'warn')).toHaveLength(
        keyServer.reads.length,
      );
    },
  );
});

test('only the public signing keys of a key set are used', async () => {
  await using site = await start();
  const { gateway, keyServer } = site;
  const privateJwk = {
    ...rsa.privateKey.export({ format: 'jwk' }),
    kid: 'private',
    alg: 'RS256',
  };
  keyServer.keys = [
    signer,
    { jwk: { kty: 'oct', k: 'c2VjcmV0', kid: 'secret', alg: 'HS256' } },
    { jwk: privateJwk },
    { jwk: { ...rsa.jwk, kid: 'encrypts', use: 'enc' } },
    { jwk: { ...rsa.jwk, kid: 'wraps', key_ops: ['wrapKey'] } },
    { jwk: { ...rsa.jwk, kid: 'broken', n: '!' } },
    { jwk: { kty: 'RSA', kid: 'empty' } },
  ];
  for (const kid of ['secret', 'private', 'encrypts', 'wraps', 'broken', 'empty']) {
    const { status } = await ask(gateway, tokenOf(rsa, kid));
    expect([kid, status >= 400]).toEqual([kid, true]);
  }
  expect(outcomeOf(await ask(gateway, tokenOf(signer)))).toEqual(letIn);
});

test('the credentials in JWT_JWKS_URL are sent as a header, and appear neither in the path nor in the log', async () => {
  await using keyServer: KeyServer = await startKeyServer(signer);
  const url = keyServer.url.replace('//', '//reader:p%40ss@');
  await using gateway = await startTestGateway({ JWT_JWKS_URL: url, LOG_LEVEL: 'trace' }, { bank });
  expect(outcomeOf(await ask(gateway, tokenOf(signer)))).toEqual(letIn);
  const [read] = keyServer.reads;
  expect(read?.headers.authorization).toBe(
    `Basic ${Buffer.from('reader:p@ss').toString('base64')}`,
  );
  expect(read?.url).toBe('/jwks');
  await keyServer.goOffline();
  await ask(gateway, tokenOf(stranger));
  expect(JSON.stringify(gateway.log)).not.toMatch(/reader|p%40ss|p@ss/);
});

test.concurrent(
  'no token is accepted before the first successful read of the key set',
  async () => {
    await using site = await start();
    const { gateway, keyServer } = site;
    await keyServer.goOffline();
    expect(outcomeOf(await ask(gateway, tokenOf(signer)))).toEqual(unavailable);
    await expectSchema(gateway);
    keyServer.answer = (response) => response.writeHead(500).end();
    await keyServer.goOnline();
    const isRead = async () => {
      expect(outcomeOf(await ask(gateway, tokenOf(signer)))).toEqual(unavailable);
      expect(keyServer.reads).toHaveLength(1);
    };
    await vi.waitFor(isRead, { timeout: 10_000, interval: 50 });
    keyServer.answer = answerKeySet;
    await untilLetIn(gateway, signer);
  },
);

test.concurrent('an unavailable key set is requested at most once in three seconds', async () => {
  await using site = await start((response) => response.writeHead(503).end());
  const { gateway, keyServer } = site;
  const startedAt = performance.now();
  for (let i = 0; i < 100; i++) {
    expect(outcomeOf(await ask(gateway, tokenOf(signer)))).toEqual(unavailable);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  expect(keyServer.reads.length).toBeLessThanOrEqual(1 + seconds / 3);
});

test.concurrent(
  'a slow key set is read once for all requests that need it, and delays no others',
  async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    await using site = await start((response, keySet) => {
      void released.then(() => answerKeySet(response, keySet));
    });
    const { gateway, keyServer } = site;
    const waiting = Array.from({ length: 50 }, () => ask(gateway, tokenOf(signer)));
    const waited = Promise.race(waiting).then(() => 'a caller');
    const others = expectSchema(gateway).then(() => 'others');
    expect(await Promise.race([waited, others])).toBe('others');
    release(undefined);
    for (const answer of await Promise.all(waiting)) expect(outcomeOf(answer)).toEqual(letIn);
    expect(keyServer.reads).toHaveLength(1);
  },
);

test.concurrent.each<[string, KeyAnswer]>([
  ['a key set that never arrives', keep],
  ['a key set that arrives byte by byte', drip],
])('%s is abandoned after about 5 seconds', async (_name, answer) => {
  await using site = await start(answer);
  const { gateway } = site;
  const startedAt = performance.now();
  expect(outcomeOf(await ask(gateway, tokenOf(signer)))).toEqual(unavailable);
  const tookMs = performance.now() - startedAt;
  expect(tookMs).toBeGreaterThan(4500);
  expect(tookMs).toBeLessThan(9000);
});

test.concurrent(
  'a hanging read of the key set does not delay tokens with a known key',
  async () => {
    await using site = await start();
    const { gateway, keyServer } = site;
    await untilLetIn(gateway, signer);
    keyServer.answer = keep;
    const lost: Promise<Answer>[] = [];
    // Unknown keys are rejected without a read until three seconds have passed since the last read.
    await vi.waitFor(
      () => {
        lost.push(ask(gateway, tokenOf(stranger)));
        expect(keyServer.reads).toHaveLength(2);
      },
      { timeout: 10_000, interval: 200 },
    );
    // The last one begins when all others are answered: by then, an abandoned read would have closed its connection.
    const known = Array.from({ length: 20 }, () => ask(gateway, tokenOf(signer)));
    const answers = [...(await Promise.all(known)), await ask(gateway, tokenOf(signer))];
    expect(keyServer.reads[1]?.socket.destroyed).toBe(false);
    for (const answer of answers) expect(outcomeOf(answer)).toEqual(letIn);
    const outcomes = (await Promise.all(lost)).map(outcomeOf);
    expect(outcomes.at(-1)).toEqual(unavailable);
  },
);

test.concurrent('an endless key set is cut off', async () => {
  let sent = 0;
  await using site = await start((response) => {
    const block = 'x'.repeat(65_536);
    const more = () => {
      while (!response.destroyed) {
        sent += block.length;
        if (!response.write(block)) return;
      }
    };
    response.writeHead(200).on('drain', more);
    more();
  });
  const { gateway, keyServer } = site;
  expect(outcomeOf(await ask(gateway, tokenOf(signer)))).toEqual(unavailable);
  await vi.waitFor(() => expect(keyServer.reads[0]?.socket.destroyed).toBe(true));
  // The kernel buffers some of these bytes, and the gateway never reads them.
  expect(sent).toBeLessThan(16 * 1_048_576);
});

test.concurrent(
  'a new key is accepted within 5 seconds under load, and the old one remains valid',
  async () => {
    await using site = await start();
    const { gateway, keyServer } = site;
    await untilLetIn(gateway, signer);
    const load = startLoad(gateway);
    keyServer.keys = [newcomer, signer];
    expect(await untilLetIn(gateway, newcomer)).toBeLessThan(5000);
    // A busy machine may have sent fewer requests while the new key was read.
    const areEnough = () => expect(load.outcomes.length).toBeGreaterThan(100);
    await vi.waitFor(areEnough, { timeout: 30_000 });
    const outcomes = await load.stop();
    expect(outcomes.filter((outcome) => outcome !== '200')).toEqual([]);
  },
);

test.concurrent(
  'tokens with 400 unknown key ids cause at most three reads of the key set',
  async () => {
    await using site = await start();
    const { gateway, keyServer } = site;
    await untilLetIn(gateway, signer);
    const startedAt = performance.now();
    const asked = Array.from({ length: 400 }, (_, i) =>
      ask(gateway, tokenOf(stranger, `made-up-${i}`)),
    );
    for (const answer of await Promise.all(asked)) expect(outcomeOf(answer)).toEqual(unknownKey);
    // On a slow machine the test takes longer, and the gateway may read the key set again every three seconds.
    const seconds = (performance.now() - startedAt) / 1000;
    expect(keyServer.reads.length).toBeLessThanOrEqual(Math.max(3, 2 + seconds / 3));
    expect(outcomeOf(await ask(gateway, tokenOf(signer)))).toEqual(letIn);
  },
);

test.concurrent('known keys remain valid after the key server goes down', async () => {
  await using site = await start();
  const { gateway, keyServer } = site;
  await untilLetIn(gateway, signer);
  await keyServer.goOffline();
  const load = startLoad(gateway);
  const isUnavailable = async () =>
    expect(outcomeOf(await ask(gateway, tokenOf(newcomer)))).toEqual(unavailable);
  await vi.waitFor(isUnavailable, { timeout: 10_000, interval: 50 });
  const outcomes = await load.stop();
  expect(outcomes.filter((outcome) => outcome !== '200')).toEqual([]);
  keyServer.keys = [signer, newcomer];
  await keyServer.goOnline();
  await untilLetIn(gateway, newcomer);
});

/** Starts ten concurrent loops of requests with the old key. */
function startLoad(gateway: TestGateway) {
  const outcomes: string[] = [];
  let isOver = false;
  const askOn = async () => {
    while (!isOver) {
      const answer = await ask(gateway, tokenOf(signer));
      outcomes.push([answer.status, ...codesOf(answer)].join(' '));
    }
  };
  const asking = Array.from({ length: 10 }, askOn);
  return {
    outcomes: outcomes as readonly string[],
    async stop(): Promise<readonly string[]> {
      isOver = true;
      await Promise.all(asking);
      return outcomes;
    },
  };
}
