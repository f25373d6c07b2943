// A field whose resolver calls the service: it is called and awaited before anything is written.
import {
  type FieldNode,
  getArgumentValues,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  Kind,
  type ValueNode,
} from 'graphql';
import { GatewayError } from '../../errors.ts';
import type { GatewayContext } from '../context.ts';
import type { FieldNodes } from './collect.ts';
import type { Plan } from './value-plan.ts';
import type { ResolverCall, RootField, Run, Variables } from './run.ts';

export interface ReadParts {
  /** Unique among the reads of an operation. */
  readonly slot: number;
  readonly field: GraphQLField<unknown, unknown>;
  readonly resolve: GraphQLFieldResolver<unknown, GatewayContext>;
  readonly nodes: FieldNodes;
  readonly info: ReadInfo;
  /** The plan that writes its value. */
  readonly value: Plan;
  /** Null if an error of the field is left to graphql-js. */
  readonly rootField: RootField | null;
}

/** The `info` of a resolver call, except the variables, which each call adds, and the path, which no resolver uses. */
export type ReadInfo = Omit<GraphQLResolveInfo, 'path' | 'variableValues'>;

/** Calls the resolver as graphql-js does, and so with the same outcome, and then performs the reads within its value. */
export function readOf({ slot, field, resolve, nodes, info, value, rootField }: ReadParts): Plan {
  const argumentsOf = argumentReader(field, nodes[0]);
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
        noteFailure(run, rootField, error);
        keep(null);
      };
      const next = (answer: unknown) => {
        if (Array.isArray(answer) && answer.some(isPromise)) run.after(Promise.all(answer), keep);
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

function isPromise(item: unknown): boolean {
  return item instanceof Promise;
}

/**
 * Notes the error of a root field; throws it if graphql-js has to answer. While the service fails, most operations have
 * this one error, and graphql-js would double their cost.
 */
function noteFailure(run: Run, field: RootField | null, error: unknown): void {
  const isKnown = error instanceof GatewayError && error.code !== 'INTERNAL_SERVER_ERROR';
  if (!isKnown || field === null || run.failed !== null) throw error;
  run.failed = { field, error };
}

/** The arguments as graphql-js coerces them: once if none has a variable, otherwise for each execution. */
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
