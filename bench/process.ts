// Binds measured processes to cores, waits until they answer, and reads the CPU time and memory of process trees.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Core 0 is for the contender, core 1 for the load and the service; null means that a process is not bound to a core.
 */
export type Core = 0 | 1 | null;

/** The command that runs a file on a core with `taskset`; without `taskset` if `core` is null. */
export function onCore(core: Core, file: string, args: readonly string[]): [string, string[]] {
  if (core === null) return [file, [...args]];
  return ['taskset', ['-c', String(core), file, ...args]];
}

/** Ends the process with one line if a program is missing; called before any process is started. */
export function requirePrograms(...programs: readonly string[]): void {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const missing = programs.filter((name) => !folders.some((one) => existsSync(join(one, name))));
  if (missing.length === 0) return;
  const names = missing.join(', ');
  console.error(`To measure this, install ${names}; bench/README.md names the Debian packages.`);
  process.exit(1);
}

/** Resolves when the URL answers; rejects if the process ends first, or after half a minute. */
export async function untilItAnswers(url: string, ended: Promise<unknown>): Promise<void> {
  const early = ended.then(() => {
    throw new Error(`what should answer at ${url} has ended`);
  });
  // Once the URL has answered, the end of the process is no longer a failure.
  early.catch(() => undefined);
  const lateMs = performance.now() + 30_000;
  while (!(await isAnswering(url))) {
    if (performance.now() > lateMs) throw new Error(`nothing answers at ${url}`);
    await Promise.race([sleep(50), early]);
  }
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** The resources used by a process and all its descendants. */
export interface TreeUse {
  /** User and system time so far, in seconds. */
  readonly cpuSeconds: number;
  readonly rssBytes: number;
}

export function useOf(pid: number): TreeUse {
  const stats = readStats();
  const pids = treeOf(pid, stats);
  const own = pids.map((one) => stats.get(one)).filter((stat) => stat !== undefined);
  return {
    cpuSeconds: sum(own.map(({ ticks }) => ticks)) / ticksPerSecond,
    rssBytes: sum(own.map(({ pages }) => pages)) * pageBytes,
  };
}

/** The number of ticks per second in the CPU times of /proc: 100 on x86-64 and arm64. */
const ticksPerSecond = 100;
const pageBytes = 4096;

interface Stat {
  readonly parent: number;
  readonly ticks: number;
  readonly pages: number;
}

/** The values of proc_pid_stat(5) by process; processes that have ended meanwhile are omitted. */
function readStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(name) : null;
    if (stat !== null) stats.set(Number(name), stat);
  }
  return stats;
}

function readStat(pid: string): Stat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The process name, in parentheses, may contain any character. The third field, the state, follows it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  // The CPU time consists of utime and stime of the process and of its children that have ended.
  return {
    parent: field(4),
    ticks: field(14) + field(15) + field(16) + field(17),
    pages: field(24),
  };
}

function treeOf(pid: number, stats: ReadonlyMap<number, Stat>): number[] {
  const children = [...stats].filter(([, { parent }]) => parent === pid).map(([child]) => child);
  return [pid, ...children.flatMap((child) => treeOf(child, stats))];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
