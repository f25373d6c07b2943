// A field with a resolver that may call the service: the resolver is called and awaited before anything is written.
import {
  type FieldNode,
  getArgumentValues,
  getLocation,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  Kind,
  type ValueNode,
} from 'graphql';
import { GatewayError } from '../../errors.ts';
import type { GatewayContext } from '../context.ts';
import type { Variables } from '../operation/operation-request.ts';
import type { ResolverCall, Run } from './run.ts';
import type { Plan } from './value-plan.ts';

export interface ReadParts {
  /** Unique among the reads of an operation. */
  readonly slot: number;
  readonly field: GraphQLField<unknown, unknown>;
  readonly resolve: GraphQLFieldResolver<unknown, GatewayContext>;
  /** The `info` of graphql-js. Each run adds the variables; the path is missing, because only errors need it. */
  readonly info: Omit<GraphQLResolveInfo, 'path' | 'variableValues'>;
  readonly value: Plan;
  /**
   * Whether the field is a nullable root field: the plan then writes its error. If another field fails, graphql-js
   * answers.
   */
  readonly mayFail: boolean;
}

/**
 * The plan for a field with a resolver: calls the resolver as graphql-js does, then starts the reads that the result
 * needs.
 */
export function readOf({ slot, field, resolve, info, value, mayFail }: ReadParts): Plan {
  const [node] = info.fieldNodes as [FieldNode];
  const argumentsOf = argumentReader(field, node);
  const callOf = (variables: Variables): ResolverCall => ({
    args: argumentsOf(variables),
    info: { ...info, variableValues: variables } as unknown as GraphQLResolveInfo,
  });
  return {
    write: (output, parent, run) => value.write(output, run.valueOf(slot, parent), run),
    load(parent, run) {
      const keep = (answer: unknown) => {
        run.keep(slot, parent, answer);
        value.load?.(answer, run);
      };
      const fail = (error: unknown) => {
        noteFailure(run, mayFail ? info.fieldNodes : [], error);
        keep(null);
      };
      const next = (answer: unknown) => {
        const isPending = Array.isArray(answer) && answer.some((item) => item instanceof Promise);
        if (isPending) run.after(Promise.all(answer), keep);
        else keep(answer);
      };
      const call = run.callOf(slot, callOf);
      let answer: unknown;
      try {
        answer = resolve(parent, call.args, run.context, call.info);
      } catch (error) {
        fail(error);
        return;
      }
      run.after(answer, next, fail);
    },
  };
}

/** Notes the error of a nullable root field; throws the error if graphql-js has to answer (README.md explains when). */
function noteFailure(run: Run, nodes: readonly FieldNode[], error: unknown): void {
  const isKnown = error instanceof GatewayError && error.code !== 'INTERNAL_SERVER_ERROR';
  const [node] = nodes;
  if (!isKnown || node === undefined || run.failed !== null) throw error;
  const locations = nodes.flatMap(({ loc }) => (loc ? getLocation(loc.source, loc.start) : []));
  run.failed = { key: (node.alias ?? node.name).value, locations, error };
}

/**
 * Returns a function that coerces a field's arguments as graphql-js does. Arguments without variables are coerced only
 * once.
 */
function argumentReader(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): (variables: Variables) => ResolverCall['args'] {
  if (node.arguments?.some((argument) => hasVariable(argument.value))) {
    return (variables) => getArgumentValues(field, node, variables);
  }
  const fixed = getArgumentValues(field, node);
  return () => fixed;
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}
