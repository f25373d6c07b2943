// Whatever Redis sends, and whenever: commands fail at most, nothing is thrown, little memory is used, and Redis is used
// again once it replies properly.
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { SharedRedis } from '../../src/shared-store/shared-redis.ts';
import { type FakeRedis, properReply, startFakeRedis } from '../support/fake-redis.ts';
import { retainedBytes } from '../support/memory.ts';
import { holds } from '../support/properties.ts';
import { runs } from '../support/runs.ts';

const text = fc.string({ unit: 'binary', maxLength: 12 });
const number = fc.oneof(
  fc.integer({ min: -2, max: 3 }),
  fc.constantFrom(131_072, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53, 1e21),
);

/** Values of RESP2 and RESP3, of all types, with right and wrong lengths. */
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc
      .tuple(fc.constantFrom('+', '-', ':', ',', '(', '#', '_'), text)
      .map(([type, rest]) => `${type}${rest}\r\n`),
    number.map((one) => `:${one}\r\n`),
    fc
      .tuple(fc.constantFrom('$', '!', '='), text)
      .map(([type, rest]) => `${type}${rest.length}\r\n${rest}\r\n`),
    fc
      .tuple(fc.constantFrom('$', '*', '>', '%', '~', '|'), number)
      .map(([type, length]) => `${type}${length}\r\n`),
    fc
      .tuple(fc.constantFrom('*', '>', '%', '~', '|'), fc.array(tie('value'), { maxLength: 4 }))
      .map(([type, items]) => `${type}${items.length}\r\n${items.join('')}`),
  ),
}));

const bytes = fc
  .tuple(
    fc.oneof(
      fc.array(value, { maxLength: 6 }).map((all) => all.join('')),
      text,
    ),
    fc.nat({ max: 40 }),
  )
  .map(([all, cut]) => (cut > 20 ? all : all.slice(0, cut)));

/** What the server does when a command arrives: replies properly, sends bytes (in two parts), closes, or nothing. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'reply' } as const) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('send' as const), bytes, after: bytes }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'close' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'silence' } as const) },
);
const cases = fc.record({
  steps: fc.array(step, { maxLength: 12 }),
  unasked: fc.array(bytes, { maxLength: 3 }),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

const log = { warn: () => undefined, info: () => undefined };

function play(server: FakeRedis, steps: Case['steps']): void {
  const left = [...steps];
  server.onCommand = (name, socket) => {
    const next = left.shift() ?? { kind: 'reply' };
    if (next.kind === 'reply') socket.write(properReply(name));
    else if (next.kind === 'close') socket.end();
    else if (next.kind === 'send') {
      socket.write(next.bytes, 'latin1');
      setImmediate(() => socket.write(next.after, 'latin1'));
    }
  };
}

test('no bytes from Redis at any moment make the client throw, and it recovers', async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => void uncaught.push(error);
  process.on('uncaughtException', note);
  const before = retainedBytes();
  await holds(
    cases,
    async ({ steps, unasked }) => {
      await using server = await startFakeRedis();
      play(server, steps);
      const redis = new SharedRedis(server.url, log, () => undefined);
      for (const sent of unasked) {
        const asked = Promise.all([
          redis.ask(['GET', 'a']),
          redis.ask(['EVAL', '', '1', 'b', '60']),
        ]);
        server.sockets.at(-1)?.write(sent, 'latin1');
        await asked;
        await sleep(1);
      }
      server.onCommand = (name, socket) => void socket.write(properReply(name));
      await vi.waitFor(() => expect(redis.isAway).toBe(false), { timeout: 10_000, interval: 5 });
      redis.close();
      expect(uncaught).toEqual([]);
    },
    Math.ceil(runs / 4),
  );
  expect(retainedBytes() - before).toBeLessThan(32 * 1024 * 1024);
  process.off('uncaughtException', note);
});
