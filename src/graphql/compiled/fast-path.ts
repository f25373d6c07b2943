// The fast path: answers operations that were answered before by compiled plans, with the same text as graphql-js.
import {
  getVariableValues,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { GatewayError } from '../../errors.ts';
import { jsonBytes, type JsonBytes } from '../../json/json-bytes.ts';
import type { Admit } from '../operation/operation-admission.ts';
import type { GatewayContext } from '../context.ts';
import type { Log } from '../../telemetry/log/log.ts';
import type { FallbackReason } from '../../telemetry/ended-operation.ts';
import type { KnownOperation } from '../operation/operation.ts';
import type { KnownDocument, OperationCache } from '../operation/operation-cache.ts';
import type { OperationRequest, Variables } from '../operation/operation-request.ts';
import { maxAnswerLength } from '../limits/answer-size.ts';
import { compileOperation, type OperationPlan } from './compile.ts';
import { Run } from './run.ts';
import { Bailout } from './value-plan.ts';

/**
 * Apollo Server's work for each operation costs as much as the operation. A text that was parsed, validated and answered
 * once can only fail because of its variables, its caller or the service's answers. Here its plan answers it; in
 * unusual cases Apollo Server and graphql-js answer, with the same context: the caller is admitted once, and values that
 * were read are not read again.
 *
 * Plugins of Apollo Server do not see these operations. They have the same admission and record; the gateway's other
 * plugins only handle errors that are left to them.
 */
export interface FastPath {
  /** The answer; null if it is left to Apollo Server. Never rejects. */
  answer(
    known: KnownDocument,
    request: OperationRequest,
    context: GatewayContext,
  ): Promise<JsonBytes | null>;
  /** Notes an operation that graphql-js answered without an error: the next time it is compiled. */
  note(known: KnownDocument, request: Pick<OperationRequest, 'operationName' | 'variables'>): void;
}

export interface FastPathParts {
  readonly schema: GraphQLSchema;
  readonly operations: OperationCache;
  readonly admit: Admit;
  readonly log: Pick<Log, 'error'>;
  /** Called for each defect of the compiler or of a plan; graphql-js then answers instead. */
  readonly onDefect: () => void;
}

export function createFastPath(parts: FastPathParts): FastPath {
  const { schema, operations, admit, log, onDefect } = parts;

  function planFor(
    known: KnownDocument,
    operation: KnownOperation,
    variables: Variables,
    context: GatewayContext,
  ): OperationPlan | FallbackReason {
    const key = known.plans.keyOf(operation, variables);
    const state = known.plans.get(key) ?? 'unanswered';
    if (state !== 'answered') return state;
    const plan = compile(known, operation, variables, context);
    known.plans.set(key, plan);
    operations.reweigh(known);
    return plan;
  }

  function compile(
    { document }: KnownDocument,
    { node }: KnownOperation,
    variables: Variables,
    context: GatewayContext,
  ): OperationPlan | 'unsupported' | 'defect' {
    try {
      return compileOperation(schema, document, node, variables);
    } catch (error) {
      if (isExpected(error, context)) return 'unsupported';
      report(error, context, 'the compiler failed');
      return 'defect';
    }
  }

  function report(err: unknown, { request }: GatewayContext, message: string): void {
    onDefect();
    log.error({ requestId: request.id, err }, `${message}; graphql-js answers instead`);
  }

  return {
    async answer(known, { operationName, variables: sent }, context) {
      const operation = known.operation(operationName);
      if (operation === null) return leave(context, 'rejected');
      // Each representation of `_entities` may fail by itself.
      if (operation.needsRouter) return leave(context, 'router');
      if (known.plans.isEmpty) return leave(context, 'unanswered');
      try {
        const admitting = admit(operation, sent, context);
        if (admitting !== null) await admitting;
      } catch {
        // Apollo Server admits with the same outcome, and answers with the reason.
        return leave(context, 'rejected');
      }
      const variables = coerce(schema, operation.node, sent);
      if (variables === null) return leave(context, 'rejected');
      const plan = planFor(known, operation, variables, context);
      if (typeof plan === 'string') return leave(context, plan);
      const run = new Run(context, variables);
      try {
        await run.loaded(plan.load);
        const data = plan.write(run);
        if (data.length > maxAnswerLength) return leave(context, 'too_long');
        return written(data, run, operation.node, known.hash);
      } catch (error) {
        // graphql-js then raises the error again, with its path.
        if (isExpected(error, context)) return leave(context, 'error');
        report(error, context, 'a plan failed');
        return leave(context, 'defect');
      }
    },
    note(known, { operationName, variables: sent }) {
      const operation = known.operation(operationName);
      const variables = operation && coerce(schema, operation.node, sent);
      if (operation === null || variables === null) return;
      const key = known.plans.keyOf(operation, variables);
      if (known.plans.get(key) === undefined) known.plans.set(key, 'answered');
    },
  };
}

/** Notes the reason why graphql-js answers. */
function leave({ request }: GatewayContext, reason: FallbackReason): null {
  request.record.fallBack(reason);
  return null;
}

/**
 * Whether an error is not a defect: one of the service, of an argument or of a client that is gone, or a value that no
 * plan supports.
 */
function isExpected(error: unknown, { request }: GatewayContext): boolean {
  return (
    error instanceof Bailout ||
    error instanceof GatewayError ||
    error instanceof GraphQLError ||
    request.signal.aborted
  );
}

const noVariables: Variables = {};

/** graphql-js would report each error, at a fifth of a millisecond; one is enough to reject the variables. */
const untilTheFirst = { maxErrors: 1 };

/** Null if a variable does not coerce. */
function coerce(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  sent: Variables | null,
): Variables | null {
  if (variableDefinitions.length === 0) return noVariables;
  const { coerced } = getVariableValues(schema, variableDefinitions, sent ?? {}, untilTheFirst);
  return coerced ?? null;
}

/** The text of the answer, the same as if graphql-js had answered. */
function written(
  data: JsonBytes,
  { context, failed }: Run,
  { name, operation: kind }: OperationDefinitionNode,
  hash: string,
): JsonBytes {
  const { record } = context.request;
  const codes = failed === null ? noCodes : [failed.error.code];
  record.know({ name: name?.value ?? null, hash, kind, codes, executor: 'compiled' });
  let errors = '';
  if (failed !== null) {
    const { key, locations, error } = failed;
    const { message, extensions } = error;
    errors = `"errors":${jsonBytes([{ message, locations, path: [key], extensions }])},`;
  }
  const upstream = record.toldCalls;
  const extensions = upstream === null ? '' : `,"extensions":${jsonBytes({ upstream })}`;
  return `{${errors}"data":${data}${extensions}}`;
}

const noCodes: readonly string[] = [];
