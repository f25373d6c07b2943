// The plans of operations: compiled when first asked for, kept as long as Apollo Server keeps the document.
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { conditionNames } from './conditions.ts';
import { compileOperation, type OperationPlan } from './operation-plan.ts';
import type { Variables } from './run.ts';

/** The plan of an operation with these variables; null where it is for graphql-js. */
export type PlanFinder = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
) => OperationPlan | null;

/**
 * An operation has a plan for each setting of the variables in its directives: 2 to the power of their number, of which
 * clients use a few. What goes beyond this many is left to graphql-js.
 */
const maxPlans = 16;

/** What is known of an operation. */
interface Entry {
  readonly conditions: readonly string[];
  /** By the values of the conditions. */
  readonly plans: Map<string, OperationPlan | null>;
}

/** Plans are kept by the operation's node, as what is known of it elsewhere. */
export function createPlanFinder(schema: GraphQLSchema): PlanFinder {
  const entries = new WeakMap<OperationDefinitionNode, Entry>();
  return (document, operation, variables) => {
    const { conditions, plans } = entryOf(entries, document, operation);
    const key = conditions.map((name) => String(variables[name])).join();
    const known = plans.get(key);
    if (known !== undefined) return known;
    if (plans.size >= maxPlans) return null;
    const plan = compileOrNull(schema, document, operation, variables);
    plans.set(key, plan);
    return plan;
  };
}

function entryOf(
  entries: WeakMap<OperationDefinitionNode, Entry>,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Entry {
  const known = entries.get(operation);
  if (known !== undefined) return known;
  const entry = { conditions: conditionNames(document), plans: new Map() };
  entries.set(operation, entry);
  return entry;
}

/** Whatever is wrong with an operation, graphql-js will say it, or not mind. */
function compileOrNull(...parameters: Parameters<typeof compileOperation>): OperationPlan | null {
  try {
    return compileOperation(...parameters);
  } catch {
    return null;
  }
}
