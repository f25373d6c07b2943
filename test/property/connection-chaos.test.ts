// Fifty-four callers share four connections to a service that fails in many ways. The process survives, each call ends,
// no call gets the answer to another, and no memory and no permit of the circuit is lost. With `RUNS=20000`, the test
// goes on until there have been 100,000 failures, including unreachable services and aborted calls.
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createRandom, type Random } from '../../src/sandbox/random.ts';
import { contractViolation, GatewayError } from '../../src/errors.ts';
import { CallBudget, type UpstreamCall } from '../../src/upstream/exchange/call.ts';
import type { Permit } from '../../src/upstream/exchange/circuit.ts';
import type { Parsed } from '../../src/upstream/reads/read.ts';
import { createReads, type Reads } from '../../src/upstream/reads/shared-reads.ts';
import { bodyOf, type ChaosService, startChaosService } from '../support/chaos-service.ts';
import { runs } from '../support/runs.ts';
import { partsOf } from '../unit/upstream/parts.ts';

const maxFailures = 5 * runs;
const seed = process.env['SEED'] ?? 'chaos';

const connections = 4;
const callers = connections + 50;
const timeoutMs = 100;

/** The memory for answers if the settings are as below. */
const maxBytes = 134_217_728;

/**
 * Reads that return the nonce of the answer. The circuit is always closed, because it would otherwise reject most
 * calls.
 */
function readsOf(origin: string): { read: Reads<string>; expectNothingHeld: () => void } {
  const held = new Set<Permit>();
  let settledTwice = 0;
  const circuit = {
    state: 'closed' as const,
    admit() {
      const permit: Permit = { period: 0, sinceMs: 0, asked: 0, bad: 0 };
      held.add(permit);
      return permit;
    },
    settle(permit: Permit) {
      if (!held.delete(permit)) settledTwice++;
    },
  };
  const parts = { ...partsOf(origin, { connections, timeoutMs, retries: 1 }), circuit };
  const subject = { route: 'transactions', notFound: 'NOT_FOUND', parse: readNonce } as const;
  const expectNothingHeld = () => {
    expect([held.size, settledTwice]).toEqual([0, 0]);
    expect(parts.memory.take(maxBytes)).toBe(true);
    expect(parts.memory.take(1)).toBe(false);
  };
  return { read: createReads(parts, subject), expectNothingHeld };
}

function readNonce(utf8: Buffer): Parsed<string> {
  try {
    const { nonce } = JSON.parse(utf8.toString()) as { nonce: string };
    if (utf8.toString() === bodyOf(nonce)) return { value: nonce, bytes: utf8.length };
  } catch {
    // Truncated or invalid JSON is reported as a contract violation below.
  }
  throw contractViolation('not an answer');
}

/** The moments at which a call is aborted, by name. Most calls are never aborted. */
const moods: Readonly<
  Record<string, (giveUp: () => void, onMoment: (act: () => void) => void, random: Random) => void>
> = {
  patient: () => undefined,
  'leaves at once': (giveUp) => giveUp(),
  'leaves in a microtask': (giveUp) => queueMicrotask(giveUp),
  'leaves in the next turn': (giveUp) => setImmediate(giveUp),
  'leaves later': (giveUp, _onMoment, random) => setTimeout(giveUp, random.integer(0, 50)),
  'leaves while the service acts': (giveUp, onMoment, random) => {
    let moments = random.integer(0, 3);
    onMoment(() => {
      if (moments-- === 0) giveUp();
    });
  },
};
const moodNames = [...Array<string>(11).fill('patient'), ...Object.keys(moods)];

/** The reason with which a caller aborts its call. */
const gone = new GatewayError('OVERLOADED');

const expected: ReadonlySet<string> = new Set([
  'answered',
  gone.code,
  ...['NOT_FOUND', 'RATE_LIMITED', 'UPSTREAM_TIMEOUT', 'UPSTREAM_UNAVAILABLE'],
  ...['UPSTREAM_REJECTED', 'UPSTREAM_CONTRACT_VIOLATION'],
]);

/** Callers that call again as soon as a call has ended, until there are enough failures. */
class Callers {
  readonly service: ChaosService;
  /** The nonces of calls under way. */
  readonly underWay = new Set<string>();
  /** The number of calls by outcome. */
  readonly outcomes = new Map<string, number>();
  readonly #random = createRandom(seed);
  readonly #atMoment: Map<string, () => void>;
  readonly #reads: Readonly<Record<string, ReturnType<typeof readsOf>>>;
  #calls = 0;
  #unreachable = 0;
  #left = 0;

