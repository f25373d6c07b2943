// Operations answered from compiled plans: in Apollo Server by a plugin, and, once it has let them pass, ahead of it.
import {
  type ApolloServerPlugin,
  type GraphQLRequestContextResponseForOperation,
  type GraphQLRequestListener,
  type GraphQLResponse,
  HeaderMap,
} from '@apollo/server';
import {
  type DocumentNode,
  getVariableValues,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { GatewayContext } from '../context.ts';
import type { JsonBytes } from '../../json/json-text.ts';
import { createLane, type Lane } from './lane.ts';
import type { OperationPlan } from './operation-plan.ts';
import { createPlanFinder } from './plans.ts';
import type { Variables } from './run.ts';
import { WrittenData } from './written-data.ts';

export interface CompiledExecution {
  readonly plugin: ApolloServerPlugin<GatewayContext>;
  readonly lane: Lane;
}

/** An operation with its variables as the client sent them. */
export interface Asked {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Variables | undefined;
}

/** A plan, ready to run for one context; null for what graphql-js has to execute. */
export type Prepare = (
  asked: Asked,
) => ((context: GatewayContext) => Promise<JsonBytes | null>) | null;

export function createCompiledExecution(schema: GraphQLSchema): CompiledExecution {
  const prepare = createPrepare(schema);
  const lane = createLane(prepare);
  return { plugin: createPlugin(prepare, lane), lane };
}

function createPrepare(schema: GraphQLSchema): Prepare {
  const findPlan = createPlanFinder(schema);
  return ({ document, operation, variables: sent }) => {
    const variables = coerce(schema, operation, sent);
    const plan = variables && findPlan(document, operation, variables);
    return plan && ((context) => run(plan, context, variables));
  };
}

/** Null where anything was unusual, which the context then knows. */
async function run(
  plan: OperationPlan,
  context: GatewayContext,
  variables: Variables,
): Promise<JsonBytes | null> {
  try {
    return await plan(context, variables);
  } catch {
    // A violation, a refusal, a defect: graphql-js meets it again, and puts it where it belongs.
    context.isUnusual = true;
    return null;
  }
}

const noVariables: Variables = {};

/** Each error of a value takes a fifth of a millisecond, and graphql-js tells them: here the first is enough. */
const untilTheFirst = { maxErrors: 1 };

/** Null where a variable does not coerce. */
function coerce(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  sent: Variables = noVariables,
): Variables | null {
  if (variableDefinitions.length === 0) return noVariables;
  return getVariableValues(schema, variableDefinitions, sent, untilTheFirst).coerced ?? null;
}

type Validated = GraphQLRequestContextResponseForOperation<GatewayContext>;

/**
 * Apollo Server asks its plugins for an answer before it has graphql-js execute an operation. This one gives it where
 * the operation can be compiled and nothing in its data is unusual. Else graphql-js executes it with the same context,
 * whose data is loaded at most once: it goes on with what was loaded until then.
 *
 * Not the option `gateway`, which is meant for this: for each request it makes an object with a getter of its own,
 * which V8 keeps, with all that hangs on the request, until the next full garbage collection.
 */
function createPlugin(prepare: Prepare, lane: Lane): ApolloServerPlugin<GatewayContext> {
  async function answer(validated: Validated): Promise<GraphQLResponse | null> {
    const { document, operation, request, contextValue } = validated;
    if (contextValue.isUnusual) return null;
    const prepared = prepare({ document, operation, variables: request.variables });
    const data = prepared && (await prepared(contextValue));
    if (data === null) return null;
    lane.remember(validated);
    return responseOf(data);
  }

  const listener: GraphQLRequestListener<GatewayContext> = { responseForOperation: answer };
  const listening = Promise.resolve(listener);
  return { requestDidStart: () => listening };
}

/** Apollo Server only reads it. */
const noHeaders = new HeaderMap();

function responseOf(bytes: JsonBytes): GraphQLResponse {
  // To Apollo Server, and to plugins, `data` is an object like any other.
  const data = new WrittenData(bytes) as unknown as Record<string, unknown>;
  return { http: { headers: noHeaders }, body: { kind: 'single', singleResult: { data } } };
}
