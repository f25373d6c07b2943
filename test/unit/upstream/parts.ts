// The parts of an upstream read, for tests of the modules below the client, and reads of plain text.
import { onTestFinished } from 'vitest';
import { type BudgetSettings, type ByteBudget, createBudgets } from '../../../src/byte-budget.ts';
import type { ErrorCode } from '../../../src/errors.ts';
import {
  CallBudget,
  type UpstreamCall,
  type UpstreamObserver,
} from '../../../src/upstream/exchange/call.ts';
import { type BreakerState, Circuit } from '../../../src/upstream/exchange/circuit.ts';
import { Connections } from '../../../src/upstream/exchange/connection-pool.ts';
import type { ReadParts } from '../../../src/upstream/reads/read.ts';
import { Retries } from '../../../src/upstream/exchange/retry.ts';
import { createReads } from '../../../src/upstream/reads/shared-reads.ts';

export const unobserved: UpstreamObserver = {
  exchange: () => undefined,
  failed: () => undefined,
  retry: () => undefined,
  resent: () => undefined,
  refused: () => undefined,
  shared: () => undefined,
  breaker: () => undefined,
  certificate: () => undefined,
  queue: () => undefined,
  violation: () => undefined,
  value: () => undefined,
};

export const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

export const noCertificates = { upstreamCa: null, upstreamCert: null, upstreamKey: null };

export interface PartsSettings {
  readonly timeoutMs?: number;
  readonly retries?: number;
  readonly connections?: number;
  readonly maxBodyBytes?: number;
  readonly observer?: Partial<UpstreamObserver>;
}

/** The memory for answers of a gateway with these settings. */
export function answerMemory(settings: Partial<BudgetSettings> = {}): ByteBudget {
  const least = { maxBodyBytes: 1, upstreamMaxBodyBytes: 1, upstreamConnections: 1 };
  return createBudgets({ ...least, ...settings }).answers;
}

/**
 * The parts of a client for an origin. The connections are closed after the test. Retries are off by default, and pause
 * only for Retry-After.
 */
export function partsOf(
  origin: string,
  settings: PartsSettings = {},
): ReadParts & { readonly connections: Connections } {
  const { timeoutMs = 5000, retries = 0, connections = 8, maxBodyBytes = 100_000 } = settings;
  const observer = { ...unobserved, ...settings.observer };
  const random = () => 0;
  const limits = { timeoutMs, retries, connections, maxBodyBytes };
  const way = { url: origin, certificates: noCertificates, usesProxy: false, context: null };
  const memory = answerMemory({
    upstreamMaxBodyBytes: maxBodyBytes,
    upstreamConnections: connections,
  });
  const all = { ...way, ...limits, memory, log: silentLog, observer, random };
  const pool = new Connections(all, memory);
  // A test may have closed the pool already.
  onTestFinished(() => pool.close().catch(() => undefined));
  const onChange = (state: BreakerState) => {
    observer.breaker('transactions', state);
    if (state === 'open') pool.refuseWaiting('transactions');
  };
  return {
    settings: all,
    connections: pool,
    circuit: new Circuit(() => performance.now(), onChange),
    retries: new Retries(all),
    memory,
  };
}

export interface TextAsk {
  readonly path?: string;
  readonly signal?: AbortSignal;
  /** Calls with the same key and path may share a read. By default, every call has its own key. */
  readonly callerKey?: string;
  readonly authorization?: string;
  readonly budget?: CallBudget;
}

let calls = 0;

/** Returns a function that reads a path and resolves with the text of the answer. */
export function textReads(
  parts: ReadParts,
  notFound: ErrorCode = 'NOT_FOUND',
  route = 'transactions',
) {
  const parse = (utf8: Buffer) => ({ value: utf8.toString(), bytes: utf8.length });
  const reads = createReads(parts, { route, notFound, parse });
  return (ask: TextAsk = {}): Promise<string> => {
    const { path = '/x', authorization = 'Bearer a.b.c', ...changes } = ask;
    const call: UpstreamCall = {
      callerKey: `caller ${calls++}`,
      headers: { authorization, tenant: 't', requestId: 'r' },
      signal: new AbortController().signal,
      budget: new CallBudget(1),
      ...changes,
    };
    return reads(call, path);
  };
}
