// The effect of a schema change on the operations of released apps: which operations break, at which field, and which
// may break.
import { type Change, ChangeType, CriticalityLevel, diff } from '@graphql-inspector/core';
import {
  type ArgumentNode,
  type ASTNode,
  type DocumentNode,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  type GraphQLError,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  Kind,
  type ObjectFieldNode,
  parse,
  typeFromAST,
  TypeInfo,
  validate,
  type VariableNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/**
 * `breaks`: the operation is rejected, or its answer has another shape. `dangerous`: it is answered, but with a value
 * that the app may not expect: null, a new enum value, a new type, another default.
 */
export type Effect = 'breaks' | 'dangerous';

export interface Finding {
  readonly effect: Effect;
  /** The operation's name. */
  readonly operation: string;
  /** The place in the operation: `Type.field`, `Type.field(argument:)`, `$variable`, or the operation's name. */
  readonly place: string;
  /** A description of the change, for the report. */
  readonly change: string;
}

interface Operation {
  readonly name: string;
  readonly body: string;
}

/** The effects that the difference between two schemas has on operations. An operation without a finding is safe. */
export interface ClientChanges {
  findings(operation: Operation): Finding[];
}

/**
 * Compares the schema that apps were released with to the current one. `findings` throws a GraphQLError if an operation
 * cannot be parsed.
 */
export async function compareForClients(
  old: GraphQLSchema,
  next: GraphQLSchema,
): Promise<ClientChanges> {
  const changes = await diff(old, next);
  return {
    findings({ name, body }) {
      const document = parse(body);
      const uses = usesOf(old, document);
      const found = [
        ...validate(next, document).map((error) => rejection(error, uses)),
        ...changes.flatMap((change) => effectsOf(change, uses, old, next)),
        ...[...uses.fields].flatMap((field) => lostLevels(field, old, next)),
        ...newlyNonNull(document, old, next),
      ];
      const rows = found.map((one) => ({ operation: name, ...one, place: one.place || name }));
      return [...new Map(rows.map((row) => [`${row.effect} ${row.place}`, row])).values()];
    },
  };
}

/** A finding before the name of the operation is added. */
type Found = Omit<Finding, 'operation'>;

function rejection({ nodes, message }: GraphQLError, { places }: Uses): Found {
  const place = nodes?.map((node) => places.get(node)).find((one) => one !== undefined) ?? '';
  return { effect: 'breaks', place, change: message };
}

/** The parts of the old schema that an operation uses. */
interface Uses {
  readonly places: ReadonlyMap<ASTNode, string>;
  /** `Type.field`. */
  readonly fields: ReadonlySet<string>;
  /** `Type.field.argument`, for the arguments that are given. */
  readonly args: ReadonlySet<string>;
  /** Named type -> the fields that return it. */
  readonly outputs: ReadonlyMap<string, ReadonlySet<string>>;
  /** Input type or enum -> the variables whose value may have it. */
  readonly inputs: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * `Type.field.argument` -> the uses of the field without this argument; `Input.field` -> the arguments with a literal
   * that lacks this input field. A value that is an optional variable counts as absent, because the app may omit it.
   */
  readonly omitted: ReadonlyMap<string, ReadonlySet<string>>;
  readonly fragments: readonly FragmentUse[];
}

/** A fragment on a type, used within a selection of another type, the parent. */
interface FragmentUse {
  readonly type: string;
  readonly parent: string;
  readonly place: string;
}

function usesOf(schema: GraphQLSchema, document: DocumentNode): Uses {
  const places = new Map<ASTNode, string>();
  const [fields, args] = [new Set<string>(), new Set<string>()];
  const outputs = new Map<string, Set<string>>();
  const inputs = new Map<string, Set<string>>();
  const omitted = new Map<string, Set<string>>();
  const fragments: FragmentUse[] = [];
  const fragmentTypes = new Map(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one.typeCondition.name.value]] : [],
    ),
  );
  const useFragment = (type = '?') => {
    const parent = nameOf(info.getParentType());
    fragments.push({ type, parent, place: `... on ${type}` });
  };
  const optional = optionalVariables(document);
  const namesOf = (given: readonly (ArgumentNode | ObjectFieldNode)[] = []) => {
    const isGiven = ({ value }: ArgumentNode | ObjectFieldNode) =>
      value.kind !== Kind.VARIABLE || !optional.has(value.name.value);
    return new Set(given.filter(isGiven).map(({ name }) => name.value));
  };
  const info = new TypeInfo(schema);
  const field = () => `${info.getParentType()?.name ?? '?'}.${info.getFieldDef()?.name ?? '?'}`;
  const argument = () => `${field()}(${info.getArgument()?.name ?? '?'}:)`;
  const visitor = visitWithTypeInfo(info, {
    Field(node) {
      const parent = info.getParentType()?.name;
      if (parent === undefined) return;
      const place = `${parent}.${node.name.value}`;
      places.set(node, place);
      if (node.selectionSet !== undefined) places.set(node.selectionSet, place);
      fields.add(place);
      addTo(outputs, nameOf(info.getType()), place);
      const given = namesOf(node.arguments);
      for (const { name } of info.getFieldDef()?.args ?? []) {
        if (!given.has(name)) addTo(omitted, `${place}.${name}`, place);
      }
    },
    Argument(node) {
      places.set(node, argument());
      places.set(node.value, argument());
      args.add(`${field()}.${node.name.value}`);
    },
    ObjectField(node) {
      places.set(node, argument());
    },
    ObjectValue({ fields: given }) {
      const type = schema.getType(nameOf(info.getInputType()));
      if (!isInputObjectType(type)) return;
      const names = namesOf(given);
      for (const name of Object.keys(type.getFields())) {
        if (!names.has(name)) addTo(omitted, `${type.name}.${name}`, argument());
      }
    },
    FragmentSpread({ name }) {
      useFragment(fragmentTypes.get(name.value));
    },
    InlineFragment(node) {
      useFragment(node.typeCondition?.name.value);
      places.set(node, `... on ${nameOf(info.getType())}`);
    },
    NamedType(node) {
      places.set(node, node.name.value);
    },
    VariableDefinition(node) {
      const variable = `$${node.variable.name.value}`;
      places.set(node, variable);
      const type = typeFromAST(schema, node.type);
      if (type)
        for (const name of reachable(getNamedType(type).name, schema))
          addTo(inputs, name, variable);
    },
  });
  visit(document, visitor);
  return { places, fields, args, outputs, inputs, omitted, fragments };
}

