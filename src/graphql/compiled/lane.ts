// The way past Apollo Server for operations that it has parsed, validated and let pass before, to the character.
import { type DocumentNode, getOperationAST, type OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { GatewayContext } from '../context.ts';
import { needsOf } from '../operation.ts';
import { noteOperation } from '../operation-record.ts';
import type { Operations } from '../operations.ts';
import type { Prepare } from './compiled-execution.ts';
import { type JsonBytes, jsonBytes } from '../../json/json-text.ts';

/**
 * What Apollo Server does for an operation each time it comes costs as much as the operation. Once it has done so, the
 * same text can only be wrong for its variables, its caller or the service's answers. Here it is executed at once; where
 * anything at all is not as usual, it is for Apollo Server, which goes on with the same context: the caller is admitted,
 * and what was read is there.
 *
 * Plugins of Apollo Server do not see these operations. What those of this gateway do for one without errors is done
 * here: admission (guard.ts) and the record (operation-record.ts); the others look at errors alone.
 */
export interface Lane {
  /** The answer to the JSON body of a POST; null where it is for Apollo Server. */
  answer(
    body: Readonly<Record<string, unknown>>,
    context: GatewayContext,
  ): Promise<JsonBytes | null>;
  /** Notes an operation that was answered by its plan. */
  remember(passed: Passed): void;
}

/** What Apollo Server knows of an operation that passed. */
export interface Passed {
  readonly source: string;
  readonly document: DocumentNode;
  readonly queryHash?: string;
  readonly metrics: { readonly persistedQueryHit?: boolean };
}

interface Known {
  readonly document: DocumentNode;
  readonly hash: string;
}

/** Characters of text in all: the documents themselves, most of which the document store has too, take 100 times as much. */
const maxLength = 256 * 1024;

const isSha256 = /^[\da-f]{64}$/;

export function createLane(prepare: Prepare, operations: Pick<Operations, 'find'>): Lane {
  const passed = new LRUCache<string, Known>({
    maxSize: maxLength,
    sizeCalculation: ({ document }) => Math.max(1, document.loc?.source.body.length ?? 0),
  });

  /** By its text, or by a hash that only this text can have. */
  function find({ text, id }: Names): Known | undefined {
    if (text !== null) return passed.get(text);
    if (id === null) return undefined;
    const listed = operations.find(id);
    return passed.get(listed === undefined ? id : listed.body);
  }

  return {
    async answer(body, context) {
      const known = find(namesIn(body));
      const operation = known && operationIn(known, body['operationName']);
      const variables = body['variables'] ?? undefined;
      if (!operation || !isRecordOrNone(variables)) return null;
      const run = prepare({ document: known.document, operation, variables });
      if (run === null) return null;
      const admitting = admits(context, operation, known.document);
      if (admitting === false || (admitting !== true && !(await admitting))) return null;
      const data = await run(context);
      return data && written(data, context, operation, known.hash);
    },
    remember({ source, document, queryHash = '', metrics }) {
      const known = { document, hash: queryHash };
      passed.set(source, known);
      // What a hash stands for cannot change, unless the manifest gives its own ids.
      const isHash = metrics.persistedQueryHit === true && isSha256.test(queryHash);
      if (isHash && operations.find(queryHash) === undefined) passed.set(queryHash, known);
    },
  };
}

/** What a request names an operation by; neither where Apollo Server has to look at it. */
interface Names {
  readonly text: string | null;
  readonly id: string | null;
}

const nothing: Names = { text: null, id: null };

function namesIn(body: Readonly<Record<string, unknown>>): Names {
  const { query, extensions = null } = body;
  if (!isRecordOrNone(extensions ?? undefined)) return nothing;
  const persisted = (extensions as { persistedQuery?: PersistedQuery | null } | null)
    ?.persistedQuery;
  if (typeof query === 'string') return persisted ? nothing : { text: query, id: null };
  if (query !== undefined || persisted?.version !== 1) return nothing;
  return { text: null, id: typeof persisted.sha256Hash === 'string' ? persisted.sha256Hash : null };
}

interface PersistedQuery {
  readonly version?: unknown;
  readonly sha256Hash?: unknown;
}

function isRecordOrNone(value: unknown): value is Readonly<Record<string, unknown>> | undefined {
  return (
    value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value))
  );
}

function operationIn({ document }: Known, name: unknown): OperationDefinitionNode | null {
  if (name !== undefined && name !== null && typeof name !== 'string') return null;
  return getOperationAST(document, name) ?? null;
}

/** Whether the operation may run; if not, Apollo Server asks the context again, and answers with the reason. */
function admits(
  context: GatewayContext,
  operation: OperationDefinitionNode,
  document: DocumentNode,
): boolean | Promise<boolean> {
  const needs = needsOf(operation, document);
  if (needs.router) return false;
  if (!needs.caller) return true;
  const admitting = context.admit();
  return admitting === null || admitting.then(yes, no);
}

const yes = () => true;
const no = () => false;

function written(
  data: JsonBytes,
  { request }: GatewayContext,
  operation: OperationDefinitionNode,
  hash: string,
): JsonBytes {
  const upstream = noteOperation(request.record, { operation, hash, codes: [] });
  return upstream === null
    ? `{"data":${data}}`
    : `{"data":${data},"extensions":${jsonBytes({ upstream })}}`;
}
