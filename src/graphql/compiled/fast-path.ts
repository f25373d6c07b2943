// The fast path: answers known operations from compiled plans, with the same JSON text as graphql-js.
import { getVariableValues, GraphQLError, type GraphQLSchema } from 'graphql';
import { GatewayError } from '../../errors.ts';
import { jsonBytes, type JsonBytes } from '../../json/json-bytes.ts';
import { tooLong } from '../../json/json-output.ts';
import { problemsOf } from '../format-error.ts';
import { type Admit, isLong } from '../operation/operation-admission.ts';
import type { GatewayContext } from '../context.ts';
import type { Log } from '../../telemetry/log.ts';
import type { FallbackReason } from '../../telemetry/ended-operation.ts';
import type { KnownOperation } from '../operation/operation.ts';
import type { KnownDocument, OperationCache, PlanState } from '../operation/operation-cache.ts';
import type { OperationRequest, Variables } from '../operation/operation-request.ts';
import { compileOperation, type OperationPlan } from './compile.ts';
import { Run } from './run.ts';
import { Bailout } from './value-plan.ts';

export interface FastPathParts {
  readonly schema: GraphQLSchema;
  readonly operations: OperationCache;
  readonly admit: Admit;
  readonly log: Pick<Log, 'error'>;
  /** Called for each defect of the compiler or a plan. */
  readonly onDefect: () => void;
}

export type FastPath = ReturnType<typeof createFastPath>;

/** The fast path skips Apollo Server's pipeline and plugins. */
export function createFastPath({ schema, operations, admit, log, onDefect }: FastPathParts) {
  function planFor(
    known: KnownDocument,
    operation: KnownOperation,
    variables: Variables,
    context: GatewayContext,
  ): OperationPlan | FallbackReason {
    const key = known.keyOf(operation, variables);
    const state = known.stateOf(key) ?? 'unanswered';
    if (state !== 'answered') return state;
    let plan: PlanState;
    try {
      plan = compileOperation(schema, known.document, operation.node, variables);
    } catch (error) {
      const isDefect = reasonOf(error, context, 'the compiler failed') === 'defect';
      plan = isDefect ? 'defect' : 'unsupported';
    }
    known.setState(key, plan);
    operations.reweigh(known);
    return plan;
  }

  function reasonOf(err: unknown, context: GatewayContext, message: string): 'error' | 'defect' {
    const { id, signal } = context.request;
    // After the client has disconnected or the deadline has passed, any error is expected.
    if (signal.aborted || expected.some((type) => err instanceof type)) return 'error';
    onDefect();
    log.error({ requestId: id, err }, `${message}; graphql-js answers instead`);
    return 'defect';
  }

  /** Resolves with null if graphql-js has to answer; never throws or rejects. */
  function execute(
    known: KnownDocument,
    operation: KnownOperation,
    sent: Variables | null,
    context: GatewayContext,
  ): Promise<JsonBytes | null> | null {
    const variables = coerce(schema, operation.node, sent);
    if (variables === null) return leave(context, 'rejected');
    const plan = planFor(known, operation, variables, context);
    if (typeof plan === 'string') return leave(context, plan);
    const { promise, resolve } = Promise.withResolvers<JsonBytes | null>();
    const write = (run: Run) => {
      resolve(written(plan.write(run), run, operation.node, known.hash));
    };
    // If a resolver raised the error, graphql-js raises it again, with its path.
    const fail = (error: unknown) => {
      const isTooLong = error === tooLong;
      resolve(leave(context, isTooLong ? 'too_long' : reasonOf(error, context, 'a plan failed')));
    };
    new Run(context, variables, write, fail).start(plan.load);
    return promise;
  }

  return {
    /** The answer's JSON, or null if Apollo Server has to answer; never rejects. Not async, to save memory. */
    answer(
      known: KnownDocument,
      { operationName, variables: sent }: OperationRequest,
      context: GatewayContext,
    ): Promise<JsonBytes | null> | null {
      const operation = known.operation(operationName);
      if (operation === null) return leave(context, 'rejected');
      // graphql-js answers these operations, mainly because each representation of `_entities` may fail separately.
      if (operation.needsRouter) return leave(context, 'router');
      // Apollo Server's plugin limits the answer, which can be as long as the text.
      if (!operation.needsCaller && isLong(known.text)) return leave(context, 'unsupported');
      const begin = () => execute(known, operation, sent, context);
      // Apollo Server then rejects the operation for the same reason.
      const reject = () => leave(context, 'rejected');
      try {
        return admit(operation, sent, context)?.then(begin, reject) ?? begin();
      } catch {
        return reject();
      }
    },
    /** Called when graphql-js has answered without an error; the next request can then compile the operation. */
    note(
      known: KnownDocument,
      { operationName, variables: sent }: Pick<OperationRequest, 'operationName' | 'variables'>,
    ): void {
      const operation = known.operation(operationName);
      const variables = operation && coerce(schema, operation.node, sent);
      if (operation === null || variables === null) return;
      const key = known.keyOf(operation, variables);
      if (known.stateOf(key) === undefined) known.setState(key, 'answered');
    },
  };
}

function leave({ request }: GatewayContext, reason: FallbackReason): null {
  request.record.fallback = reason;
  return null;
}

const expected = [Bailout, GatewayError, GraphQLError];

const noVariables: Variables = {};

/** One error is enough for a fallback, and each further error would take time. */
const untilTheFirst = { maxErrors: 1 };

function coerce(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: KnownOperation['node'],
  sent: Variables | null,
): Variables | null {
  if (variableDefinitions.length === 0) return noVariables;
  const { coerced } = getVariableValues(schema, variableDefinitions, sent ?? {}, untilTheFirst);
  return coerced ?? null;
}

function written(
  data: JsonBytes,
  { context, failed }: Run,
  node: KnownOperation['node'],
  hash: string,
): JsonBytes {
  const { record } = context.request;
  const codes = failed === null ? noCodes : [failed.extensions.code];
  if (failed !== null) record.problems = problemsOf([failed]);
  record.answered(node, hash, codes, 'compiled');
  const errors = failed === null ? '' : `"errors":${jsonBytes([failed])},`;
  const upstream = record.listedCalls;
  const extensions = upstream === null ? '' : `,"extensions":${jsonBytes({ upstream })}`;
  return `{${errors}"data":${data}${extensions}}`;
}

const noCodes: readonly string[] = [];
