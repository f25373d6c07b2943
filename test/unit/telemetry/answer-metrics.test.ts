// The metric of contract violations: how the pointers of violations become labels, and the limit on the number of
// labels.
import { expect, test } from 'vitest';
import { createAnswerMetrics, Meters } from '../../../src/telemetry/metrics.ts';
import { parseExposition } from '../../support/exposition.ts';

async function labelsAfter(pointers: readonly string[]): Promise<(string | undefined)[]> {
  const registry = new Meters();
  const metrics = createAnswerMetrics(registry, {}, { info: () => undefined });
  for (const pointer of pointers) metrics.violation(pointer);
  const { samples } = parseExposition(await registry.metrics());
  return samples.filter(({ value }) => value > 0).map(({ labels }) => labels['pointer']);
}

test.each([
  ['/data/3/amount', '/data/*/amount'],
  ['/data/12', '/data/*'],
  ['/accounts/0/investmentAccount', '/accounts/*/investmentAccount'],
  ['/person/name2', '/person/name2'],
  ['', '(answer)'],
])('a violation at %j is counted under the label %j', async (pointer, label) => {
  expect(await labelsAfter([pointer])).toEqual([label]);
});

test('violations are counted under at most 201 labels', async () => {
  const pointers = Array.from({ length: 1000 }, (_, k) => `/made-up-${k}`);
  const labels = await labelsAfter([...pointers, ...pointers]);
  expect(labels).toHaveLength(201);
  expect(labels).toContain('other');
});
