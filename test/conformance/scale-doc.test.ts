// The figures in docs/scale.md follow from the measured costs of operations.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { workloads } from '../../bench/workloads.ts';
import { parseSettings } from '../../src/settings/settings.ts';

const page = readFileSync('docs/scale.md', 'utf8');
/** The planned CPU use of a replica as a share of one core, as in autoscaling.yaml. */
const utilization = 0.6;
const latencySeconds = 0.05;
const leastReplicas = 3;
const redisMicros = Number(/costs Redis (\d+) µs of CPU/.exec(page)?.[1]);

/** The costs in bench/results/growth.json, from which docs/performance.md is made. */
interface Measured {
  readonly resident: readonly {
    readonly workload: string;
    readonly fewMicros: number;
    readonly manyMicros: number;
  }[];
}

interface Cost {
  readonly calls: number;
  readonly cpuMicros: number;
}

const costs = new Map<string, Cost>(
  rowsOf(4).map(([name = '', calls, few = '', many = '']) => [
    name,
    { calls: Number(calls), cpuMicros: Math.max(numberOf(few), numberOf(many)) },
  ]),
);
const plan = rowsOf(7);

test('the plan in docs/scale.md uses the utilization and the minimum number of replicas in autoscaling.yaml', () => {
  const manifest = readFileSync('deploy/kubernetes/base/autoscaling.yaml', 'utf8');
  expect(manifest).toContain(`averageUtilization: ${utilization * 100}\n`);
  expect(manifest).toContain(`minReplicas: ${leastReplicas}\n`);
});

test('docs/scale.md has the measured costs of the four workloads and a plan with nine rows', () => {
  const measured = JSON.parse(readFileSync('bench/results/growth.json', 'utf8')) as Measured;
  expect(rowsOf(4)).toEqual(
    measured.resident.map(({ workload, fewMicros, manyMicros }) => [
      workload,
      String(workloads.find(({ name }) => name === workload)?.calls),
      String(fewMicros),
      String(manyMicros),
    ]),
  );
  expect(plan).toHaveLength(9);
});

test.each(plan)(
  'the figures for %s operations a second (%s) follow from the cost of one operation',
  (...row) => {
    const [load = '', name = '', ...figures] = row;
    const perSecond = numberOf(load);
    const { calls, cpuMicros } = costs.get(name) ?? { calls: NaN, cpuMicros: NaN };
    const replicas = Math.max(
      leastReplicas,
      Math.ceil((perSecond * cpuMicros) / 1e6 / utilization),
    );
    const connections = perSecond * calls * latencySeconds;
    const redisCores = (perSecond * redisMicros) / 1e6 / utilization;
    expect(figures.map(numberOf)).toEqual([
      replicas,
      perSecond * calls,
      connections,
      Math.ceil(connections / replicas),
      Math.round(redisCores * 10) / 10,
    ]);
  },
);

test('the limits of Redis and of the connections in docs/scale.md follow from the stated figures', () => {
  const [, perSecond = ''] = /takes about ([\d,]+) operations a second/.exec(page) ?? [];
  expect(Math.round((utilization / redisMicros) * 1e3) * 1000).toBe(numberOf(perSecond));
  const { upstreamConnections } = parseSettings({});
  const [, perReplica, latency] = /needs (\d+) of them; from (\d+) ms on/.exec(page) ?? [];
  const perMs = Number(perReplica) / (latencySeconds * 1000);
  expect(Math.ceil(upstreamConnections / perMs)).toBe(Number(latency));
});

/** The cells of each row that ends with a number, from the tables with this number of columns. */
function rowsOf(columns: number): string[][] {
  return page
    .split('\n')
    .filter((line) => /^\|.*\d \|$/.test(line))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
    .filter((cells) => cells.length === columns);
}

function numberOf(text: string): number {
  return Number(text.replaceAll(',', ''));
}
