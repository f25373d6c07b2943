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
  /** Each `_entities` field, with the number of times that it is selected. */
  readonly #entities: readonly (readonly [field: FieldNode, times: number])[];

  constructor(node: OperationDefinitionNode, document: DocumentNode) {
    this.node = node;
    this.document = document;
    this.#fragments = fragmentsOf(document);
    const fields = rootFields(node.selectionSet, this.#fragments, new Map());
    const names = [...fields.keys()].map(({ name }) => name.value);
    this.needsCaller = names.some((name) => !schemaFields.has(name));
    this.needsRouter = names.some((name) => routerFields.has(name));
    this.#entities = [...fields].filter(([{ name }]) => name.value === '_entities');
  }

  deprecated(schema: GraphQLSchema): readonly string[] {
    return (this.#deprecated ??= deprecatedFields(schema, this.node, this.document));
  }

  /** The number of representations, and the number of fields selected from all of them. */
  representations(variables: Variables | null): { count: number; fields: number } {
    const sum = { count: 0, fields: 0 };
    for (const [field, times] of this.#entities) {
      const count = times * this.#lengthOf(field.arguments?.[0]?.value, variables);
      sum.count += count;
      sum.fields += count * countFieldsWithin({ fieldNodes: [field], fragments: this.#fragments });
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

/** How many times each root field is selected. Each set is visited once, because nested spreads multiply the visits. */
function rootFields(
  set: SelectionSetNode | undefined,
  fragments: Fragments,
  known: Map<SelectionSetNode | undefined, ReadonlyMap<FieldNode, number>>,
): ReadonlyMap<FieldNode, number> {
  const before = known.get(set);
  if (before !== undefined) return before;
  const fields = new Map<FieldNode, number>();
  for (const selection of set?.selections ?? []) {
    if (selection.kind === Kind.FIELD) {
      fields.set(selection, 1);
      continue;
    }
    const isInline = selection.kind === Kind.INLINE_FRAGMENT;
    const fragment = isInline ? selection : fragments[selection.name.value];
    for (const [field, times] of rootFields(fragment?.selectionSet, fragments, known)) {
      fields.set(field, (fields.get(field) ?? 0) + times);
    }
  }
  known.set(set, fields);
  return fields;
}
