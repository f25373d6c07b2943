// Refuses operations that the manifest does not list, before they are parsed (docs/operations.md).
import type { HTTPGraphQLRequest } from '@apollo/server';
import { errorKinds } from '../errors.ts';
import type { GatewayRequest } from '../graphql/context.ts';
import type { Operations } from '../graphql/operations.ts';
import type { RouterCheck } from '../identity/router.ts';
import { Refusal } from './exchange.ts';
import type { MediaType } from './media-type.ts';

/** Throws PERSISTED_QUERY_REQUIRED, to be answered in this media type, where a request asks for what is not listed. */
export type OperationGate = (
  asked: HTTPGraphQLRequest,
  head: Pick<GatewayRequest['head'], 'headersDistinct'>,
  mediaType: MediaType,
) => void;

export interface OperationGateParts {
  readonly operations: Pick<Operations, 'find' | 'hasText'>;
  /** Null where there is no router. */
  readonly isRouter: RouterCheck | null;
}

/**
 * A federation router passes with its secret: what it asks is made by its query planner, for operations that it has
 * let in itself, and no manifest can list that.
 */
export function createOperationGate({ operations, isRouter }: OperationGateParts): OperationGate {
  return (asked, head, mediaType) => {
    const { text, id } = asked.method === 'GET' ? inSearch(asked.search) : inBody(asked.body);
    const isListed = text === null ? isKnown(id) : operations.hasText(text);
    if (!isListed && isRouter?.(head.headersDistinct) !== true) throw notListed(mediaType);
  };

  /** A request that names nothing at all is for Apollo Server to refuse, or to answer with a page. */
  function isKnown(id: string | null): boolean {
    return id === null || operations.find(id) !== undefined;
  }
}

function notListed(mediaType: MediaType): Refusal {
  const { status, message } = errorKinds.PERSISTED_QUERY_REQUIRED;
  const headers = { 'content-type': `${mediaType}; charset=utf-8` };
  return new Refusal(status, message, 'PERSISTED_QUERY_REQUIRED', headers);
}

/** What a request wants run: the text of a document, or else the id of one. */
interface Asked {
  readonly text: string | null;
  readonly id: string | null;
}

/** Whatever Apollo Server would not take for a text or an id, it refuses itself. */
function inBody(body: unknown): Asked {
  const { query, extensions } = body as Readonly<Record<string, unknown>>;
  return { text: textIn(query), id: idIn(extensions) };
}

function inSearch(search: string): Asked {
  const parameters = new URLSearchParams(search);
  const extensions = parameters.get('extensions');
  const id = extensions === null ? null : idIn(parseJson(extensions));
  return { text: textIn(parameters.get('query')), id };
}

/** An empty text is as none. */
function textIn(query: unknown): string | null {
  return typeof query === 'string' && query !== '' ? query : null;
}

function idIn(extensions: unknown): string | null {
  const hash = property(property(extensions, 'persistedQuery'), 'sha256Hash');
  return typeof hash === 'string' ? hash : null;
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** Undefined where the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
