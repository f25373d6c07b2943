// The REST service as the gateway uses it: one method an endpoint (upstream.md 4).
import { type ErrorCode, GatewayError } from '../errors.ts';
import { createExchanges } from './exchange.ts';
import { UpstreamStatusError } from './failure.ts';
import { parseCompany, parsePerson } from './profile-shape.ts';
import { type RetryPolicy, withRetries } from './retry.ts';
import type { Profile, StatementPage } from './shapes.ts';
import { parseStatementPage } from './statement-shape.ts';

export { UpstreamStatusError };

/** What goes out of a client's request, byte for byte (contract.md 3). */
export interface ForwardedHeaders {
  readonly authorization: string;
  /** x-tenant-id */
  readonly tenant: string;
  /** x-request-id */
  readonly requestId: string;
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** Counts the upstream calls of one operation. */
export interface CallBudget {
  /** Takes one call; throws OPERATION_TOO_COMPLEX where none is left. A retry belongs to the call that it repeats. */
  take(): void;
  /** Calls taken so far. */
  readonly used: number;
}

/** One caller's right to ask, for one operation. */
export interface UpstreamCall {
  readonly headers: ForwardedHeaders;
  /** Ends with the client or with the operation's deadline; its reason, a GatewayError, is what a call then throws. */
  readonly signal: AbortSignal;
  readonly budget: CallBudget;
}

/** Which page of which statement. */
interface StatementAsk {
  readonly accountId: string;
  /** yyyy-MM-dd */
  readonly from: string | null;
  /** yyyy-MM-dd */
  readonly to: string | null;
  /** As the service counts, from UPSTREAM_PAGE_BASE. */
  readonly page: number;
}

/** Every method rejects with a GatewayError only, an UpstreamStatusError where the service answered with a status. */
export interface UpstreamClient {
  /** `GET /persons` */
  person(call: UpstreamCall): Promise<Profile>;
  /** `GET /companies` */
  company(call: UpstreamCall): Promise<Profile>;
  /** `GET /accounts/{accountId}/transactions`; a 404 is NOT_FOUND. */
  statementPage(call: UpstreamCall, ask: StatementAsk): Promise<StatementPage>;
  /** Waits for what is under way, then closes the connections. */
  close(): Promise<void>;
}

/** What the client writes to; pino's logger is one. */
interface UpstreamLog {
  warn(fields: object, message: string): void;
}

export interface UpstreamSettings {
  /** The service's base address; a path in it is kept. */
  readonly url: string;
  /** Deadline of one exchange, its body included. */
  readonly timeoutMs: number;
  /** Further tries after a connection error, 502 or 503. */
  readonly retries: number;
  readonly maxBodyBytes: number;
  readonly connections: number;
  readonly log?: UpstreamLog;
  /** From 0 to 1, for the jitter between tries; Math.random unless given. */
  readonly random?: () => number;
}

/** A budget of `max` upstream calls (MAX_UPSTREAM_CALLS). */
export function createCallBudget(max: number): CallBudget {
  let used = 0;
  return {
    take() {
      if (used >= max) throw tooManyCalls(max);
      used++;
    },
    get used() {
      return used;
    },
  };
}

function tooManyCalls(max: number): GatewayError {
  return new GatewayError('OPERATION_TOO_COMPLEX', {
    message: `The operation needs more than ${max} calls to the account service.`,
  });
}

/** An endpoint: its name in logs, what a 404 of it means, and how its answer is read. */
interface Endpoint<T> {
  readonly name: string;
  readonly notFound: ErrorCode;
  readonly parse: (text: string) => T;
}

const persons: Endpoint<Profile> = {
  name: 'persons',
  notFound: 'UPSTREAM_REJECTED',
  parse: parsePerson,
};
const companies: Endpoint<Profile> = {
  name: 'companies',
  notFound: 'UPSTREAM_REJECTED',
  parse: parseCompany,
};
const transactions: Endpoint<StatementPage> = {
  name: 'transactions',
  notFound: 'NOT_FOUND',
  parse: parseStatementPage,
};

/** Connects to the service; nothing is sent, and no connection opened, before the first call. */
export function createUpstreamClient(settings: UpstreamSettings): UpstreamClient {
  const { origin, pathname } = new URL(settings.url);
  const basePath = pathname.replace(/\/+$/, '');
  const exchanges = createExchanges({ ...settings, origin });

  async function read<T>(call: UpstreamCall, endpoint: Endpoint<T>, path: string): Promise<T> {
    call.budget.take();
    const { signal } = call;
    const headers = outgoingHeaders(call.headers);
    const ask = { path: basePath + path, headers, signal, notFound: endpoint.notFound };
    const policy = retryPolicy(settings, endpoint.name);
    return endpoint.parse(await withRetries(() => exchanges.get(ask), signal, policy));
  }

  return {
    person: (call) => read(call, persons, '/persons'),
    company: (call) => read(call, companies, '/companies'),
    statementPage: (call, ask) => read(call, transactions, statementPath(ask)),
    close: () => exchanges.close(),
  };
}

function retryPolicy(settings: UpstreamSettings, endpoint: string): RetryPolicy {
  const { retries, timeoutMs, log, random = Math.random } = settings;
  return {
    retries,
    timeoutMs,
    random,
    now: () => performance.now(),
    onRetry: (error) => log?.warn({ endpoint, err: error.cause }, 'upstream is asked again'),
  };
}

/** The service asks for a content type on GET too (upstream.md 4). */
function outgoingHeaders(forwarded: ForwardedHeaders): string[] {
  const { traceparent, tracestate } = forwarded;
  const headers = [
    ...['accept', 'application/json', 'content-type', 'application/json'],
    ...['authorization', forwarded.authorization, 'x-tenant-id', forwarded.tenant],
    ...['x-request-id', forwarded.requestId],
  ];
  if (traceparent !== undefined) headers.push('traceparent', traceparent);
  if (tracestate !== undefined) headers.push('tracestate', tracestate);
  return headers;
}

function statementPath({ accountId, from, to, page }: StatementAsk): string {
  const start = from === null ? '' : `&startDate=${encodeURIComponent(from)}`;
  const end = to === null ? '' : `&endDate=${encodeURIComponent(to)}`;
  return `/accounts/${encodeURIComponent(accountId)}/transactions?page=${page}${start}${end}`;
}
