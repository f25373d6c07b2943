// A field with a resolver that may call the service: the resolver is called and awaited before anything is written.
import {
  defaultFieldResolver,
  type FieldNode,
  getArgumentValues,
  getLocation,
  type GraphQLField,
  type GraphQLResolveInfo,
  isNonNullType,
  print,
} from 'graphql';
import { GatewayError } from '../../errors.ts';
import type { Variables } from '../operation/operation-request.ts';
import type { Read, Run } from './run.ts';
import type { Plan } from './value-plan.ts';

/** The path is missing, because only errors need it. */
type Info = Omit<GraphQLResolveInfo, 'path' | 'variableValues'>;

export function readOf(
  slot: number,
  field: GraphQLField<unknown, unknown>,
  info: Info,
  value: Plan,
): Plan {
  const { fieldNodes, parentType, returnType, schema } = info;
  const { resolve = defaultFieldResolver } = field;
  const argumentsOf = argumentReader(field, fieldNodes[0] as FieldNode);
  const begin = (variables: Variables): Read => ({
    args: argumentsOf(variables),
    info: { ...info, variableValues: variables } as unknown as GraphQLResolveInfo,
    values: null,
  });
  // The plan can write the error of a nullable root field. For any other error, graphql-js answers.
  const mayFail = parentType === schema.getQueryType() && !isNonNullType(returnType);
  return {
    write: (output, parent, run) => value.write(output, run.reads[slot]?.values?.get(parent), run),
    load(parent, run) {
      const read = (run.reads[slot] ??= begin(run.variables));
      const keep = (answer: unknown) => {
        const isPending = Array.isArray(answer) && answer.some((item) => item instanceof Promise);
        if (isPending) run.after(Promise.all(answer), keep);
        else {
          (read.values ??= new Map()).set(parent, answer);
          value.load?.(answer, run);
        }
      };
      const fail = (error: unknown) => {
        noteFailure(run, mayFail ? fieldNodes : [], error);
        keep(null);
      };
      let answer: unknown;
      try {
        answer = resolve(parent, read.args, run.context, read.info);
      } catch (error) {
        fail(error);
        return;
      }
      run.after(answer, keep, fail);
    },
  };
}

/** Records a root field's error; throws the error if graphql-js has to answer (README.md explains when). */
function noteFailure(run: Run, nodes: readonly FieldNode[], error: unknown): void {
  const isKnown = error instanceof GatewayError && error.code !== 'INTERNAL_SERVER_ERROR';
  const [node] = nodes;
  if (!isKnown || node === undefined || run.failed !== null) throw error;
  const locations = nodes.flatMap(({ loc }) => (loc ? getLocation(loc.source, loc.start) : []));
  const path = [(node.alias ?? node.name).value] as const;
  run.failed = { message: error.message, locations, path, extensions: error.extensions };
}

/** Returns a function that coerces the field's arguments: only once if none of them contains a variable. */
function argumentReader(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): (variables: Variables) => Read['args'] {
  // A string with a dollar sign is taken for a variable, which costs time only.
  if (node.arguments?.some((argument) => print(argument).includes('$'))) {
    return (variables) => getArgumentValues(field, node, variables);
  }
  const fixed = getArgumentValues(field, node);
  return () => fixed;
}
