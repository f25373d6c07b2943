// The client of the REST service: one method for each endpoint (docs/service.md).
import { type AnswerObserver, observed, observePage, observeProfile } from './answer-observer.ts';
import type { UpstreamCall } from './call.ts';
import { Circuit } from './exchange/circuit.ts';
import { Connections } from './exchange/connection-pool.ts';
import { type BreakerState, unobserved, type UpstreamObserver } from './observer.ts';
import { scanProfile } from './scan/profile-scan.ts';
import { parseCompany, parsePerson } from './shape/profile-shape.ts';
import type { ReadParts } from './reads/read.ts';
import { createRetryBudget } from './exchange/retry.ts';
import type { Profile, StatementPage } from './shape/shapes.ts';
import { createReads } from './reads/shared-reads.ts';
import { scanStatementPage } from './scan/statement-scan.ts';
import { parseStatementPage } from './shape/statement-shape.ts';

export * from './call.ts';
export { UpstreamStatusError } from './exchange/failure.ts';

/** A page of a statement. */
interface StatementAsk {
  readonly accountId: string;
  /** yyyy-MM-dd */
  readonly from: string | null;
  /** yyyy-MM-dd */
  readonly to: string | null;
  /** As the service counts, from UPSTREAM_PAGE_BASE. */
  readonly page: number;
}

/** Every method rejects with a GatewayError only; with an UpstreamStatusError if the service answered with a status. */
export interface UpstreamClient {
  /** `GET /persons` */
  person(call: UpstreamCall): Promise<Profile>;
  /** `GET /companies` */
  company(call: UpstreamCall): Promise<Profile>;
  /** `GET /accounts/{accountId}/transactions`; a 404 is NOT_FOUND. */
  statementPage(call: UpstreamCall, ask: StatementAsk): Promise<StatementPage>;
  /** Whether the queue for connections is so long that more operations should be rejected. */
  isSaturated(): boolean;
  /** Waits for the exchanges in progress, then closes the connections. */
  close(): Promise<void>;
}

/** The part of pino's logger that is used. */
interface UpstreamLog {
  warn(fields: object, message: string): void;
}

export interface UpstreamSettings {
  /** The service's base address; a path in it is kept. */
  readonly url: string;
  /** Deadline of one exchange, from the call to the last byte of its answer, including the wait for a connection. */
  readonly timeoutMs: number;
  /** Retries after a connection error, 502 or 503. */
  readonly retries: number;
  readonly maxBodyBytes: number;
  readonly connections: number;
  readonly log?: UpstreamLog;
  readonly observer?: UpstreamObserver;
  readonly answers?: AnswerObserver;
  /** From 0 to 1, for the jitter of retries; Math.random by default. */
  readonly random?: () => number;
}

/** Creates the client; it opens no connection before the first call. */
export function createUpstreamClient(settings: UpstreamSettings): UpstreamClient {
  const { origin, pathname } = new URL(settings.url);
  const basePath = pathname.replace(/\/+$/, '');
  const { answers, observer = unobserved } = settings;
  const onQueue = (length: number) => observer.queue(length);
  const connections = new Connections({ ...settings, origin, onQueue });
  const parts = createParts(settings, connections);
  // Most answers are exactly as documented: scanning them takes a third of the time of parsing.
  const persons = createReads(parts, {
    route: 'persons',
    notFound: 'UPSTREAM_REJECTED',
    parse: observed(
      (utf8: Buffer) => scanProfile('PERSON', utf8) ?? parsePerson(utf8.toString()),
      observeProfile,
      answers,
    ),
  });
  const companies = createReads(parts, {
    route: 'companies',
    notFound: 'UPSTREAM_REJECTED',
    parse: observed(
      (utf8: Buffer) => scanProfile('COMPANY', utf8) ?? parseCompany(utf8.toString()),
      observeProfile,
      answers,
    ),
  });
  const transactions = createReads(parts, {
    route: 'transactions',
    notFound: 'NOT_FOUND',
    parse: observed(
      (utf8: Buffer) => scanStatementPage(utf8) ?? parseStatementPage(utf8.toString()),
      observePage,
      answers,
    ),
  });
  return {
    person: (call) => persons(call, `${basePath}/persons`),
    company: (call) => companies(call, `${basePath}/companies`),
    statementPage: (call, ask) => transactions(call, basePath + statementPath(ask), ask.page),
    isSaturated: () => connections.isSaturated,
    close: () => connections.close(),
  };
}

function createParts(settings: UpstreamSettings, connections: Connections): ReadParts {
  const { timeoutMs, retries, random = Math.random, log, observer = unobserved } = settings;
  const now = () => performance.now();
  const onChange = (state: BreakerState) => {
    observer.breaker(state);
    log?.warn({ state }, 'the circuit to the service changed');
    if (state === 'open') connections.refuseWaiting();
  };
  return {
    connections,
    circuit: new Circuit({ now, onChange }),
    retry: { retries, timeoutMs, random, budget: createRetryBudget() },
    observer,
    onRetry(route, error) {
      observer.retry(route);
      log?.warn({ endpoint: route, err: error.cause }, 'upstream is asked again');
    },
    now,
  };
}

function statementPath({ accountId, from, to, page }: StatementAsk): string {
  const start = from === null ? '' : `&startDate=${encodeURIComponent(from)}`;
  const end = to === null ? '' : `&endDate=${encodeURIComponent(to)}`;
  return `/accounts/${encodeURIComponent(accountId)}/transactions?page=${page}${start}${end}`;
}
