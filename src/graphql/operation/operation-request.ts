// Parses the operation of a request: the document's text or id, the variables, and the operation's name.
import { hash } from 'node:crypto';
import { GatewayError } from '../../errors.ts';
import { documentId } from '../../settings/operations-manifest.ts';
import type { PersistedQueries } from './persisted-queries.ts';

export interface OperationRequest {
  readonly text: string | null;
  /** A SHA-256, or an id from the manifest. */
  readonly id: string | null;
  readonly operationName: string | null;
  readonly variables: Variables | null;
}

/** Variables as the client sent them, unless a comment says that they are coerced. */
export type Variables = Readonly<Record<string, unknown>>;

/** Throws BAD_REQUEST if the body is invalid. */
export function parseOperationBody(body: Readonly<Record<string, unknown>>): OperationRequest {
  return {
    text: textOf('query', body['query']),
    id: idOf(textOf('documentId', body['documentId']), objectOf('extensions', body['extensions'])),
    operationName: textOf('operationName', body['operationName']),
    variables: objectOf('variables', body['variables']),
  };
}

/** `search` may begin with a question mark. Throws BAD_REQUEST if a parameter is invalid. */
export function parseOperationSearch(search: string): OperationRequest {
  const parameters = new URLSearchParams(search);
  const body: Record<string, unknown> = {};
  for (const name of ['query', 'documentId', 'operationName', 'variables', 'extensions']) {
    const [value = '', another] = parameters.getAll(name);
    if (another !== undefined) throw badRequest(`${name} may be given only once.`);
    if (value === '') continue;
    const isText = name !== 'variables' && name !== 'extensions';
    // For V8, a value without escapes is a part of the address, which a cached text would keep in memory.
    body[name] = isText ? Buffer.from(value).toString() : parseObject(name, value);
  }
  return parseOperationBody(body);
}

/** Throws BAD_REQUEST without a text or id; throws or rejects with PERSISTED_QUERY_NOT_FOUND if the id is unknown. */
export function findText(
  { text, id }: OperationRequest,
  persistedQueries: Pick<PersistedQueries, 'find'>,
): string | Promise<string> {
  if (text !== null) return text;
  if (id === null) throw badRequest('A request needs a document: query, or documentId.');
  const found = persistedQueries.find(id);
  return found instanceof Promise ? found.then(known) : known(found);
}

/** Throws BAD_REQUEST if both id and text were sent and the id is not the SHA-256 of the text. */
export function checkId({ text, id }: OperationRequest, sha256?: string): void {
  if (text !== null && id !== null && (sha256 ?? hash('sha256', text)) !== id) {
    throw badRequest('The hash is not that of the document.');
  }
}

function known(text: string | undefined): string {
  if (text === undefined) throw new GatewayError('PERSISTED_QUERY_NOT_FOUND');
  return text;
}

/** An empty string counts as absent. */
function textOf(name: string, value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw badRequest(`${name} must be a string.`);
  return value;
}

function objectOf(name: string, value: unknown): Variables | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw badRequest(`${name} must be a JSON object.`);
  }
  return value as Variables;
}

/** The id, from `documentId` of GraphQL over HTTP or from `persistedQuery` of Apollo's clients. */
function idOf(sent: string | null, extensions: Variables | null): string | null {
  const hashed = hashOf(extensions);
  if (sent === null) return hashed;
  const id = documentId(sent);
  if (hashed !== null && hashed !== id) {
    throw badRequest('documentId and the hash of the persisted query name different documents.');
  }
  return id;
}

/** The hash from Apollo's `persistedQuery`; null if none was sent. The protocol has only version 1. */
function hashOf(extensions: Variables | null): string | null {
  const persistedQuery = extensions?.['persistedQuery'];
  if (persistedQuery === undefined || persistedQuery === null) return null;
  const { version, sha256Hash } = persistedQuery as Readonly<Record<string, unknown>>;
  if (version !== 1) throw badRequest('The version of a persisted query must be 1.');
  if (typeof sha256Hash !== 'string') {
    throw badRequest('The hash of a persisted query must be a string.');
  }
  return sha256Hash;
}

function parseObject(name: string, text: string): Variables | null {
  try {
    return objectOf(name, JSON.parse(text));
  } catch {
    throw badRequest(`${name} must be a JSON object.`);
  }
}

function badRequest(message: string): GatewayError {
  return new GatewayError('BAD_REQUEST', { message });
}
