// The service, called as the gateway calls it: with its client's connections and limits, one GET at a time.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayError } from '../src/errors.ts';
import { readCertificates } from '../src/settings/certificate-files.ts';
import type { Settings } from '../src/settings/settings.ts';
import { Connections } from '../src/upstream/exchange/connection-pool.ts';
import type { Exchange } from '../src/upstream/exchange/exchange.ts';
import { UpstreamStatusError } from '../src/upstream/exchange/failure.ts';

/** The status of an answer; `unusable` if the gateway rejects the answer unread, `no answer` if there was none. */
export type Status = number | 'unusable' | 'no answer';

/** Whether a status answers a question about the service: a missing answer and a rate limit (429) do not. */
export function isConclusive(status: Status): status is number {
  return typeof status === 'number' && status !== 429;
}

export interface Reply {
  readonly status: Status;
  /** The body of a 200. */
  readonly body: Buffer | null;
  /** Why there is no body. */
  readonly reason: string;
}

export interface Caller {
  /** The value of the Authorization header. */
  readonly authorization: string;
  readonly tenant: string;
}

/** The service, called on behalf of one caller. */
export interface Service extends AsyncDisposable {
  /**
   * Requests a path below the service's address, with the headers of the gateway; `as` replaces the caller. Repeats the
   * request if the answer is 429, up to `maxTries` attempts in all, and once if the connection fails.
   */
  get(path: string, as?: Partial<Caller>): Promise<Reply>;
  /** The duration of each answer, in the order of the answers. */
  readonly durationsMs: readonly number[];
}

/** The gateway's settings with the service's address. */
export interface ServiceSettings extends Settings {
  readonly upstreamUrl: string;
  /** The longest wait for an answer; longer than that of the gateway, so that a slow service can be examined. */
  readonly timeoutMs: number;
}

/** The maximum number of attempts while the service answers 429, and the longest wait between two attempts. */
const maxTries = 3;
const longestWaitSeconds = 10;

/** Creates the client; nothing is sent before the first `get`. `onAnswer` is called after each answer. */
export function openService(
  settings: ServiceSettings,
  caller: Caller,
  onAnswer: (answers: number) => void,
): Service {
  const { upstreamUrl: url, timeoutMs } = settings;
  const connections = new Connections(
    {
      ...{ url, timeoutMs, connections: 1, maxBodyBytes: settings.upstreamMaxBodyBytes },
      context: readCertificates(settings)?.context ?? null,
      usesProxy: settings.nodeUseEnvProxy,
      observer: { queue: () => undefined },
    },
    { resize: () => true, take: () => true },
  );
  const basePath = new URL(url).pathname.replace(/\/+$/, '');
  const durationsMs: number[] = [];

  async function get(path: string, as: Partial<Caller> = {}): Promise<Reply> {
    const headers = { ...caller, ...as };
    let isRepeated = false;
    for (let tries = 1; ; tries++) {
      const startMs = performance.now();
      const answer = await ask(connections, basePath + path, headers, timeoutMs);
      if (answer.status === 'no answer') {
        if (isRepeated || answer.reason === tooLate) return answer;
        isRepeated = true;
        continue;
      }
      durationsMs.push(performance.now() - startMs);
      onAnswer(durationsMs.length);
      if (answer.status !== 429 || tries >= maxTries) return answer;
      await sleep(1000 * Math.min(answer.retryAfterSeconds || 1, longestWaitSeconds));
    }
  }

  return { get, durationsMs, [Symbol.asyncDispose]: () => connections.close() };
}

/** Not retried, because the wait may be long. */
const tooLate = 'there was no complete answer in time';

type Answer = Reply & { readonly retryAfterSeconds: number | null };

function ask(
  connections: Connections,
  path: string,
  { authorization, tenant }: Caller,
  timeoutMs: number,
): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const end = (status: Status, reason: string, more: Partial<Answer> = {}) => {
    clearTimeout(timer);
    resolve({ status, body: null, reason, retryAfterSeconds: null, ...more });
  };
  const headers = { authorization, tenant, requestId: randomUUID() };
  const exchange: Exchange | null = connections.send(
    {
      route: 'doctor',
      path,
      headers,
      traceparent: undefined,
      notFound: 'NOT_FOUND',
      hasAnswers: false,
    },
    {
      onSent: () => undefined,
      onResent: () => undefined,
      onReceived: () => undefined,
      onBody: (body) => end(200, '', { body }),
      onFailure(error) {
        if (error instanceof UpstreamStatusError) {
          const { status, retryAfterSeconds } = error;
          end(status, `status ${status}`, { retryAfterSeconds });
        } else {
          const isAnswer = error.code === 'UPSTREAM_CONTRACT_VIOLATION';
          end(isAnswer ? 'unusable' : 'no answer', causeOf(error));
        }
      },
      onRefused: (reason) => end('no answer', reason),
    },
  );
  const timer = setTimeout(() => {
    if (exchange !== null) connections.giveUp(exchange);
    end('no answer', tooLate);
  }, timeoutMs);
  return promise;
}

/** The cause of a failed exchange, or what is wrong with an answer; quotes nothing of the answer. */
export function causeOf({ cause, message }: GatewayError): string {
  return cause instanceof Error ? cause.message : message.replace(/^[^:]*: |\.$/g, '');
}
