// Runs wrk, by default on the core of the load, and returns its measurements.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Core, onCore } from './process.ts';

/** One request, its callers, and the length that its answer must have. */
export interface Ask {
  /** The server's address, without the path. */
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string | null;
  readonly tenant: string;
  readonly tokens: readonly string[];
  /** The length in bytes that every answer must have. */
  readonly length: number;
}

export interface LoadOptions {
  readonly connections: number;
  readonly seconds: number;
  /** The mean pause of a connection between two requests; default none. */
  readonly delayMs?: number;
  /** The core that wrk is bound to; default 1. */
  readonly core?: Core;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** `wrong`: answers without status 200 or of another length. `broken`: requests without an answer. */
  readonly wrong: number;
  readonly broken: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const run = promisify(execFile);

export async function wrk(ask: Ask, options: LoadOptions): Promise<LoadResult> {
  const { connections, seconds, delayMs = 0, core = 1 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'bench-load-'));
  const requestFile = join(folder, 'load.lua');
  await writeFile(requestFile, luaOf({ ...ask, delayMs }));
  const script = join(import.meta.dirname, 'load.lua');
  const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script];
  const [file, args] = onCore(core, 'wrk', [...flags, ask.url, '--', requestFile]);
  const { stdout } = await run(file, args);
  await rm(folder, { recursive: true });
  const line = stdout.split('\n').find((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`wrk said nothing of its load:\n${stdout}`);
  return JSON.parse(line) as LoadResult;
}

function luaOf(load: Ask & { readonly delayMs: number }): string {
  const { method, path, body, tenant, tokens, length, delayMs } = load;
  const fields = {
    method: luaText(method),
    path: luaText(path),
    ...(body !== null && { body: luaText(body) }),
    tenant: luaText(tenant),
    tokens: `{${tokens.map(luaText).join(',')}}`,
    length,
    delayMs,
  };
  return `return {${Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')}}`;
}

/**
 * A Lua string in long brackets, which has no escapes; no request contains the closing bracket or a line break.
 */
function luaText(text: string): string {
  return `[==[${text}]==]`;
}
