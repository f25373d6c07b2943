// One read, with a clock that the test sets: the deadlines of its waiters, its retries, and its reports to the circuit.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { contractViolation, GatewayError } from '../../../src/errors.ts';
import type { Permit } from '../../../src/upstream/exchange/circuit.ts';
import { CallBudget } from '../../../src/upstream/exchange/call.ts';
import { Exchange, type ExchangeListener } from '../../../src/upstream/exchange/exchange.ts';
import { connectionFailure, UpstreamStatusError } from '../../../src/upstream/exchange/failure.ts';
import { Read, type ReadParts } from '../../../src/upstream/reads/read.ts';
import { Retries } from '../../../src/upstream/exchange/retry.ts';
import { answerMemory, silentLog, unobserved } from './parts.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const timeoutMs = 5000;
const headers = { authorization: 'Bearer a.b.c', tenant: 't', requestId: 'r' };
const lost = connectionFailure(new Error('reset'));
/** The connection of every exchange here; no exchange is started. */
const owner = {
  memory: { resize: () => true, take: () => true },
  onAnswered: vi.fn(),
  onFailed: vi.fn(() => false),
};
const permit: Permit = { period: 0, sinceMs: 0, asked: 0, bad: 0 };

/** A read whose parts send nothing: the test decides the outcome of each request. */
function create(changes: { retries?: number; admits?: boolean; isFull?: boolean } = {}) {
  const { retries = 1, admits = true, isFull = false } = changes;
  const sent: ExchangeListener[] = [];
  const circuit = {
    state: 'closed' as const,
    admit: vi.fn(() => (admits ? permit : null)),
    settle: vi.fn(),
  };
  const send: ReadParts['connections']['send'] = (ask, listener) => {
    if (isFull) return null;
    sent.push(listener);
    return new Exchange(ask, 1, listener, owner);
  };
  const giveUp = vi.fn(() => true);
  const [exchange, refused] = [vi.fn(), vi.fn()];
  const parts: ReadParts = {
    connections: { send, giveUp },
    circuit,
    retries: new Retries({ retries, random: () => 0.5 }),
    memory: answerMemory(),
    settings: { timeoutMs, log: silentLog, observer: { ...unobserved, exchange, refused } },
  };
  const ask = {
    route: 'persons',
    path: '/x',
    headers,
    traceparent: undefined,
    notFound: 'NOT_FOUND' as const,
    hasAnswers: false,
  };
  const onClosed = vi.fn();
  const parse = (utf8: Buffer) => ({ value: utf8.toString(), bytes: utf8.length });
  const read = new Read(parts, { ...ask, parse }, onClosed);
  const verdicts = () => circuit.settle.mock.calls.map(([, verdict]) => verdict as string);
  return { read, sent, parts, circuit, giveUp, exchange, refused, onClosed, verdicts };
}

/** The outcome of a call so far: its value, the code of its error, or undefined. */
function watch(call: Promise<string>): { result: unknown } {
  const seen: { result: unknown } = { result: undefined };
  call.then(
    (value) => (seen.result = value),
    (error: unknown) => (seen.result = error instanceof GatewayError ? error.code : error),
  );
  return seen;
}

const callUntil = (signal: AbortSignal) => ({ signal, budget: new CallBudget(1) });
const alive = () => callUntil(new AbortController().signal);
/** Runs the timers that are due next, such as those of setImmediate. */
const turn = () => vi.advanceTimersToNextTimerAsync();
const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the deadline of a call', () => {
  it('does not end an exchange that is shared with a later call', async () => {
    const { read, sent, giveUp } = create();
    const [first, second] = [alive(), alive()];
    const early = watch(read.join(first));
    read.start();
    await advance(3000);
    const late = watch(read.join(second));
    await advance(2000);
    expect([early.result, late.result]).toEqual(['UPSTREAM_TIMEOUT', undefined]);
    expect(giveUp).not.toHaveBeenCalled();
    sent[0]?.onBody(Buffer.from('[]'));
    await advance(0);
    expect(late.result).toBe('[]');
    // Only the answered operation is marked. The pool gives priority to calls of operations that already have answers.
    expect([first.budget.hasAnswers, second.budget.hasAnswers]).toEqual([false, true]);
  });

  it('ends the exchange if no other call waits for it, and the exchange counts as a timeout', async () => {
    const { read, giveUp, exchange, verdicts, onClosed } = create();
    const calls = [watch(read.join(alive())), watch(read.join(alive()))];
    read.start();
    await advance(timeoutMs);
    expect(calls.map(({ result }) => result)).toEqual(Array(2).fill('UPSTREAM_TIMEOUT'));
    expect(giveUp).toHaveBeenCalledOnce();
    expect(onClosed).toHaveBeenCalled();
    expect(exchange.mock.calls).toEqual([['persons', 'timeout', timeoutMs]]);
    expect(verdicts()).toEqual(['bad']);
  });

  it('is renewed for a retry', async () => {
    const { read, sent } = create();
    const call = watch(read.join(alive()));
    read.start();
    await advance(4000);
    sent[0]?.onFailure(lost);
    await advance(50 + timeoutMs - 1);
    expect(call.result).toBeUndefined();
    await advance(1);
    expect(call.result).toBe('UPSTREAM_TIMEOUT');
  });
});

