// Reports of new values in open sets.
import { beforeEach, expect, test } from 'vitest';
import { createOpenSets, type OpenSets } from '../../../src/telemetry/metrics/open-sets.ts';
import { retainedBytes } from '../../support/memory.ts';

const counted: string[] = [];
const lines: object[] = [];
let sets: OpenSets;

beforeEach(() => {
  counted.length = 0;
  lines.length = 0;
  sets = createOpenSets({
    documented: { status: ['ACTIVE'], type: [] },
    metrics: { newValue: (field) => counted.push(field) },
    log: { info: (fields) => lines.push(fields) },
  });
});

test('reports a new value once for each field', () => {
  for (const field of ['status', 'type', 'status']) sets.value(field, 'BLOCKED');
  expect(counted).toEqual(['status', 'type']);
  expect(lines).toEqual([
    { field: 'status', value: 'BLOCKED' },
    { field: 'type', value: 'BLOCKED' },
  ]);
});

test('does not report a value that the service documents', () => {
  sets.value('status', 'ACTIVE');
  expect(counted).toEqual([]);
});

test.each([
  'Pix para Ana',
  'ana',
  '',
  '12345678900',
  'ANA SILVA',
  `A${'B'.repeat(64)}`,
  '__proto__',
])('does not log the value %j, which may be personal data', (value) => {
  sets.value('type', value);
  expect(lines).toEqual([{ field: 'type' }]);
});

test('reports at most a hundred values of a field, including the documented ones', () => {
  for (let k = 0; k < 1000; k++) {
    sets.value('status', `VALUE_${k}`);
    sets.value('type', `VALUE_${k}`);
  }
  expect(counted.filter((field) => field === 'status')).toHaveLength(99);
  expect(counted.filter((field) => field === 'type')).toHaveLength(100);
});

test('ignores a field that is not an open set', () => {
  sets.value('name', 'ANA');
  expect(counted).toEqual([]);
});

test('reports a long value once, and remembers it in no more memory than a short one', () => {
  const before = retainedBytes();
  for (let k = 0; k < 60; k++) {
    const long = `${k} ${'x'.repeat(1_000_000)}`;
    for (let times = 0; times < 2; times++) sets.value('type', Buffer.from(long).toString());
  }
  expect(counted).toHaveLength(60);
  expect(retainedBytes() - before).toBeLessThan(5_000_000);
});
