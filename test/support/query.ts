// Sends requests to a gateway as a client does.
import type { Bank } from '../../src/sandbox/bank-script.ts';
import type { HolderSummary } from '../../src/sandbox/data/directory.ts';
import { parseStrictly, strictText } from './strict-json.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as received. */
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>> | null | undefined;
  readonly errors?: readonly AnswerError[] | undefined;
}

export interface AnswerError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string; readonly retryAfter?: number };
}

export interface Question {
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface Asked {
  readonly url: string;
  readonly bank: Bank;
}

/** Posts a document as the bank's first holder; `headers` add to or replace the default headers. */
export async function query(
  gateway: Asked,
  document: string,
  question: Question = {},
): Promise<Answer> {
  const { headers, signal, ...rest } = question;
  return post(gateway, JSON.stringify({ query: document, ...rest }), {
    signal: signal ?? null,
    headers: { ...(await callerHeaders(gateway.bank)), ...headers },
  });
}

interface PostInit extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts any body, with only a JSON content type and the given headers. */
export function post(
  { url }: { readonly url: string },
  body: NonNullable<RequestInit['body']>,
  init: PostInit = {},
): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...init.headers };
  return ask(`${url}/graphql`, { method: 'POST', body, ...init, headers });
}

/** Requests a URL; a JSON body is parsed, strictly. */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = strictText(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const { data, errors } = (isJson ? parseStrictly(text) : {}) as Pick<Answer, 'data' | 'errors'>;
  return { status: response.status, headers: response.headers, text, data, errors };
}

/**
 * The Authorization and x-tenant-id headers of a holder, by default the bank's first. `claims` replace or add claims of
 * the token.
 */
export async function callerHeaders(
  bank: Bank,
  holder: HolderSummary = firstHolder(bank),
  claims?: Readonly<Record<string, unknown>>,
): Promise<{ authorization: string; 'x-tenant-id': string }> {
  const { id, tenant } = holder;
  const token = await bank.tokenFor({ id, tenant }, claims);
  return { authorization: `Bearer ${token}`, 'x-tenant-id': tenant };
}

export function firstHolder({ holders }: Bank): HolderSummary {
  const [first] = holders;
  if (first === undefined) throw new Error('the bank is empty');
  return first;
}

/** The codes of an answer's errors, in order. */
export function codesOf({ errors = [] }: Answer): string[] {
  return errors.map(({ extensions }) => extensions.code);
}