describe('a body that was received and waits to be parsed', () => {
  it('is still used after the deadline of its call, because the service was in time', async () => {
    const { read, sent, exchange, verdicts } = create();
    const calls = [watch(read.join(alive())), watch(read.join(alive()))];
    read.start();
    await advance(100);
    sent[0]?.onReceived();
    await advance(timeoutMs);
    sent[0]?.onBody(Buffer.from('[]'));
    await advance(0);
    expect(calls.map(({ result }) => result)).toEqual(['[]', '[]']);
    expect(exchange.mock.calls).toEqual([['persons', 'ok', 100]]);
    expect(verdicts()).toEqual(['good']);
  });

  it('is given up when its operation ends, which does not count against the service', async () => {
    const { read, sent, giveUp, exchange, verdicts } = create();
    const controller = new AbortController();
    const call = watch(read.join(callUntil(controller.signal)));
    read.start();
    await advance(100);
    sent[0]?.onReceived();
    controller.abort(new GatewayError('UPSTREAM_TIMEOUT'));
    await advance(0);
    expect(call.result).toBe('UPSTREAM_TIMEOUT');
    expect(giveUp).toHaveBeenCalledOnce();
    expect(exchange.mock.calls).toEqual([['persons', 'ok', 100]]);
    expect(verdicts()).toEqual(['good']);
  });
});

