// The doctor's HTTP client for the service: one GET at a time, with the status, headers, body and duration of each answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { parseRetryAfter } from '../src/upstream/exchange/failure.ts';

/** The status of an answer, or that there was no answer. */
export type Status = number | 'no answer';

/** Whether a status answers a question about the service: a missing answer and a rate limit (429) do not. */
export function isConclusive(status: Status): status is number {
  return status !== 'no answer' && status !== 429;
}

/** Why a request did not lead to usable content. */
export function failureText(status: Status): string {
  if (status === 'no answer') return status;
  return status === 200 ? 'status 200, but not usable: see violations' : `status ${status}`;
}

/** An answer of the service, or the absence of one. */
export interface Reply {
  readonly status: Status;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The bytes as they were sent: a decoder would replace those that are not UTF-8. */
  readonly body: Buffer;
}

/** Headers that a request can omit. */
export type Omitted = 'authorization' | 'x-tenant-id' | 'content-type';

/** The service, called on behalf of one caller. Only GET requests are sent. */
export interface Service {
  /**
   * Requests a path below the service's address. Repeats the request if the answer is 429, up to `maxTries` attempts in
   * all, and once if the connection fails. Without an answer, rejects with a ServiceError if there has been no answer
   * to any request, and otherwise returns the status `no answer`.
   */
  get(path: string, omitted?: Omitted): Promise<Reply>;
  /** The duration of each answer, in the order of the answers. */
  readonly durationsMs: readonly number[];
}

export interface ServiceSettings {
  /** The service's base address; its path is kept. */
  readonly url: string;
  /** The bearer token, without the word `Bearer`. */
  readonly token: string;
  readonly tenant: string;
  readonly timeoutMs: number;
}

/** Thrown if the service did not answer; the message is written for people. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
}

/** An id is not printed. */
const accountId = /(?<=^\/accounts\/)[^/]+/;

/** The maximum number of attempts while the service answers 429, and the longest wait between two attempts. */
const maxTries = 3;
const longestWaitSeconds = 10;

/** Creates the client; nothing is sent before the first `get`. */
export function createService(settings: ServiceSettings): Service {
  const base = settings.url.replace(/\/+$/, '');
  const durationsMs: number[] = [];
  const withoutAnswer = (path: string, reason: string): Reply => {
    if (durationsMs.length > 0) return { status: 'no answer', headers: {}, body: Buffer.alloc(0) };
    throw new ServiceError(
      `The service did not answer GET ${path.replace(accountId, '{accountId}')}: ${reason}.`,
    );
  };
  return {
    durationsMs,
    async get(path, omitted) {
      let isRepeated = false;
      for (let tries = 1; ; tries++) {
        const startMs = performance.now();
        const answer = await ask(base + path, settings, omitted).catch(reasonOf);
        if (typeof answer === 'string') {
          if (isRepeated || answer === timeout) return withoutAnswer(path, answer);
          isRepeated = true;
          continue;
        }
        durationsMs.push(performance.now() - startMs);
        const { retryAfter, ...reply } = answer;
        if (reply.status !== 429 || tries >= maxTries) return reply;
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
  const answer = await request(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
  const { statusCode: status, headers: answered } = answer;
  const retryAfter = parseRetryAfter(answered['retry-after'], Date.now()) || 1;
  const body = Buffer.from(await answer.body.arrayBuffer());
  return { status, headers: answered, body, retryAfter };
}

/** Not retried, because the wait may be long. */
const timeout = 'its time was over';

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no reason is known';
  if (cause.name === 'TimeoutError') return timeout;
  return 'code' in cause ? String(cause.code) : cause.name;
}
