// The memory for the answers that operations keep: its limit, and its release when an operation ends.
import { expect, test } from 'vitest';
import { CallBudget } from '../../../src/upstream/call.ts';
import { AnswerMemory } from '../../../src/upstream/reads/answer-memory.ts';

const mebibyte = 1_048_576;

/** An operation that ends when the test says so. */
function operation() {
  const controller = new AbortController();
  const call = { signal: controller.signal, budget: new CallBudget(50) };
  return { call, end: () => controller.abort() };
}

test.each([
  [{ maxBodyBytes: 8 * mebibyte, connections: 512 }, 256 * mebibyte],
  [{ maxBodyBytes: 4 * mebibyte, connections: 4096 }, 1024 * mebibyte],
  [{ maxBodyBytes: 1, connections: 1 }, 128 * mebibyte],
])(
  'has room for 32 of the largest bodies, 256 KiB per connection, and 128 MiB: %j',
  (limits, bytes) => {
    const memory = new AnswerMemory(limits);
    const [first, second] = [operation(), operation()];
    expect(memory.keep(bytes - 10, first.call)).toBe(true);
    expect(memory.keep(11, second.call)).toBe(false);
    expect(memory.keep(10, second.call)).toBe(true);
    expect(memory.keep(1, first.call)).toBe(false);
  },
);

test('is released when an operation ends, with all its answers and no others', () => {
  const memory = new AnswerMemory({ maxBodyBytes: 1, connections: 1 });
  const [first, second, third] = [operation(), operation(), operation()];
  expect(memory.keep(50 * mebibyte, first.call)).toBe(true);
  expect(memory.keep(30 * mebibyte, first.call)).toBe(true);
  expect(memory.keep(48 * mebibyte, second.call)).toBe(true);
  first.end();
  expect(memory.keep(80 * mebibyte + 1, third.call)).toBe(false);
  expect(memory.keep(80 * mebibyte, third.call)).toBe(true);
  third.end();
  second.end();
  expect(memory.keep(128 * mebibyte, operation().call)).toBe(true);
});
