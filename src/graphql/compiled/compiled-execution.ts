// The plugin by which Apollo Server's operations are answered from compiled plans, and what is unusual by graphql-js.
import {
  type ApolloServerPlugin,
  type GraphQLRequestContextResponseForOperation,
  type GraphQLRequestListener,
  type GraphQLResponse,
  HeaderMap,
} from '@apollo/server';
import { getVariableValues, type GraphQLSchema } from 'graphql';
import type { GatewayContext } from '../context.ts';
import { createPlanFinder } from './plans.ts';
import type { Variables } from './run.ts';
import { WrittenData } from './written-data.ts';

type Validated = GraphQLRequestContextResponseForOperation<GatewayContext>;

/**
 * Apollo Server asks its plugins for an answer before it has graphql-js execute an operation. This one gives it where
 * the operation can be compiled and nothing in its data is unusual. Else graphql-js executes it with the same context,
 * whose data is loaded at most once: it goes on with what was loaded until then.
 *
 * Not the option `gateway`, which is meant for this: for each request it makes an object with a getter of its own,
 * which V8 keeps, with all that hangs on the request, until the next full garbage collection.
 */
export function compiledExecution(schema: GraphQLSchema): ApolloServerPlugin<GatewayContext> {
  const findPlan = createPlanFinder(schema);

  async function answer(validated: Validated): Promise<GraphQLResponse | null> {
    const { document, operation, contextValue } = validated;
    const variables = coerce(schema, validated);
    const plan = variables && findPlan(document, operation, variables);
    if (!plan) return null;
    try {
      return responseOf(await plan(contextValue, variables));
    } catch {
      // A violation, a refusal, a defect: graphql-js meets it again, and puts it where it belongs.
      return null;
    }
  }

  const listener: GraphQLRequestListener<GatewayContext> = { responseForOperation: answer };
  const listening = Promise.resolve(listener);
  return { requestDidStart: () => listening };
}

const noVariables: Variables = {};

/** Each error of a value takes a fifth of a millisecond, and graphql-js tells them: here the first is enough. */
const untilTheFirst = { maxErrors: 1 };

/** Null where a variable does not coerce. */
function coerce(schema: GraphQLSchema, { operation, request }: Validated): Variables | null {
  const { variableDefinitions = [] } = operation;
  if (variableDefinitions.length === 0) return noVariables;
  const given = request.variables ?? {};
  return getVariableValues(schema, variableDefinitions, given, untilTheFirst).coerced ?? null;
}

/** Apollo Server only reads it. */
const noHeaders = new HeaderMap();

function responseOf(text: string): GraphQLResponse {
  // To Apollo Server, and to plugins, `data` is an object like any other.
  const data = new WrittenData(text) as unknown as Record<string, unknown>;
  return { http: { headers: noHeaders }, body: { kind: 'single', singleResult: { data } } };
}
