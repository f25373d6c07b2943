// Operations with shared reads, failures, retries, timeouts and disconnects at random: the answers that they keep never
// take more than the memory for answers, and all of this memory is free when they have ended.
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Lifetime } from '../../src/http/request/lifetime.ts';
import { createRandom, type Random } from '../../src/sandbox/random.ts';
import { CallBudget } from '../../src/upstream/exchange/call.ts';
import type { Permit } from '../../src/upstream/exchange/circuit.ts';
import { createReads } from '../../src/upstream/reads/shared-reads.ts';
import { runs } from '../support/runs.ts';
import { partsOf } from '../unit/upstream/parts.ts';
import { serve } from '../unit/upstream/server.ts';

const seed = process.env['SEED'] ?? 'answer memory';
const operations = 20 * runs;
const concurrent = 50;
const maxBytes = 134_217_728;

/** An answer of a random size, at once or late; sometimes a failure, which may be retried, or nothing. */
function startService(random: Random) {
  return serve((_request, response) => {
    const how = random.next();
    if (how < 0.1) response.writeHead(503).end();
    else if (how < 0.15) response.writeHead(404).end();
    else if (how < 0.2) response.destroy();
    else if (how > 0.21) {
      const answer = () => response.end(String(random.integer(1, maxBytes / 5)));
      if (how < 0.5) answer();
      else setTimeout(answer, random.integer(0, 10));
    }
  });
}

test(`the memory for answers is never exceeded, and all of it is free after ${operations} operations`, async () => {
  const random = createRandom(seed);
  await using service = await startService(random);
  const outcomes = new Map<string, number>();
  const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const observer = { refused: (_route: string, reason: string) => void count(reason) };
  const settings = { connections: 40, retries: 2, timeoutMs: 2000, observer };
  // The circuit is always closed, because it would otherwise reject most calls.
  const permit: Permit = { period: 0, sinceMs: 0, asked: 0, bad: 0 };
  const circuit = { state: 'closed' as const, admit: () => permit, settle: () => undefined };
  const parts = { ...partsOf(service.origin, settings), circuit };
  const reads = createReads(parts, {
    route: 'transactions',
    notFound: 'NOT_FOUND',
    parse: (utf8) => ({ value: Number(utf8.toString()), bytes: Number(utf8.toString()) }),
  });
  let kept = 0;
  let most = 0;

  /** One operation: some calls at a time, for which it may wait until its answer is complete. */
  async function run(): Promise<void> {
    const response = new EventEmitter();
    // A fifth wait for all their answers, so that the memory becomes full on slow machines too.
    const deadlineMs = random.next() < 0.2 ? 60_000 : random.integer(1, 200);
    const lifetime = new Lifetime(response as unknown as ServerResponse, deadlineMs);
    let own = 0;
    lifetime.addEventListener('abort', { handleEvent: () => (kept -= own) });
    const headers = { authorization: 'Bearer a.b.c', tenant: 't', requestId: 'r' };
    const callerKey = String(random.integer(1, 3));
    const call = { callerKey, headers, signal: lifetime, budget: new CallBudget(20) };
    const read = async () => {
      try {
        const bytes = await reads(call, `/${random.integer(1, 4)}`);
        count('answered');
        if (lifetime.aborted) return;
        own += bytes;
        kept += bytes;
        most = Math.max(most, kept);
      } catch {
        count('failed');
      }
    };
    if (random.next() < 0.2) setTimeout(() => response.emit('close'), random.integer(0, 30));
    for (let times = random.integer(1, 3); times > 0; times--) {
      const all = Array.from({ length: random.integer(1, 6) }, read);
      await (random.next() < 0.8 ? Promise.all(all) : Promise.race(all));
      await sleep(random.integer(0, 5));
    }
    lifetime.end();
    response.emit('close');
  }

  let left = operations;
  const work = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: concurrent }, work));
  if (process.env['RUNS'] !== undefined) console.log(outcomes, most);
  expect(outcomes.get('memory_full')).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(maxBytes);
  expect(most).toBeGreaterThan(maxBytes / 2);
  expect(kept).toBe(0);
  const next = { signal: new AbortController().signal, budget: new CallBudget(1) };
  expect(parts.memory.keep(maxBytes, next)).toBe(true);
  expect(parts.memory.keep(1, next)).toBe(false);
});