  constructor(service: ChaosService, atMoment: Map<string, () => void>) {
    this.service = service;
    this.#atMoment = atMoment;
    this.#reads = {
      chaos: readsOf(`http://${service.host}`),
      refused: readsOf('http://127.0.0.1:1'),
      // A label of a host name has at most 63 characters, so this name cannot be resolved, and no name server is
      // queried.
      unresolved: readsOf(`http://${'a'.repeat(64)}.invalid`),
      'no TLS': readsOf(`https://${service.host}`),
    };
  }

  get failures(): number {
    const struck = [...this.service.failures.values()].reduce((total, one) => total + one, 0);
    return struck + this.#unreachable + this.#left;
  }

  get unexpected(): string[] {
    return [...this.outcomes.keys()].filter((outcome) => !expected.has(outcome));
  }

  /** Makes the calls of one caller. */
  async run(): Promise<void> {
    const random = this.#random;
    const others = ['refused', 'unresolved', 'no TLS'];
    while (this.failures < maxFailures) {
      const way = random.next() < 0.97 ? 'chaos' : random.pick(others);
      if (way !== 'chaos') this.#unreachable++;
      await this.#call(way, random.pick(moodNames));
    }
  }

  /** Expects that all calls are answered again, and that exactly `connections` calls can be under way at a time. */
  async expectWhole(): Promise<void> {
    const { service } = this;
    service.behave('good');
    const asked = Array.from({ length: callers }, () => 'patient');
    const ask = () => Promise.all(asked.map((mood) => this.#call('chaos', mood)));
    // The deadline of a call may be too short on a busy machine, so the calls are repeated until all succeed.
    const answered = async () => expect(new Set(await ask())).toEqual(new Set(['answered']));
    await vi.waitFor(answered, { timeout: 10_000 });
    await vi.waitFor(() => expect(service.requests()).toBe(0));
    service.behave('silent');
    const silent = ask();
    await vi.waitFor(() => expect(service.requests()).toBe(connections), { interval: 1 });
    await turn();
    expect(service.requests()).toBe(connections);
    expect(new Set(await silent)).toEqual(new Set(['UPSTREAM_TIMEOUT']));
    for (const { expectNothingHeld } of Object.values(this.#reads)) expectNothingHeld();
  }

  async #call(way: string, mood: string): Promise<string> {
    const nonce = `${++this.#calls}`;
    const leaving = new AbortController();
    this.underWay.add(nonce);
    const value = this.#reads[way]?.read(callOf(nonce, leaving.signal), `/${nonce}`);
    const giveUp = () => {
      if (!this.underWay.has(nonce)) return;
      this.#left++;
      leaving.abort(gone);
    };
    moods[mood]?.(giveUp, (act) => this.#atMoment.set(nonce, act), this.#random);
    const outcome = await outcomeOf(value, nonce);
    this.#atMoment.delete(nonce);
    this.underWay.delete(nonce);
    // The operation ends, which releases the memory of its answer.
    leaving.abort(gone);
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    return outcome;
  }
}

function callOf(nonce: string, signal: AbortSignal): UpstreamCall {
  const headers = { authorization: 'Bearer a.b.c', tenant: 't', requestId: nonce };
  return { callerKey: nonce, headers, signal, budget: new CallBudget(1) };
}

/** `answered`, the code of a failure, or a description of an unexpected outcome. */
async function outcomeOf(value: Promise<string> | undefined, nonce: string): Promise<string> {
  try {
    const answered = await value;
    return answered === nonce ? 'answered' : `answer to ${answered} for ${nonce}`;
  } catch (error) {
    return error instanceof GatewayError ? error.code : String(error);
  }
}

/** Collects errors that would end the process. */
function collectDefects(): unknown[] {
  const defects: unknown[] = [];
  const onDefect = (error: unknown) => void defects.push(error);
  process.on('uncaughtException', onDefect).on('unhandledRejection', onDefect);
  onTestFinished(() => {
    process.off('uncaughtException', onDefect).off('unhandledRejection', onDefect);
  });
  return defects;
}

test(`${maxFailures} failures, including aborted calls, neither end the process, nor leave a call pending or memory reserved, nor mix up answers`, async () => {
  const defects = collectDefects();
  const atMoment = new Map<string, () => void>();
  const onMoment = (nonce: string) => atMoment.get(nonce)?.();
  await using service = await startChaosService({ seed, onMoment });
  const all = new Callers(service, atMoment);
  const asking = Promise.all(Array.from({ length: callers }, () => all.run()));
  while (all.failures < maxFailures && defects.length === 0) {
    await sleep(200);
    await service.goAway(20);
  }
  // The wait is long enough for the deadlines of the last calls and of one retry per call.
  await Promise.race([asking, sleep(20_000)]);
  if (process.env['RUNS'] !== undefined) console.log(all.outcomes, service.failures);
  expect(defects).toEqual([]);
  expect([...all.underWay]).toEqual([]);
  expect(all.unexpected).toEqual([]);
  await all.expectWhole();
});