/** The names of the variables that a request may omit, so that a default of the schema applies. */
function optionalVariables({ definitions }: DocumentNode): ReadonlySet<string> {
  const variables = definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : [],
  );
  const optional = variables.filter(
    ({ type, defaultValue }) => type.kind !== Kind.NON_NULL_TYPE && defaultValue === undefined,
  );
  return new Set(optional.map(({ variable }) => variable.name.value));
}

/** The name of a type, without brackets and exclamation marks. */
function nameOf(type: { toString(): string } | null | undefined): string {
  return String(type).replaceAll(/[[\]!]/g, '');
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  else values.add(value);
}

/** The names of an input type and of the types of its fields, at any depth. */
function reachable(name: string, schema: GraphQLSchema, known = new Set<string>()): Set<string> {
  const type = schema.getType(name);
  if (known.has(name) || type === undefined) return known;
  known.add(name);
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      reachable(getNamedType(field.type).name, schema, known);
    }
  }
  return known;
}

/** The effects of a change that validation does not detect: on the answers, and on the values of variables. */
function effectsOf(change: Change, uses: Uses, old: GraphQLSchema, next: GraphQLSchema): Found[] {
  const { path = '', message: text } = change;
  const [type = '', field = '', argument = ''] = path.split('.');
  const place = `${type}.${field}`;
  const found = (effect: Effect | null, places: Iterable<string>): Found[] =>
    effect === null ? [] : Array.from(places, (one) => ({ effect, place: one, change: text }));
  const used = uses.fields.has(place) ? [place] : [];
  const outputs = uses.outputs.get(type) ?? [];
  const inputs = uses.inputs.get(type) ?? [];
  const isBreaking = change.criticality.level === CriticalityLevel.Breaking;
  switch (change.type) {
    case ChangeType.FieldTypeChanged:
      return found(
        outputEffect(fieldType(old, type, field), fieldType(next, type, field), next),
        used,
      );
    case ChangeType.FieldArgumentTypeChanged: {
      const isGiven = uses.args.has(path) && isOtherType(old, next, type, field, argument);
      return found('breaks', isGiven ? [`${place}(${argument}:)`] : []);
    }
    case ChangeType.FieldArgumentDefaultChanged:
      return found('dangerous', uses.omitted.get(path) ?? []);
    case ChangeType.EnumValueAdded:
      return found('dangerous', outputs);
    case ChangeType.UnionMemberAdded:
      return found('dangerous', outputs);
    case ChangeType.ObjectTypeInterfaceAdded:
      return found(
        'dangerous',
        uses.outputs.get(String(metaOf(change)['addedInterfaceName'])) ?? [],
      );
    case ChangeType.ObjectTypeInterfaceRemoved: {
      const general = String(metaOf(change)['removedInterfaceName']);
      return found('breaks', lostFragments(uses, general, type, next));
    }
    case ChangeType.UnionMemberRemoved: {
      const member = String(metaOf(change)['removedUnionMemberTypeName']);
      return found('breaks', lostFragments(uses, type, member, next));
    }
    case ChangeType.EnumValueRemoved:
      return found('breaks', inputs);
    case ChangeType.InputFieldAdded:
    case ChangeType.InputFieldRemoved:
    case ChangeType.InputFieldTypeChanged:
      return found(isBreaking ? 'breaks' : null, inputs);
    case ChangeType.InputFieldDefaultValueChanged:
      return found('dangerous', [...inputs, ...(uses.omitted.get(path) ?? [])]);
    case ChangeType.TypeKindChanged:
      return found('breaks', [...outputs, ...inputs]);
    default:
      return [];
  }
}

