// The fast path: answers operations that were answered before by compiled plans, with the same text as graphql-js.
import type {
  ApolloServerPlugin,
  GraphQLRequestContextWillSendResponse,
  GraphQLRequestListener,
} from '@apollo/server';
import {
  getVariableValues,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { GatewayError } from '../../errors.ts';
import { type JsonBytes, jsonBytes } from '../../json/json-text.ts';
import type { Admit } from '../operation/operation-admission.ts';
import type { GatewayContext } from '../context.ts';
import type { DefectLog } from '../defect-log.ts';
import type { KnownOperation } from '../operation/operation.ts';
import type { KnownDocument, OperationCache } from '../operation/operation-cache.ts';
import { noteOperation } from '../operation-outcome.ts';
import type { OperationRequest, Variables } from '../operation/operation-request.ts';
import { Bailout } from './bailout.ts';
import { compileOperation, type OperationPlan } from './operation-plan.ts';
import { type FailedField, Run } from './run.ts';
import { maxAnswerLength } from '../limits/answer-size.ts';

/**
 * Apollo Server's work for each operation costs as much as the operation. A text that was parsed, validated and answered
 * once can only fail because of its variables, its caller or the service's answers. Here its plan answers it; if anything
 * is unusual, Apollo Server and graphql-js do, with the same context: the caller is admitted once, and values that were
 * read are not read again.
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
  /** The plugin that notes Apollo Server's answers. */
  readonly plugin: ApolloServerPlugin<GatewayContext>;
}

export interface FastPathParts {
  readonly schema: GraphQLSchema;
  readonly operations: OperationCache;
  readonly admit: Admit;
  readonly log: DefectLog;
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
  ): OperationPlan | null {
    const key = known.plans.keyOf(operation, variables);
    const state = known.plans.get(key);
    if (state === undefined || state === 'impossible') return null;
    if (state !== 'answered') return state;
    const plan = compile(known, operation, variables, context);
    known.plans.set(key, plan ?? 'impossible');
    operations.reweigh(known);
    return plan;
  }

  function compile(
    { document }: KnownDocument,
    { node }: KnownOperation,
    variables: Variables,
    context: GatewayContext,
  ): OperationPlan | null {
    try {
      return compileOperation(schema, document, node, variables);
    } catch (error) {
      if (!isExpected(error, context)) report(error, context, 'the compiler failed');
      return null;
    }
  }

  /** Null for an error, which graphql-js then raises again on its path, and for an answer that is too long. */
  async function execute(plan: OperationPlan, run: Run): Promise<JsonBytes | null> {
    try {
      const data = await plan.run(run);
      return data.length > maxAnswerLength ? null : data;
    } catch (error) {
      if (!isExpected(error, run.context)) report(error, run.context, 'a plan failed');
      return null;
    }
  }

  function report(err: unknown, { request }: GatewayContext, message: string): void {
    onDefect();
    log.error({ requestId: request.id, err }, `${message}; graphql-js answers in its place`);
  }

  return {
    async answer(known, { operationName, variables: sent }, context) {
      const operation = known.operation(operationName);
      if (operation === null || known.plans.isEmpty) return null;
      // Each representation of `_entities` may fail by itself.
      if (operation.needs.router) return null;
      try {
        const admitting = admit(operation, sent, context);
        if (admitting !== null) await admitting;
      } catch {
        // Apollo Server admits with the same outcome, and answers with the reason.
        return null;
      }
      const variables = coerce(schema, operation.node, sent);
      const plan = variables && planFor(known, operation, variables, context);
      if (!plan) return null;
      const run = new Run(context, variables);
      const data = await execute(plan, run);
      return data && written(data, run, operation.node, known.hash);
    },
    plugin: createPlugin(schema, operations),
  };
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

/** Each error of a value takes a fifth of a millisecond, and graphql-js reports them all: here the first is enough. */
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

/** The answer as Apollo Server writes it. */
function written(
  data: JsonBytes,
  { context: { request }, failed }: Run,
  operation: OperationDefinitionNode,
  hash: string,
): JsonBytes {
  const codes = failed === null ? noCodes : [failed.error.code];
  const upstream = noteOperation(request.record, { operation, hash, codes });
  const errors = failed === null ? '' : `"errors":${jsonBytes([shown(failed)])},`;
  const extensions = upstream === null ? '' : `,"extensions":${jsonBytes({ upstream })}`;
  return `{${errors}"data":${data}${extensions}}`;
}

const noCodes: readonly string[] = [];

function shown({ field: { key, locations }, error: { message, extensions } }: FailedField) {
  return { message, locations, path: [key], extensions };
}

type Answered = GraphQLRequestContextWillSendResponse<GatewayContext>;

/** Notes operations that were answered without an error: the next time they are compiled. */
function createPlugin(
  schema: GraphQLSchema,
  operations: OperationCache,
): ApolloServerPlugin<GatewayContext> {
  function note({ document, request, response }: Answered): void {
    const result = response.body.kind === 'single' ? response.body.singleResult : undefined;
    if (document === undefined || !result?.data || result.errors !== undefined) return;
    const known = operations.describe(document);
    const operation = known.operation(request.operationName ?? null);
    if (operation === null) return;
    const variables = coerce(schema, operation.node, request.variables ?? null);
    if (variables === null) return;
    const key = known.plans.keyOf(operation, variables);
    if (known.plans.get(key) === undefined) known.plans.set(key, 'answered');
  }

  const listener: GraphQLRequestListener<GatewayContext> = {
    willSendResponse(answered) {
      note(answered);
      return Promise.resolve();
    },
  };
  const listening = Promise.resolve(listener);
  return { requestDidStart: () => listening };
}
