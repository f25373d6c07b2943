// An operation, compiled: how its answer is read and written, for one setting of what @skip and @include ask.
import { type DocumentNode, type GraphQLSchema, Kind, type OperationDefinitionNode } from 'graphql';
import type { GatewayContext } from '../context.ts';
import { JsonOutput } from '../../json/json-output.ts';
import type { JsonBytes } from '../../json/json-text.ts';
import { isIncluded } from '../selection.ts';
import { compileObject, type CompileScope } from './compile.ts';
import { Run, type Variables } from './run.ts';
import { UnusualError } from './unusual.ts';

/** Reads all that an operation selects, then writes its `data`. Rejects where that is for graphql-js to do. */
export type OperationPlan = (context: GatewayContext, variables: Variables) => Promise<JsonBytes>;

/** What the root fields have as parent. */
const root = {};

/** One for all answers: each is written at once, whatever it waited for before. */
const output = new JsonOutput();

/** Compiles a query; throws where it has anything that the compiled path does not know. */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  conditions: Variables,
): OperationPlan {
  const type = schema.getRootType(operation.operation);
  if (!type) throw new UnusualError(`no ${operation.operation} type`);
  const scope = compileScope(schema, document, operation, conditions);
  const { write, load } = compileObject(scope, type, [operation.selectionSet], '');
  return async (context, variables) => {
    const run = new Run(context, variables);
    await load?.(root, run);
    output.begin();
    write(output, root, run);
    return output.take();
  };
}

function compileScope(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode,
  conditions: Variables,
): CompileScope {
  const fragments = Object.fromEntries(
    definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  let slots = 0;
  return {
    schema,
    fragment: (name) => fragments[name],
    isIncluded: (selection) => isIncluded(selection, conditions),
    operationInfo: { schema, fragments, operation, rootValue: root },
    nextSlot: () => slots++,
  };
}
