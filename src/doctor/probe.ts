// The doctor's client of the service: one GET at a time, with its status, its text and its duration.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';

/** An answer of the service. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Headers that a question leaves out. */
export type Omitted = 'authorization' | 'x-tenant-id' | 'content-type';

/** The service, called as one caller. Only GET is ever sent. */
export interface Service {
  /** Requests a path below the service's address; rejects with a ServiceError if no answer comes. */
  get(path: string, omitted?: Omitted): Promise<Reply>;
  /** The duration of each answer, in the order of the answers. */
  readonly durationsMs: readonly number[];
}

export interface ServiceSettings {
  /** The service's base address; its path is kept. */
  readonly url: string;
  /** Without the word `Bearer`. */
  readonly token: string;
  readonly tenant: string;
  readonly timeoutMs: number;
}

/** The service did not answer; the message is meant for people. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
}

/** How often one question is sent if the service answers 429, and the longest Retry-After that is waited for. */
const maxTries = 3;
const longestWaitSeconds = 10;

/** Connects to the service; nothing is sent before the first question. */
export function createService(settings: ServiceSettings): Service {
  const base = settings.url.replace(/\/+$/, '');
  const durationsMs: number[] = [];
  return {
    durationsMs,
    async get(path, omitted) {
      for (let tries = 1; ; tries++) {
        const startMs = performance.now();
        const { retryAfter, ...reply } = await ask(base + path, settings, omitted);
        durationsMs.push(performance.now() - startMs);
        if (reply.status !== 429 || tries === maxTries) return reply;
        await sleep(1000 * Math.min(retryAfter, longestWaitSeconds));
      }
    },
  };
}

async function ask(
  url: string,
  { token, tenant, timeoutMs }: ServiceSettings,
  omitted: Omitted | undefined,
): Promise<Reply & { retryAfter: number }> {
  const all = [
    ['accept', 'application/json'],
    ['content-type', 'application/json'],
    ['authorization', `Bearer ${token}`],
    ['x-tenant-id', tenant],
  ] as const;
  const headers = all.filter(([name]) => name !== omitted).flat();
  try {
    const answer = await request(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
    const retryAfter = Number(answer.headers['retry-after'] ?? 1) || 1;
    return { status: answer.statusCode, text: await answer.body.text(), retryAfter };
  } catch (cause) {
    throw new ServiceError(`The service did not answer: ${reasonOf(cause)}.`, { cause });
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no reason is known';
  if (cause.name === 'TimeoutError') return 'its time was over';
  return 'code' in cause ? String(cause.code) : cause.name;
}