describe('a call that is aborted or times out', () => {
  it.each([
    ['its client disconnected', new Error('gone'), 'aborted', 'unknown'],
    ['the gateway is overloaded', new GatewayError('OVERLOADED'), 'aborted', 'unknown'],
    [
      'the deadline of its operation passed',
      new GatewayError('UPSTREAM_TIMEOUT'),
      'timeout',
      'bad',
    ],
  ])('because %s counts as $2', async (_what, reason, outcome, verdict) => {
    const { read, exchange, verdicts } = create();
    const controller = new AbortController();
    const call = watch(read.join(callUntil(controller.signal)));
    read.start();
    await advance(100);
    controller.abort(reason);
    await advance(0);
    const code = reason instanceof GatewayError ? reason.code : 'UPSTREAM_TIMEOUT';
    expect(call.result).toBe(code);
    expect(exchange.mock.calls).toEqual([['persons', outcome, 100]]);
    expect(verdicts()).toEqual([verdict]);
  });

  it('does not count against the service if it was waiting for a connection', async () => {
    const { read, giveUp, exchange, verdicts } = create();
    giveUp.mockReturnValue(false);
    watch(read.join(alive()));
    read.start();
    await advance(timeoutMs);
    expect(exchange).not.toHaveBeenCalled();
    expect(verdicts()).toEqual(['unknown']);
  });

  it('is not retried if it was waiting for its retry', async () => {
    const { read, sent } = create();
    const controller = new AbortController();
    const call = watch(read.join(callUntil(controller.signal)));
    read.start();
    sent[0]?.onFailure(lost);
    controller.abort(new GatewayError('OVERLOADED'));
    await advance(timeoutMs);
    expect(call.result).toBe('OVERLOADED');
    expect(sent).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the circuit', () => {
  it.each([
    [lost, 'unreachable', 'bad'],
    [new UpstreamStatusError(500, undefined, 'NOT_FOUND', 0), 'failed', 'bad'],
    [new UpstreamStatusError(504, undefined, 'NOT_FOUND', 0), 'failed', 'bad'],
    [new UpstreamStatusError(404, undefined, 'NOT_FOUND', 0), 'rejected', 'good'],
    [new UpstreamStatusError(429, undefined, 'NOT_FOUND', 0), 'rejected', 'good'],
    [new UpstreamStatusError(302, undefined, 'NOT_FOUND', 0), 'rejected', 'good'],
    [new UpstreamStatusError(204, undefined, 'NOT_FOUND', 0), 'violation', 'good'],
    [contractViolation('the body is too large'), 'violation', 'good'],
    [new GatewayError('INTERNAL_SERVER_ERROR'), 'defect', 'unknown'],
  ])('counts the failure "%s" (%s) as %s', (error, outcome, verdict) => {
    const { read, sent, exchange, verdicts } = create({ retries: 0 });
    watch(read.join(alive()));
    read.start();
    sent[0]?.onFailure(error);
    expect(exchange.mock.calls).toEqual([['persons', outcome, 0]]);
    expect(verdicts()).toEqual([verdict]);
  });

  it('rejects a call at once, without a retry, if it is open', async () => {
    const { read, sent } = create({ admits: false });
    const call = watch(read.join(alive()));
    read.start();
    await advance(0);
    expect(call.result).toBe('UPSTREAM_UNAVAILABLE');
    expect(sent).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends a call with the earlier failure of the call if the circuit opens before the retry', async () => {
    const { read, sent, circuit } = create();
    const failure = vi.fn();
    read.join(alive()).catch(failure);
    read.start();
    sent[0]?.onFailure(lost);
    circuit.admit.mockReturnValue(null);
    await advance(50);
    expect(failure.mock.calls).toEqual([[lost]]);
  });

  it('allows no retry unless it is closed', async () => {
    const { read, sent, circuit } = create();
    const call = watch(read.join(alive()));
    read.start();
    Object.assign(circuit, { state: 'half_open' });
    sent[0]?.onFailure(lost);
    await advance(timeoutMs);
    expect(call.result).toBe('UPSTREAM_UNAVAILABLE');
    expect(sent).toHaveLength(1);
  });
});

it('a call fails and returns its permit to the circuit if the queue is full', async () => {
  const { read, verdicts } = create({ isFull: true });
  const call = watch(read.join(alive()));
  read.start();
  await advance(0);
  expect(call.result).toBe('UPSTREAM_UNAVAILABLE');
  expect(verdicts()).toEqual(['unknown']);
  expect(read.requests).toBe(0);
});

it('a call for whose answer too little memory is left fails without a retry, while other calls of the read succeed', async () => {
  const { read, sent, parts, exchange, refused, verdicts } = create();
  const body = Buffer.from('[1,2]');
  expect(parts.memory.keep(134_217_728 - body.length, alive())).toBe(true);
  const calls = [watch(read.join(alive())), watch(read.join(alive()))];
  read.start();
  sent[0]?.onReceived();
  sent[0]?.onBody(body);
  await advance(timeoutMs);
  expect(calls.map(({ result }) => result)).toEqual(['[1,2]', 'UPSTREAM_UNAVAILABLE']);
  expect(sent).toHaveLength(1);
  // The service has not failed.
  expect(exchange.mock.calls).toEqual([['persons', 'ok', 0]]);
  expect(verdicts()).toEqual(['good']);
  expect(refused.mock.calls).toEqual([['persons', 'memory_full']]);
});

it.each([
  ['an answer', '[]', (listener?: ExchangeListener) => listener?.onBody(Buffer.from('[]'))],
  [
    'a failure',
    'NOT_FOUND',
    (listener?: ExchangeListener) => listener?.onFailure(new GatewayError('NOT_FOUND')),
  ],
])('%s ends at most 16 calls in a turn of the event loop', async (_name, outcome, end) => {
  const { read, sent } = create();
  const calls = Array.from({ length: 40 }, () => watch(read.join(alive())));
  const ended = () => calls.filter(({ result }) => result === outcome).length;
  read.start();
  end(sent[0]);
  await Promise.resolve();
  expect(ended()).toBe(16);
  await turn();
  expect(ended()).toBe(32);
  await turn();
  expect(ended()).toBe(40);
  await turn();
  expect(vi.getTimerCount()).toBe(0);
});

it('a call may leave after its read has ended and before its own turn', async () => {
  const { read, sent, exchange } = create();
  const calls = Array.from({ length: 16 }, () => watch(read.join(alive())));
  const leaving = new AbortController();
  const left = watch(read.join(callUntil(leaving.signal)));
  read.start();
  sent[0]?.onReceived();
  sent[0]?.onBody(Buffer.from('[]'));
  leaving.abort(new GatewayError('OVERLOADED'));
  await advance(timeoutMs);
  expect(calls.map(({ result }) => result)).toEqual(Array(16).fill('[]'));
  expect(left.result).toBe('OVERLOADED');
  expect(exchange.mock.calls).toEqual([['persons', 'ok', 0]]);
});

it('a body that cannot be parsed fails all waiting calls without a retry', async () => {
  const { parts } = create();
  const violation = contractViolation('the body is not JSON');
  const sent: ExchangeListener[] = [];
  const read = new Read(
    {
      ...parts,
      connections: {
        ...parts.connections,
        send: (ask, listener) => {
          sent.push(listener);
          return new Exchange(ask, 1, listener, owner);
        },
      },
    },
    {
      ...{ path: '/x', headers, traceparent: undefined, notFound: 'NOT_FOUND', route: 'persons' },
      hasAnswers: false,
      parse: () => {
        throw violation;
      },
    },
    () => undefined,
  );
  const failures = Promise.allSettled([read.join(alive()), read.join(alive())]);
  read.start();
  sent[0]?.onBody(Buffer.from('{'));
  expect(await failures).toEqual(Array(2).fill({ status: 'rejected', reason: violation }));
  await advance(timeoutMs);
  expect(sent).toHaveLength(1);
});
