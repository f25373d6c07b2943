// New values in open sets: how they are logged and counted.
import { beforeEach, expect, test } from 'vitest';
import { createAnswerMetrics, Meters } from '../../../src/telemetry/metrics.ts';
import type { AnswerObserver } from '../../../src/upstream/shape/check.ts';
import { parseExposition } from '../../support/exposition.ts';
import { retainedBytes } from '../../support/memory.ts';

let registry: Meters;
const lines: unknown[] = [];
let sets: AnswerObserver;

beforeEach(() => {
  registry = new Meters();
  lines.length = 0;
  sets = createAnswerMetrics(
    registry,
    { status: ['ACTIVE'], type: [] },
    { info: (fields: unknown) => lines.push(fields) },
  );
});

/** The number of new values that were counted for each field. */
async function counted(): Promise<Record<string, number>> {
  const { samples } = parseExposition(await registry.metrics());
  const values = samples.filter(({ name }) => name === 'account_bff_open_set_new_values_total');
  return Object.fromEntries(values.map(({ labels, value }) => [labels['field'] ?? '', value]));
}

test('a new value of an open set is reported once for each field', async () => {
  for (const field of ['status', 'type', 'status']) sets.value(field, 'BLOCKED');
  expect(await counted()).toEqual({ status: 1, type: 1 });
  expect(lines).toEqual([
    { field: 'status', value: 'BLOCKED' },
    { field: 'type', value: 'BLOCKED' },
  ]);
});

test('a documented value of an open set is not reported', async () => {
  sets.value('status', 'ACTIVE');
  expect(await counted()).toEqual({});
});

test.each([
  'Pix para Ana',
  'ana',
  '',
  '12345678900',
  'ANA SILVA',
  `A${'B'.repeat(64)}`,
  '__proto__',
])('the value %j of an open set is not logged, because it may be personal data', (value) => {
  sets.value('type', value);
  expect(lines).toEqual([{ field: 'type' }]);
});

test('new values are reported until an open set has a hundred values, including the documented values', async () => {
  for (let k = 0; k < 1000; k++) {
    sets.value('status', `VALUE_${k}`);
    sets.value('type', `VALUE_${k}`);
  }
  expect(await counted()).toEqual({ status: 99, type: 100 });
});

test('a value of a field that is not an open set is not reported', async () => {
  sets.value('name', 'ANA');
  expect(await counted()).toEqual({});
});

test('a long value of an open set is reported once, and its text is not retained', async () => {
  const before = retainedBytes();
  for (let k = 0; k < 60; k++) {
    const long = `${k} ${'x'.repeat(1_000_000)}`;
    for (let times = 0; times < 2; times++) sets.value('type', Buffer.from(long).toString());
  }
  expect(await counted()).toEqual({ type: 60 });
  expect(retainedBytes() - before).toBeLessThan(5_000_000);
});
