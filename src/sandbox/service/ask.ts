// What a request asks of the service, parsed once: for answering it, for the journal, and for matching faults.
import type { IncomingMessage } from 'node:http';
import { readClaims } from '../tokens.ts';

/** The endpoint of docs/service.md that a request is for. */
export type Route = 'persons' | 'companies' | 'transactions' | 'unknown';

/** One request to the service. */
export interface Ask {
  readonly method: string;
  /** Path and query as received. */
  readonly target: string;
  /** The path below the bank's base path, without the query. */
  readonly path: string;
  readonly route: Route;
  /** The first value of each query parameter. */
  readonly query: Readonly<Record<string, string>>;
  /** The account of a statement, in lower case; null on other routes. */
  readonly accountId: string | null;
  /** The requested page; null if it is absent or not a whole number. */
  readonly page: number | null;
  /** x-tenant-id if it was sent once and well formed, otherwise null. */
  readonly tenant: string | null;
  /** The token's sub, or null if there is no usable token. */
  readonly holderId: string | null;
  readonly isJson: boolean;
}

const statementPath = /^\/accounts\/([^/]+)\/transactions$/;

/** Parses a request; `nowMs` (epoch) decides whether its token has expired. */
export function readAsk(request: IncomingMessage, basePath: string, nowMs: number): Ask {
  const { method = '', url: target = '', headers } = request;
  const [fullPath = '', ...rest] = target.split('?');
  const path = fullPath.startsWith(basePath) ? fullPath.slice(basePath.length) : '';
  const query = firstValues(rest.join('?'));
  const subject = readClaims(headers.authorization, nowMs)?.['sub'];
  return {
    method,
    target,
    path,
    route: routeOf(path),
    query,
    accountId: statementPath.exec(path)?.[1]?.toLowerCase() ?? null,
    page: wholeNumber(query['page']),
    tenant: wellFormedTenant(headers['x-tenant-id']),
    holderId: typeof subject === 'string' ? subject : null,
    isJson: /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''),
  };
}

function routeOf(path: string): Route {
  if (path === '/persons') return 'persons';
  if (path === '/companies') return 'companies';
  return statementPath.test(path) ? 'transactions' : 'unknown';
}

function firstValues(search: string): Record<string, string> {
  if (search === '') return {};
  return Object.fromEntries([...new URLSearchParams(search)].reverse());
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Node joins repeated headers with ', ', which no tenant contains. */
function wellFormedTenant(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(value) ? value : null;
}
