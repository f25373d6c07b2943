// An operation of a document, and its requirements for admission.
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { deprecatedFields } from './deprecated-fields.ts';
import { countFieldsWithin, type Fragments, fragmentsOf } from '../limits/document-size.ts';
import type { Variables } from './operation-request.ts';

/** Root fields that are answered from the schema and need no caller. */
const schemaFields: ReadonlySet<string> = new Set(['__typename', '__schema', '__type', '_service']);

/** Root fields of Apollo Federation. */
const routerFields: ReadonlySet<string> = new Set(['_service', '_entities']);

export class KnownOperation {
  readonly node: OperationDefinitionNode;
  readonly document: DocumentNode;
  /** Fields that @skip or @include exclude count as well. */
  readonly needsCaller: boolean;
  /** Router fields require the router's secret if one is set. */
  readonly needsRouter: boolean;
  #deprecated: readonly string[] | undefined;
  readonly #fragments: Fragments;
  /** The `_entities` fields by response key; those with the same key are executed once, with the same arguments. */
  readonly #entities: ReadonlyMap<string, readonly FieldNode[]>;

  constructor(node: OperationDefinitionNode, document: DocumentNode) {
    this.node = node;
    this.document = document;
    this.#fragments = fragmentsOf(document);
    const fields = rootFields(node.selectionSet, this.#fragments);
    const names = fields.map(({ name }) => name.value);
    this.needsCaller = names.some((name) => !schemaFields.has(name));
    this.needsRouter = names.some((name) => routerFields.has(name));
    const entities = fields.filter(({ name }) => name.value === '_entities');
    this.#entities = Map.groupBy(entities, ({ alias, name }) => (alias ?? name).value);
  }

  deprecated(schema: GraphQLSchema): readonly string[] {
    return (this.#deprecated ??= deprecatedFields(schema, this.node, this.document));
  }

  /** The number of representations, and the number of fields selected from all of them. */
  representations(variables: Variables | null): { count: number; fields: number } {
    const sum = { count: 0, fields: 0 };
    for (const fieldNodes of this.#entities.values()) {
      const count = this.#lengthOf(fieldNodes[0]?.arguments?.[0]?.value, variables);
      sum.count += count;
      sum.fields += count * countFieldsWithin({ fieldNodes, fragments: this.#fragments });
    }
    return sum;
  }

  #lengthOf(value: ValueNode | undefined, variables: Variables | null): number {
    if (value?.kind === Kind.LIST) return value.values.length;
    if (value?.kind !== Kind.VARIABLE) return 1;
    const name = value.name.value;
    // Like graphql-js, ignores what every object inherits: a variable may be named `toString`.
    const sent = variables !== null && Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (sent !== undefined) return Array.isArray(sent) ? sent.length : 1;
    const definition = this.node.variableDefinitions?.find(
      (one) => one.variable.name.value === name,
    );
    return this.#lengthOf(definition?.defaultValue, null);
  }
}

/** All root fields. Each selection set is visited once, because nested spreads multiply the visits. */
function rootFields(
  set: SelectionSetNode | undefined,
  fragments: Fragments,
  visited = new Set<SelectionSetNode>(),
): FieldNode[] {
  if (set === undefined || visited.has(set)) return [];
  visited.add(set);
  return set.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return selection;
    const isInline = selection.kind === Kind.INLINE_FRAGMENT;
    const fragment = isInline ? selection : fragments[selection.name.value];
    return rootFields(fragment?.selectionSet, fragments, visited);
  });
}
