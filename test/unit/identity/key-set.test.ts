// When a key set is read and how long it is trusted, tested with a real key server and a clock that the test sets.
import { inspect } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createKeySet } from '../../../src/identity/key-set.ts';
import { createTokenVerifier } from '../../../src/identity/token.ts';
import { type KeyServer, startKeyServer } from '../../support/key-server.ts';
import { createSigner, signToken } from '../../support/tokens.ts';

const [one, two] = [createSigner('ES256', 'one'), createSigner('ES256', 'two')];

async function setUp() {
  const keyServer: KeyServer = await startKeyServer(one);
  onTestFinished(() => keyServer[Symbol.asyncDispose]());
  const clock = { nowMs: 0 };
  const onFailure = vi.fn();
  const read = createTokenVerifier({
    keys: createKeySet({
      usesProxy: false,
      url: keyServer.url,
      now: () => clock.nowMs,
      algorithms: ['ES256'],
      onFailure,
      onUnusable: () => undefined,
    }),
    ...{ jwtIssuer: null, jwtAudience: null, jwtAlgorithms: ['ES256'], now: () => 0 },
  });
  /** The outcome for a token that this key has signed. */
  const outcomeOf = async (kid: 'one' | 'two', header: { kid?: string | undefined } = {}) => {
    try {
      await read(signToken(kid === 'one' ? one : two, { exp: 1 }, header));
      return 'found';
    } catch (error) {
      return (error as { code?: string }).code;
    }
  };
  return { keyServer, clock, onFailure, outcomeOf };
}

const unknown = 'UNAUTHENTICATED';

test('a key set is read once for many concurrent lookups, and not before the first lookup', async () => {
  const { keyServer, outcomeOf } = await setUp();
  expect(keyServer.reads).toHaveLength(0);
  const all = Array.from({ length: 20 }, () => outcomeOf('one'));
  expect(new Set(await Promise.all(all))).toEqual(new Set(['found']));
  expect(keyServer.reads).toHaveLength(1);
});

test('a key set is read again for an unknown key, at most once every three seconds', async () => {
  const { keyServer, clock, outcomeOf } = await setUp();
  expect(await outcomeOf('two')).toBe(unknown);
  keyServer.keys = [one, two];
  clock.nowMs = 2999;
  expect(await outcomeOf('two')).toBe(unknown);
  expect(keyServer.reads).toHaveLength(1);
  clock.nowMs = 3000;
  expect(await outcomeOf('two')).toBe('found');
  expect(keyServer.reads).toHaveLength(2);
});

test.each([undefined, 'shared'])(
  'a key set is read again for a key that replaces one with the same kid: %s',
  async (kid) => {
    const { keyServer, clock, outcomeOf } = await setUp();
    const jwkOf = ({ jwk }: typeof one) => ({ ...jwk, kid });
    keyServer.answer = (response) => response.end(JSON.stringify({ keys: [jwkOf(one)] }));
    expect(await outcomeOf('one', { kid })).toBe('found');
    keyServer.answer = (response) => response.end(JSON.stringify({ keys: [jwkOf(two)] }));
    clock.nowMs = 2999;
    expect(await outcomeOf('two', { kid })).toBe(unknown);
    clock.nowMs = 3000;
    expect(await outcomeOf('two', { kid })).toBe('found');
    expect(await outcomeOf('one', { kid })).toBe(unknown);
    expect(keyServer.reads).toHaveLength(2);
    await keyServer.goOffline();
    clock.nowMs = 6000;
    expect(await outcomeOf('one', { kid })).toBe(unknown);
  },
);

test('reads of a key set do not accumulate in the performance timeline', async () => {
  const { keyServer, clock, outcomeOf } = await setUp();
  for (let read = 0; read < 20; read++) {
    clock.nowMs += 3000;
    await outcomeOf('two');
  }
  expect(keyServer.reads).toHaveLength(20);
  // Other tests of this process may use fetch, which adds entries of its own.
  const entries = performance.getEntriesByType('resource');
  expect(entries.filter(({ name }) => name === keyServer.url)).toEqual([]);
});

test('a key set is refreshed in the background after five minutes and then lacks withdrawn keys', async () => {
  const { keyServer, clock, outcomeOf } = await setUp();
  await outcomeOf('one');
  keyServer.keys = [two];
  clock.nowMs = 299_999;
  expect(await outcomeOf('one')).toBe('found');
  expect(keyServer.reads).toHaveLength(1);
  clock.nowMs = 300_000;
  expect(await outcomeOf('one')).toBe('found');
  await vi.waitFor(async () => expect(await outcomeOf('one')).toBe(unknown));
  expect(keyServer.reads).toHaveLength(2);
});

test('the known keys stay in use for a day while the key set cannot be read', async () => {
  const { keyServer, clock, onFailure, outcomeOf } = await setUp();
  await outcomeOf('one');
  await keyServer.goOffline();
  clock.nowMs = 3000;
  expect(await outcomeOf('two')).toBe('UPSTREAM_UNAVAILABLE');
  expect(onFailure).toHaveBeenCalledTimes(1);
  clock.nowMs = 86_399_999;
  expect(await outcomeOf('one')).toBe('found');
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledTimes(2));
  clock.nowMs = 86_400_000;
  expect(await outcomeOf('one')).toBe('UPSTREAM_UNAVAILABLE');
  await keyServer.goOnline();
  clock.nowMs += 3000;
  expect(await outcomeOf('one')).toBe('found');
});

test('the report of a key set that cannot be read does not quote the answer', async () => {
  const { keyServer, onFailure, outcomeOf } = await setUp();
  keyServer.answer = (response) => response.end('{"marked');
  expect(await outcomeOf('one')).toBe('UPSTREAM_UNAVAILABLE');
  expect(String(onFailure.mock.calls[0]?.[0])).toBe('Error: it is not JSON');
});

test('the report of a key set whose answer is not HTTP has no bytes of the answer', async () => {
  const { keyServer, onFailure, outcomeOf } = await setUp();
  keyServer.answer = ({ socket }) => socket?.end('marked, not HTTP');
  expect(await outcomeOf('one')).toBe('UPSTREAM_UNAVAILABLE');
  expect(inspect(onFailure.mock.calls[0]?.[0], { depth: null })).not.toContain('marked');
});
