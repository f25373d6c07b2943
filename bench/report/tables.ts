// Formats the measured results as Markdown tables.
import type { Comparison, Measured } from '../compare.ts';
import type { Growth } from '../growth.ts';
import { median } from '../median.ts';
import { type WorkloadName, workloads } from '../workloads.ts';

type Contender = Comparison['contenders'][number];

/**
 * For each workload, the median over all rounds of a contender's CPU time per operation, as a ratio to the first
 * contender's.
 */
export interface Ratios {
  readonly name: string;
  readonly title: string;
  readonly workloads: Readonly<Record<WorkloadName, number>>;
}

export function ratiosOf({ contenders }: Comparison): Ratios[] {
  const [base] = contenders;
  if (base === undefined) throw new Error('nobody was measured');
  return contenders.map((contender) => ({
    name: contender.name,
    title: contender.title,
    workloads: byWorkload((name) =>
      median(
        contender.workloads[name].cpuMicros.map(
          (micros, round) => (micros || NaN) / (base.workloads[name].cpuMicros[round] ?? NaN),
        ),
      ),
    ),
  }));
}

export function ratioTable(comparison: Comparison): string {
  const head = ['CPU per operation, ratio', ...workloads.map(({ title }) => title)];
  const rows = ratiosOf(comparison).map(({ title, workloads: ratios }) => [
    title,
    ...workloads.map(({ name }) => ratios[name].toFixed(2)),
  ]);
  return table(head, rows);
}

/** One table per workload, with the median of each measured value. */
export function detailTables({ contenders }: Comparison): string {
  return workloads
    .map(({ name, title, calls }) => {
      const head = ['', 'CPU µs', 'operations/s', 'p50 ms', 'p99 ms', 'RSS MiB', 'calls'];
      const rows = contenders.map((contender) => [
        contender.title,
        ...detailsOf(contender.workloads[name]),
      ]);
      return `**${title}** (${calls} ${calls === 1 ? 'call' : 'calls'} to the service)\n\n${table(head, rows)}`;
    })
    .join('\n\n');
}

function detailsOf({ cpuMicros, perSecond, p50Ms, p99Ms, rssMiB, calls }: Measured): string[] {
  return [
    whole(median(cpuMicros)),
    whole(median(perSecond)),
    median(p50Ms).toFixed(1),
    median(p99Ms).toFixed(1),
    whole(median(rssMiB)),
    median(calls).toFixed(1),
  ];
}

export function versionList({ contenders, machine, rounds, seconds, connections }: Comparison) {
  const versions = contenders
    .filter(hasPackage)
    .map(({ package: name, version }) => `${name} ${(version ?? '').replace(/^v/, '')}`);
  return [
    `Measured on ${machine.date}: ${machine.cores} cores of ${machine.cpu}, Node.js ${machine.node},`,
    `nginx ${machine.nginx}, wrk ${machine.wrk}; ${rounds} rounds of ${seconds} s, ${connections} connections;`,
    `${[...new Set(versions)].join(', ')}.`,
  ].join(' ');
}

function hasPackage(contender: Contender): boolean {
  return contender.package !== null;
}

export function connectionsTable({ connections }: Growth): string {
  const latencies = [...new Set(connections.map(({ latencyMs }) => latencyMs))];
  const head = [
    'connections',
    ...latencies.flatMap((ms) => [`${ms} ms: CPU µs`, 'operations/s', 'refused']),
  ];
  const counts = [...new Set(connections.map((row) => row.connections))];
  const rows = counts.map((count) => [
    whole(count),
    ...latencies.flatMap((ms) => {
      const row = connections.find((one) => one.latencyMs === ms && one.connections === count);
      return [whole(row?.cpuMicros), whole(row?.perSecond), percent(row?.refused)];
    }),
  ]);
  return table(head, rows);
}

export function latencyTable({ latency }: Growth): string {
  const heads = ['capacity/s', 'offered/s', 'service p50', 'p50', 'p99', 'adds p50', 'adds p99'];
  const head = ['', ...heads, 'by hand p50', 'by hand p99'];
  const rows = latency.map((row) => [
    titleOf(row.workload),
    ...[row.capacity, row.offered].map(whole),
    ...[row.serviceP50Ms, row.p50Ms, row.p99Ms, row.addedP50Ms, row.addedP99Ms].map(oneDecimal),
    ...[row.handlerAddedP50Ms, row.handlerAddedP99Ms].map(oneDecimal),
  ]);
  return table(head, rows);
}

export function memoryTable({ waiting, resident }: Growth): string {
  const memory = ['KiB held by one that waits', 'operations/s', 'RSS MiB early', 'late', 'most'];
  const head = ['', ...memory, 'CPU µs, 64 connections', '1,000', 'ratio'];
  const rows = resident.map(({ workload, fewMicros, manyMicros, ...row }) => [
    titleOf(workload),
    oneDecimal(waiting.find((held) => held.workload === workload)?.heldKiB ?? NaN),
    ...[row.perSecond, row.earlyMiB, row.lateMiB, row.mostMiB].map(whole),
    ...[fewMicros, manyMicros].map(whole),
    (manyMicros / fewMicros).toFixed(2),
  ]);
  return table(head, rows);
}

export function processesTable({ processes }: Growth): string {
  const head = ['', 'operations/s', 'CPU µs', 'p50 ms', 'p99 ms', 'RSS MiB in all'];
  const rows = processes.map((row) => [
    row.way,
    ...[row.perSecond, row.cpuMicros].map(whole),
    ...[row.p50Ms, row.p99Ms].map(oneDecimal),
    whole(row.rssMiB),
  ]);
  return table(head, rows);
}

export function slicesTable({ slices }: Growth): string {
  const head = ['first', ...slices.map(({ first }) => whole(first))];
  return table(head, [
    ['calls', ...slices.map(({ calls }) => whole(calls))],
    ['CPU µs', ...slices.map(({ cpuMicros }) => whole(cpuMicros))],
  ]);
}

export function walkTable({ walk }: Growth): string {
  const head = ['tenth', ...walk.map(({ tenth }) => whole(tenth))];
  return table(head, [
    ['CPU µs a slice', ...walk.map((row) => whole(row.cpuMicrosPerSlice))],
    ['calls a slice', ...walk.map((row) => oneDecimal(row.callsPerSlice))],
    ['characters of a cursor', ...walk.map((row) => whole(row.cursorLength))],
  ]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    line(head.map((_, index) => (index === 0 ? '---' : '--:'))),
    ...rows.map(line),
  ].join('\n');
}

function titleOf(workload: WorkloadName): string {
  return workloads.find(({ name }) => name === workload)?.title ?? workload;
}

function byWorkload(valueOf: (name: WorkloadName) => number): Record<WorkloadName, number> {
  return {
    profile: valueOf('profile'),
    page: valueOf('page'),
    nested: valueOf('nested'),
    hundred: valueOf('hundred'),
  };
}

function whole(value: number | undefined): string {
  return value === undefined ? '' : Math.round(value).toLocaleString('en');
}

function oneDecimal(value: number): string {
  return value.toFixed(1);
}

function percent(share: number | undefined): string {
  return share === undefined ? '' : `${(share * 100).toFixed(share === 0 ? 0 : 1)} %`;
}
