// The memory for the answers that operations keep: its limit, and its release when an operation ends.
import { expect, test } from 'vitest';
import { CallBudget } from '../../../src/upstream/exchange/call.ts';
import { endpoints } from '../../../src/upstream/endpoints.ts';
import { retainedBytes } from '../../support/memory.ts';
import { answerMemory } from './parts.ts';

const mebibyte = 1_048_576;

/** An operation that ends when the test says so. */
function operation() {
  const controller = new AbortController();
  const call = { signal: controller.signal, budget: new CallBudget(50) };
  return { call, end: () => controller.abort() };
}

test.each([
  [{ upstreamMaxBodyBytes: 8 * mebibyte, upstreamConnections: 512 }, 256 * mebibyte],
  [{ upstreamMaxBodyBytes: 4 * mebibyte, upstreamConnections: 4096 }, 1024 * mebibyte],
  [{ upstreamMaxBodyBytes: 1, upstreamConnections: 1 }, 128 * mebibyte],
])(
  'has room for 32 of the largest bodies, 256 KiB per connection, and 128 MiB: %j',
  (limits, bytes) => {
    const memory = answerMemory(limits);
    const [first, second] = [operation(), operation()];
    expect(memory.keep(bytes - 10, first.call)).toBe(true);
    expect(memory.keep(11, second.call)).toBe(false);
    expect(memory.keep(10, second.call)).toBe(true);
    expect(memory.keep(1, first.call)).toBe(false);
  },
);

test('is released when an operation ends, with all its answers and no others', () => {
  const memory = answerMemory();
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

test('is not reserved for an operation that has ended', () => {
  const memory = answerMemory();
  const [ended, next] = [operation(), operation()];
  ended.end();
  expect(memory.keep(200 * mebibyte, ended.call)).toBe(true);
  expect(memory.keep(128 * mebibyte, next.call)).toBe(true);
});

const listOf = (count: number, item: (n: number) => string) =>
  `[${Array.from({ length: count }, (_, n) => item(n)).join()}]`;
const pageOf = (count: number, row: (n: number) => string) =>
  `{"data":${listOf(count, row)},"pagination":{"totalItems":1,"currentPage":0,"itemsPerPage":1}}`;
const investing = (value: string) =>
  `{"accounts":[{"id":"00000000-0000-4000-8000-000000000001","investmentAccount":{"a":${value}}}]}`;

test.each([
  ['rows with only an id', 'transactions', pageOf(5000, (n) => `{"id":"${n}"}`)],
  [
    'rows with escapes and exponents',
    'transactions',
    pageOf(
      5000,
      (n) =>
        `{"id":"\\u0061${n}","amount":1e99,"status":"DON\\u0045","credit":false,"createdAt":"2026-01-01T00:00:00.000\\u005a"}`,
    ),
  ],
  [
    'rows with wrong values',
    'transactions',
    pageOf(1000, (n) => `{"id":"${n}","amount":"","status":0,"category":0,"type":0,"credit":0}`),
  ],
  ['empty objects', 'persons', investing(listOf(80_000, () => '{}'))],
  ['lists in lists', 'persons', investing(listOf(40_000, () => '[[]]'))],
  ['different keys', 'persons', investing(listOf(14_000, (n) => `{"${n.toString(36)}":"ab"}`))],
] as const)('counts most of the memory that an answer takes: %s', (_name, route, text) => {
  const { read } = endpoints[route];
  // The first answer makes V8 compile and create hidden classes.
  const answers = [read(Buffer.from(text))];
  const before = retainedBytes();
  for (let times = 0; times < 4; times++) answers.push(read(Buffer.from(text)));
  const taken = (retainedBytes() - before) / 4;
  expect(answers).toHaveLength(5);
  expect(taken / (answers[0]?.bytes ?? 0)).toBeLessThan(1.4);
});
