// A gateway whose Redis sends anything: requests are answered, the process lives on, and its memory stays small.
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { startBank } from '../../src/sandbox/bank.ts';
import { pour, properReply, startFakeRedis } from '../support/fake-redis.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { query } from '../support/query.ts';

const document = '{ accounts { id } }';

/** The memory of a process that is in RAM, in MiB. */
function residentMiB(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

test('replies that nobody asked for, and replies that are none, do not end the process', async () => {
  await using bank = await startBank();
  await using redis = await startFakeRedis();
  const env = { UPSTREAM_URL: bank.url, RATE_LIMIT_PER_MINUTE: '1000', REDIS_URL: redis.url };
  const gateway = await startGatewayProcess(env);
  const unasked = [
    '$-1\r\n',
    '>-1\r\n',
    '_\r\n',
    '*1\r\n$-1\r\n',
    '*4294967295\r\n',
    '\0',
    '-ERR\r\n',
  ];
  for (const [n, bytes] of unasked.entries()) {
    const count = redis.sockets.length;
    expect(
      (await query({ url: gateway.url, bank }, document)).errors,
      `after ${n}`,
    ).toBeUndefined();
    redis.sockets.at(-1)?.write(bytes);
    await vi.waitFor(() => expect(redis.sockets.length).toBeGreaterThan(count), 10_000);
  }
  expect((await query({ url: gateway.url, bank }, document)).errors).toBeUndefined();
  expect(await gateway.end('SIGTERM')).toBe(0);
  expect(gateway.printed).not.toContain('uncaught');
});

test('a reply without end is not kept in memory while Redis is in use', async () => {
  await using bank = await startBank();
  await using redis = await startFakeRedis();
  const env = { UPSTREAM_URL: bank.url, RATE_LIMIT_PER_MINUTE: '1000', REDIS_URL: redis.url };
  await using gateway = await startGatewayProcess(env);
  const ask = () => query({ url: gateway.url, bank }, document);
  await ask();
  const before = residentMiB(gateway.pid);
  const poured: number[] = [];
  redis.onCommand = (name, socket) => {
    // Each reply is complete before it becomes endless, so Redis stays in use.
    socket.write(properReply(name));
    if (name !== 'EVAL') return;
    pour(socket, '$4000000000\r\n', 'x');
    socket.once('close', () => poured.push(socket.bytesWritten));
  };
  await ask();
  await vi.waitFor(() => expect(poured).toHaveLength(1), 20_000);
  expect(poured[0]).toBeLessThan(16 * 1024 * 1024);
  expect(residentMiB(gateway.pid) - before).toBeLessThan(50);
  expect((await ask()).errors).toBeUndefined();
});
