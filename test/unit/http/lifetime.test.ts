// The lifetime of an operation: when it ends, and which listeners are notified of its end.
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { ClientGoneError, Lifetime } from '../../../src/http/request/lifetime.ts';

const timeoutMs = 10_000;

let response: EventEmitter & { writableFinished: boolean };
let lifetime: Lifetime;
beforeEach(() => {
  vi.useFakeTimers();
  response = Object.assign(new EventEmitter(), { writableFinished: false });
  lifetime = new Lifetime(response as unknown as ServerResponse, timeoutMs);
});
afterEach(() => vi.useRealTimers());

const told: string[] = [];
beforeEach(() => void (told.length = 0));

function listen(name: string, onEnd: () => void = () => undefined) {
  const listener = {
    handleEvent() {
      told.push(name);
      onEnd();
    },
  };
  lifetime.addEventListener('abort', listener);
  return listener;
}

test('an operation ends at its deadline', () => {
  listen('read');
  vi.advanceTimersByTime(timeoutMs - 1);
  expect([lifetime.aborted, lifetime.reason, told]).toEqual([false, undefined, []]);
  vi.advanceTimersByTime(1);
  expect([lifetime.aborted, told]).toEqual([true, ['read']]);
  expect(lifetime.reason).toBeInstanceOf(GatewayError);
  expect(lifetime.reason).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
});

test('an operation ends if the client disconnects before the answer is sent', () => {
  listen('read');
  response.emit('close');
  expect(lifetime.reason).toBeInstanceOf(ClientGoneError);
  expect(told).toEqual(['read']);
});

test('an operation ends at once if the client has disconnected before', () => {
  const closed = Object.assign(new EventEmitter(), { destroyed: true, writableFinished: false });
  const late = new Lifetime(closed as unknown as ServerResponse, timeoutMs);
  expect(late.reason).toBeInstanceOf(ClientGoneError);
  expect(vi.getTimerCount()).toBe(1);
});

test.each([
  ['is complete', () => lifetime.end()],
  // This may happen first, in the same turn.
  [
    'has been sent',
    () => {
      response.writableFinished = true;
      response.emit('close');
    },
  ],
])('an operation ends when its answer %s, and leaves no timer', (_when, end) => {
  listen('read');
  end();
  expect(lifetime.reason).toEqual(new Error('the answer is complete'));
  expect(told).toEqual(['read']);
  expect(vi.getTimerCount()).toBe(0);
});

test('an operation that has ended keeps its first reason', () => {
  listen('read');
  vi.advanceTimersByTime(timeoutMs);
  response.emit('close');
  expect(lifetime.reason).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
  expect(told).toEqual(['read']);
});

test('a removed listener is not notified, even if another listener removed it', () => {
  const first = listen('first', () => lifetime.removeEventListener('abort', third));
  const second = listen('second');
  const third = listen('third', () => lifetime.removeEventListener('abort', first));
  lifetime.removeEventListener('abort', second);
  lifetime.removeEventListener('abort', second);
  vi.advanceTimersByTime(timeoutMs);
  // Either of the two remaining listeners may be notified first.
  expect(told).toHaveLength(1);
  expect(['first', 'third']).toContain(told[0]);
});
