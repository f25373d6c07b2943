// The way past Apollo Server for operations that it has parsed, validated and let pass before, to the character.
import { type DocumentNode, getOperationAST, type OperationDefinitionNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { GatewayContext } from '../context.ts';
import { needsOf } from '../operation.ts';
import { noteOperation } from '../operation-record.ts';
import type { OperationRequest } from '../operation-request.ts';
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
  /** The answer to a request, its text found; null where it is for Apollo Server. */
  answer(asked: Asked, context: GatewayContext): Promise<JsonBytes | null>;
  /** Notes an operation that was answered by its plan. */
  remember(passed: Passed): void;
}

/** A request whose text is known. */
type Asked = Pick<OperationRequest, 'operationName' | 'variables'> & { readonly text: string };

/** What Apollo Server knows of an operation that passed. */
export interface Passed {
  readonly source: string;
  readonly document: DocumentNode;
  readonly queryHash?: string;
}

interface Known {
  readonly document: DocumentNode;
  readonly hash: string;
}

/** Characters of text in all: the documents themselves, most of which the document store has too, take 100 times as much. */
const maxLength = 256 * 1024;

export function createLane(prepare: Prepare): Lane {
  const passed = new LRUCache<string, Known>({
    maxSize: maxLength,
    sizeCalculation: ({ document }) => Math.max(1, document.loc?.source.body.length ?? 0),
  });

  return {
    async answer({ text, operationName, variables }, context) {
      const known = passed.get(text);
      const operation = known && getOperationAST(known.document, operationName);
      if (!operation) return null;
      const run = prepare({
        document: known.document,
        operation,
        variables: variables ?? undefined,
      });
      if (run === null) return null;
      const admitting = admits(context, operation, known.document);
      if (admitting === false || (admitting !== true && !(await admitting))) return null;
      context.request.register?.();
      const data = await run(context);
      return data && written(data, context, operation, known.hash);
    },
    remember({ source, document, queryHash = '' }) {
      passed.set(source, { document, hash: queryHash });
    },
  };
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
