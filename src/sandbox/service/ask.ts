// Parses each request to the service once, for its answer, for the journal, and for the choice of a fault.
import type { IncomingMessage } from 'node:http';
import { readClaims } from '../tokens.ts';
import { findRoute, type Question, type Route } from './service-routes.ts';

/** One request to the service. */
export interface Ask extends Question {
  readonly method: string;
  /** Path and query as received. */
  readonly target: string;
  /** The path below the bank's base path, without the query. */
  readonly path: string;
  readonly route: Route;
  /** x-tenant-id if it was sent once and well formed, otherwise null. */
  readonly tenant: string | null;
  /** The token's sub, or null if there is no usable token. */
  readonly holderId: string | null;
  readonly isJson: boolean;
}

/** Parses a request; `nowMs` (epoch ms) determines whether its token has expired. */
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
    ...findRoute(path),
    query,
    page: wholeNumber(query['page']),
    tenant: wellFormedTenant(headers['x-tenant-id']),
    holderId: typeof subject === 'string' ? subject : null,
    isJson: /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''),
  };
}

function firstValues(search: string): Record<string, string> {
  if (search === '') return {};
  return Object.fromEntries([...new URLSearchParams(search)].reverse());
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The tenant, if well formed. Node.js joins repeated headers with ', ', which no tenant contains. */
function wellFormedTenant(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(value) ? value : null;
}