/**
 * The places of fragments on an interface or union that its former member no longer gets, although it may still be the
 * value of the parent. Such a selection is valid, but without the fields of the fragment.
 */
function lostFragments(
  { fragments }: Uses,
  general: string,
  member: string,
  next: GraphQLSchema,
): string[] {
  const type = next.getType(member);
  if (!isObjectType(type)) return [];
  const isPossible = (parent: string) => {
    const found = next.getType(parent);
    return isAbstractType(found) ? next.isSubType(found, type) : found === type;
  };
  return fragments
    .filter((one) => one.type === general && isPossible(one.parent))
    .map(({ place }) => place);
}

/**
 * The findings for variables that may be null where null is no longer allowed. Validation accepts them if the variable
 * or the argument has a default, but an app may send null.
 */
function newlyNonNull(document: DocumentNode, old: GraphQLSchema, next: GraphQLSchema): Found[] {
  const before = nonNullUses(document, old);
  return nonNullUses(document, next)
    .filter((use) => !before.includes(use))
    .map(({ name: { value } }) => ({
      effect: 'breaks',
      place: `$${value}`,
      change: `Variable "$${value}" may be null, which its argument no longer accepts`,
    }));
}

/** The uses of variables with nullable types in places with non-null types. */
function nonNullUses(document: DocumentNode, schema: GraphQLSchema): VariableNode[] {
  const nullable = new Set<string>();
  const found: VariableNode[] = [];
  const info = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(info, {
    VariableDefinition({ type, variable }) {
      if (type.kind !== Kind.NON_NULL_TYPE) nullable.add(variable.name.value);
      return false;
    },
    Variable(node) {
      if (isNonNullType(info.getInputType())) found.push(node);
    },
  });
  visit(document, visitor);
  return found.filter(({ name }) => nullable.has(name.value));
}

