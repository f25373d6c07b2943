// A histogram of the gateway's own, beside prom-client's.
import { Histogram as LibraryHistogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { Histogram } from '../../../src/telemetry/metrics/histogram.ts';

const buckets = [0.001, 0.25, 1, 10];
const about = { name: 'test_seconds', help: 'Of a "test",\nin seconds.' };
const values = [0, 0.001, 0.0011, 0.25, 0.3, 1, 9.999, 10, 10.1, 1e9];

test('it is written as the one of prom-client is', async () => {
  const [own, library] = [new Registry(), new Registry()];
  const ours = new Histogram({ ...about, buckets, registry: own });
  const labelNames = ['route', 'outcome'];
  const theirs = new LibraryHistogram({ ...about, buckets, labelNames, registers: [library] });
  for (const route of ['persons', 'a "quoted"\n\\ one']) {
    const labels = { route, outcome: 'ok' };
    const series = ours.open(labels);
    for (const value of values) {
      series.observe(value);
      theirs.observe(labels, value);
    }
  }
  const text = await own.metrics();
  expect(text).toContain('test_seconds_bucket{le="0.25",route="persons",outcome="ok"} 4');
  expect(text).toBe(await library.metrics());
});

test('without labels it is there before anything was observed', async () => {
  const [own, library] = [new Registry(), new Registry()];
  const series = new Histogram({ ...about, buckets, registry: own }).open();
  const theirs = new LibraryHistogram({ ...about, buckets, registers: [library] });
  expect(await own.metrics()).toBe(await library.metrics());
  series.observe(0.5);
  theirs.observe(0.5);
  expect(await own.metrics()).toBe(await library.metrics());
});

test('without a series it is there by name', async () => {
  const [own, library] = [new Registry(), new Registry()];
  new Histogram({ ...about, buckets, registry: own });
  new LibraryHistogram({ ...about, buckets, labelNames: ['route'], registers: [library] });
  expect(await own.metrics()).toBe(await library.metrics());
});
