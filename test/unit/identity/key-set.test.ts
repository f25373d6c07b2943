// When a key set is read and how long it is trusted, tested with a real key server and a clock that the test sets.
import { expect, onTestFinished, test, vi } from 'vitest';
import { createKeySet } from '../../../src/identity/key-set.ts';
import { type KeyServer, startKeyServer } from '../../support/key-server.ts';
import { createSigner } from '../../support/tokens.ts';

const [one, two] = [createSigner('ES256', 'one'), createSigner('ES256', 'two')];

async function setUp() {
  const keyServer: KeyServer = await startKeyServer(one);
  onTestFinished(() => keyServer[Symbol.asyncDispose]());
  const clock = { nowMs: 0 };
  const onFailure = vi.fn();
  const keys = createKeySet({ url: keyServer.url, now: () => clock.nowMs, onFailure });
  const outcomeOf = async (kid: string) => {
    try {
      await keys({ alg: 'ES256', kid }, { payload: '', signature: '' });
      return 'found';
    } catch (error) {
      return (error as { code?: string }).code ?? 'failed';
    }
  };
  return { keyServer, clock, onFailure, outcomeOf };
}

const unknown = 'ERR_JWKS_NO_MATCHING_KEY';

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
  expect(await outcomeOf('two')).toBe('ECONNREFUSED');
  expect(onFailure).toHaveBeenCalledTimes(1);
  clock.nowMs = 86_399_999;
  expect(await outcomeOf('one')).toBe('found');
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledTimes(2));
  clock.nowMs += 3000;
  expect(await outcomeOf('one')).toBe('ECONNREFUSED');
  await keyServer.goOnline();
  clock.nowMs += 3000;
  expect(await outcomeOf('one')).toBe('found');
});

test('the report of a key set that cannot be read does not quote the answer', async () => {
  const { keyServer, onFailure, outcomeOf } = await setUp();
  keyServer.answer = (response) => response.end('{"marked');
  expect(await outcomeOf('one')).toBe('failed');
  expect(String(onFailure.mock.calls[0]?.[0])).toBe('Error: it is not JSON');
});
