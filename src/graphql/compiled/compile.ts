// A selection and its type -> the plan for its values.
import {
  getLocation,
  getNullableType,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { Literal } from '../../json/literal.ts';
import { collectFields, type CollectScope, type FieldNodes } from './collect.ts';
import { isView, sourceFinder } from './fields.ts';
import { leafPlan, type LeafPlace } from './leaves.ts';
import {
  constant,
  listOf,
  nullable,
  objectOf,
  oneOf,
  type Plan,
  propertyOf,
  viewOf,
} from './value-plan.ts';
import type { RootField } from './run.ts';
import { readOf } from './service-field.ts';
import { joinSourceFields, type SourceField } from './source-fields.ts';
import { Bailout } from './bailout.ts';

/** The text before a field is the same in most operations: the latest ones are shared, which halves the memory of plans. */
const sharedHeads = new LRUCache<string, Literal>({ max: 2000 });

/** Names may have any length, so only the heads of short ones are shared. */
const maxSharedLength = 64;

function literalOf(head: string): Literal {
  if (head.length > maxSharedLength) return new Literal(head);
  const known = sharedHeads.get(head);
  if (known !== undefined) return known;
  const literal = new Literal(head);
  sharedHeads.set(head, literal);
  return literal;
}

/** The scope in which a selection is compiled. */
export interface CompileScope extends CollectScope {
  /** The part of a resolver's `info` that describes the operation. */
  readonly operationInfo: Pick<
    GraphQLResolveInfo,
    'schema' | 'fragments' | 'rootValue' | 'operation'
  >;
  /** Returns the slot of the next read. */
  readonly nextSlot: () => number;
  /** Counts a field, with the length of its key; throws a Bailout if the plan becomes too large. */
  readonly addField: (keyLength: number) => void;
}

/**
 * The plan for objects of `type` with the merged selection of `sets`. `head` is the text before the object in the answer.
 * Throws a Bailout for anything that the fast path does not support.
 */
export function compileObject(
  scope: CompileScope,
  type: GraphQLObjectType,
  sets: readonly (SelectionSetNode | undefined)[],
  head: string,
): Plan {
  if (type.isTypeOf) throw new Bailout(`${type.name} has isTypeOf`);
  const plans = [...collectFields(scope, type, sets)].map(([key, nodes], index) =>
    compileField(scope, type, nodes, `${index === 0 ? `${head}{` : ','}"${key}":`),
  );
  return objectOf(joinSourceFields(plans), `${head}{}`);
}

/** The plan for a field; its value is the field's parent. */
function compileField(
  scope: CompileScope,
  parentType: GraphQLObjectType,
  nodes: FieldNodes,
  head: string,
): Plan | SourceField {
  scope.addField(head.length);
  const name = nodes[0].name.value;
  if (name === '__typename') return constant(`${head}"${parentType.name}"`);
  const field = parentType.getFields()[name];
  if (field === undefined) throw new Bailout(`${parentType.name} has no ${name}`);
  const value = compileValue(scope, field.type, nodes, head);
  const plan = compileAsked(scope, parentType, field, nodes, value);
  const sourceOf = isLeafType(getNullableType(field.type)) ? sourceFinder(field.resolve) : null;
  return sourceOf === null ? plan : { name, sourceOf, place: placeOf(field.type, head), plan };
}

function placeOf(type: GraphQLOutputType, head: string): LeafPlace {
  return { head: literalOf(head), isNullable: !isNonNullType(type) };
}

/** The plan for a field, given the plan for its values. */
function compileAsked(
  scope: CompileScope,
  parentType: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  nodes: FieldNodes,
  value: Plan,
): Plan {
  const { name: fieldName, type: returnType, resolve } = field;
  if (resolve === undefined) return propertyOf(fieldName, value);
  if (isView(resolve)) return viewOf(resolve as Parameters<typeof viewOf>[0], value);
  const info = { ...scope.operationInfo, fieldName, returnType, parentType, fieldNodes: nodes };
  const isRoot = parentType === scope.schema.getQueryType() && !isNonNullType(returnType);
  const rootField = isRoot ? rootFieldOf(nodes) : null;
  return readOf({ slot: scope.nextSlot(), field, resolve, nodes, info, value, rootField });
}

function rootFieldOf(nodes: FieldNodes): RootField {
  const { alias, name } = nodes[0];
  const locations = nodes.flatMap(({ loc }) => (loc ? getLocation(loc.source, loc.start) : []));
  return { key: (alias ?? name).value, locations };
}

/** The plan for a value of any type. */
function compileValue(
  scope: CompileScope,
  type: GraphQLOutputType,
  nodes: FieldNodes,
  head: string,
): Plan {
  const present = getNullableType(type);
  if (isLeafType(present)) {
    const plan = leafPlan(present, placeOf(type, head));
    if (plan === undefined) throw new Bailout(`${present.name} cannot be written`);
    return plan;
  }
  const plan = compileComposite(scope, present, nodes, head);
  return isNonNullType(type) ? plan : nullable(plan, `${head}null`);
}

function compileComposite(
  scope: CompileScope,
  type: GraphQLOutputType,
  nodes: FieldNodes,
  head: string,
): Plan {
  if (isListType(type)) return listOf(compileValue(scope, type.ofType, nodes, ''), head);
  const sets = nodes.map(({ selectionSet }) => selectionSet);
  if (isObjectType(type)) return compileObject(scope, type, sets, head);
  if (isAbstractType(type)) return compileAbstract(scope, type, sets, head);
  throw new Bailout(`${String(type)} is not known`);
}

/** A plan for each type that the value may have. */
function compileAbstract(
  scope: CompileScope,
  type: GraphQLAbstractType,
  sets: readonly (SelectionSetNode | undefined)[],
  head: string,
): Plan {
  const { resolveType } = type;
  if (!resolveType) throw new Bailout(`${type.name} does not tell its types`);
  const types = scope.schema.getPossibleTypes(type);
  const plans = new Map<unknown, Plan>(
    types.map((one) => [one.name, compileObject(scope, one, sets, head)]),
  );
  // The gateway's own type resolvers only read the value.
  const nameOf = resolveType as unknown as (value: object) => unknown;
  return oneOf([...plans.values()], (value) => plans.get(nameOf(value)));
}