/** The finding for a field (`Type.field`) that is no longer non-null, by `@semanticNonNull` or by type. */
function lostLevels(place: string, old: GraphQLSchema, next: GraphQLSchema): Found[] {
  const [type = '', field = ''] = place.split('.');
  const now = fieldType(next, type, field);
  if (now === undefined) return [];
  const kept = semanticLevels(next, type, field);
  const lost = semanticLevels(old, type, field).filter(
    (level) => !kept.includes(level) && !isNonNullAt(level, now),
  );
  const change = `Field '${place}' is no longer @semanticNonNull at level ${lost.join(', ')}`;
  return lost.length > 0 ? [{ effect: 'dangerous', place, change }] : [];
}

/** The `levels` of a field's `@semanticNonNull`: 0 is the field itself, 1 the items of its list. */
function semanticLevels(schema: GraphQLSchema, type: string, field: string): readonly number[] {
  const directive = schema.getDirective('semanticNonNull');
  const node = fieldOf(schema, type, field)?.astNode;
  if (!directive || !node) return [];
  return (getDirectiveValues(directive, node)?.['levels'] ?? []) as readonly number[];
}

function isNonNullAt(level: number, type: GraphQLOutputType): boolean {
  if (level === 0) return isNonNullType(type);
  const list = getNullableType(type);
  return isListType(list) && isNonNullAt(level - 1, list.ofType);
}

function metaOf({ meta }: Change): Readonly<Record<string, unknown>> {
  return meta as Readonly<Record<string, unknown>>;
}

function fieldOf(schema: GraphQLSchema, type: string, field: string) {
  const parent = schema.getType(type);
  return parent !== undefined && 'getFields' in parent ? parent.getFields()[field] : undefined;
}

function fieldType(schema: GraphQLSchema, type: string, field: string) {
  return fieldOf(schema, type, field)?.type as GraphQLOutputType | undefined;
}

/**
 * Whether an argument changes to another scalar. Validation detects all other changes of type, but not this one for
 * literals of custom scalars.
 */
function isOtherType(
  old: GraphQLSchema,
  next: GraphQLSchema,
  type: string,
  field: string,
  argument: string,
): boolean {
  const [before, now] = [old, next].map((schema) => {
    const known = fieldOf(schema, type, field);
    const args = known !== undefined && 'args' in known ? known.args : [];
    const found = args.find(({ name }) => name === argument);
    return found && getNamedType(found.type).name;
  });
  return before !== now && now !== undefined && isScalarType(next.getType(now));
}

/** The effect of a field's new type on apps that read the old one; null if none. */
function outputEffect(
  old: GraphQLOutputType | undefined,
  now: GraphQLOutputType | undefined,
  next: GraphQLSchema,
): Effect | null {
  if (old === undefined || now === undefined) return null;
  if (isNonNullType(old)) {
    if (isNonNullType(now)) return outputEffect(old.ofType, now.ofType, next);
    return outputEffect(old.ofType, now, next) ?? 'dangerous';
  }
  const plain = isNonNullType(now) ? now.ofType : now;
  if (isListType(old) || isListType(plain)) {
    if (!isListType(old) || !isListType(plain)) return 'breaks';
    return outputEffect(old.ofType, plain.ofType, next);
  }
  if (old.name === plain.name) return null;
  const general = next.getType(old.name);
  const narrow = next.getType(plain.name);
  const isNarrower =
    isAbstractType(general) &&
    narrow !== undefined &&
    'getInterfaces' in narrow &&
    next.isSubType(general, narrow);
  return isNarrower ? null : 'breaks';
}
