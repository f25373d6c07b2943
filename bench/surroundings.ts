// Describes the machine and the software of a run, and reads and writes the results.
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Machine {
  /** The day of the run, yyyy-MM-dd. */
  readonly date: string;
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  readonly nginx: string;
  readonly wrk: string;
}

export async function describeMachine(): Promise<Machine> {
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    node: process.versions.node,
    nginx: await versionOf('nginx', '-v'),
    wrk: await versionOf('wrk', '-v'),
  };
}

/** The version of nginx or wrk, which report it in unusual ways: on standard error, or with a failing exit status. */
async function versionOf(file: string, flag: string): Promise<string> {
  const told = await promisify(execFile)(file, [flag]).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  return /\d+(\.\d+)+/.exec(told.stderr + told.stdout)?.[0] ?? 'unknown';
}

/** The installed version of a package that bench/package.json lists. */
export async function packageVersion(name: string): Promise<string> {
  const path = join(import.meta.dirname, 'node_modules', name, 'package.json');
  return (JSON.parse(await readFile(path, 'utf8')) as { version: string }).version;
}

const folder = join(import.meta.dirname, 'results');

export async function writeResults(name: string, results: unknown): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.json`), JSON.stringify(results, null, 1) + '\n');
}

export async function readResults<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as T;
}
