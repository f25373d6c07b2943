// A compact description of a hostile request, and the random variations that the attack search tries.
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isCompositeType,
  isUnionType,
} from 'graphql';
import type { Random } from '../../../src/sandbox/random.ts';

/** The token of a request: none, one that the service rejects, or one that it accepts. */
export const callers = ['none', 'refused', 'good'] as const;
export type CallerClass = (typeof callers)[number];

/** A series of similar requests: the document as a tree, and the values of some `dials`. */
export interface Attack {
  readonly caller: CallerClass;
  readonly selections: readonly Selection[];
  /** The default of a dial is 0, except for `requests` (3), `settings` (1) and `pipelined` (1). */
  readonly dials: Partial<Readonly<Record<Dial, number>>>;
}

/** A field or an inline fragment of the document. */
export interface Selection {
  /** A field's name, or `... on Type`. */
  readonly name: string;
  /** How many times the selection occurs; 1 by default. */
  readonly times?: number;
  /** Whether each occurrence has its own response key. */
  readonly aliased?: boolean;
  /** Whether a variable decides if the selection is included. */
  readonly conditional?: boolean;
  /** Whether the selection's children are in a named fragment. */
  readonly fragment?: boolean;
  readonly children?: readonly Selection[];
}

const maxTimes = 5000;

/** The schema under attack and the identity of the attacker. */
export interface Target {
  readonly schema: GraphQLSchema;
  /** The value of Authorization that the service accepts. */
  readonly authorization: string;
  readonly tenant: string;
  /** An account of the attacker. */
  readonly accountId: string;
}

/**
 * The ways in which a request can be hostile. The value of each dial is its maximum, which is usually beyond the
 * gateway's limit if there is one.
 */
export const dials = {
  /** The number of requests in a series; 3 by default. */
  requests: 32,
  /** 1: each request has its own operation text; 2: each series has its own operation text. */
  freshText: 2,
  /** The number of combinations of values for the variables of conditional selections. */
  settings: 32,
  /** 1: each request of a refused caller has its own token; 2: each request with a token has its own tenant. */
  freshCaller: 2,
  /** The number of characters that are added to the claims in the token of a refused caller. */
  tokenLength: 14_000,
  /**
   * The references of _entities: their number and kind. `literalReferences` 1: they are in the document instead of the
   * variables.
   */
  representations: 500_000,
  representationKind: 5,
  literalReferences: 1,
  /** The argument `first` of a statement. */
  first: 101,
  /** The number of characters that are added to each alias. */
  aliasLength: 50_000,
  /**
   * The number of characters of a string argument. `textKind` 1: as a block string of short lines; 2: as escape
   * sequences.
   */
  text: 1_000_000,
  textKind: 2,
  /** The number of digits of the argument `first`. This dial takes precedence over the dial `first`. */
  digits: 1_000_000,
  /** The depth of nested lists that replace a string argument. */
  literalDepth: 5000,
  /**
   * The numbers of comments, commas, variables and operations in the document, in addition to those that the selections
   * need.
   */
  comments: 6000,
  commas: 1_000_000,
  variables: 2000,
  operations: 2000,
  /** 1: each additional operation has all selections instead of `__typename`. */
  wholeOperations: 1,
  fragments: 2000,
  directives: 60,
  /**
   * A variable that no operation uses: the number of its elements, and the depth of its nested lists. `inExtensions` 1:
   * the variable is in the extensions instead.
   */
  elements: 500_000,
  depth: 500_000,
  inExtensions: 1,
  /**
   * The JSON body: the numbers of members with the same name, of members with different names, of members whose names
   * no earlier request had, of spaces before the body, and of characters of operationName. `nameKind` 1: each of the
   * members with new names is in an object of its own; 2: the new names are strings in a list instead.
   */
  duplicates: 100_000,
  members: 100_000,
  names: 100_000,
  nameKind: 2,
  spaces: 1_000_000,
  operationName: 1_000_000,
  /** 1: registers the operation text under its hash; 2: sends an unknown hash. */
  persisted: 2,
  /** 1: uses GET. */
  get: 1,
  headers: 2000,
  headerLength: 16_000,
  /** The number of media types in the Accept header. */
  mediaTypes: 7900,
  /** The number of chunks of the body, and of pauses while the requests of a connection are sent. */
  chunks: 25_000,
  waits: 4,
  /** The number of pipelined requests on one connection. */
  pipelined: 40,
} as const;
export type Dial = keyof typeof dials;

/** Values of dials that the search tries more often; most are at or near a limit of the gateway. */
const limits: Partial<Readonly<Record<Dial, readonly number[]>>> = {
  // MAX_REPRESENTATIONS, and numbers of references that fit into the limits on a body's weight and on its size.
  representations: [1000, 1200, 12_000],
  first: [100],
  aliasLength: [1000, 3200],
  commas: [99_000],
  text: [99_000],
  comments: [4900],
  operations: [29],
  fragments: [199],
  directives: [50],
  elements: [59_900],
  depth: [29_900],
  members: [3900],
  names: [2300, 3900, 11_900],
  chunks: [2000],
  duplicates: [3900],
  variables: [195],
};

/** The default of MAX_TOKENS. */
const maxTokens = 5000;

/**
 * Ordinary requests with which a search can begin: one for each class of caller and each name that can be selected on
 * Query.
 */
export function ordinaryAttacks(schema: GraphQLSchema): Attack[] {
  const roots = fieldNames(schema.getQueryType(), schema);
  return callers.flatMap((caller) =>
    roots.map((name) => ({
      caller,
      selections: [select(name, typeBelow(schema.getQueryType(), name, schema), schema)],
      dials: { representations: 1 },
    })),
  );
}

/**
 * Returns the attack with one to three changes. In 40 % of cases, returns instead an attack near a limit that single
 * changes rarely reach, with up to three changes.
 */
export function mutate(attack: Attack, schema: GraphQLSchema, random: Random): Attack {
  const shapes = [underSettings, underSettings, filled, withReferences];
  const shape = random.next() < 0.4 ? random.pick(shapes) : null;
  let { selections, dials: turned } = shape === null ? attack : shape(attack, schema, random);
  for (let left = random.integer(shape === null ? 1 : 0, 3); left > 0; left--) {
    if (random.next() < 0.5) turned = mutateDials(turned, random);
    else selections = mutateList(selections, schema.getQueryType(), schema, random);
  }
  return { ...attack, selections, dials: turned };
}

/** An attack whose document repeats one field, up to the token limit or half of it. */
function filled(
  { caller, selections, dials: { first = 0 } }: Attack,
  _: unknown,
  random: Random,
): Attack {
  const { name, children = [] } = random.pick(selections);
  const times = fillOf({ name, children }) >> random.integer(0, 1);
  return { caller, selections: [{ name, children, times }], dials: { freshText: 1, first } };
}

/** An attack with as many references as are allowed, or with 5 or 12 times as many, which still fit into a body. */
function withReferences(attack: Attack, schema: GraphQLSchema, random: Random): Attack {
  const query = schema.getQueryType();
  const ofAll = select('_entities', typeBelow(query, '_entities', schema), schema);
  // Leaves of several types cannot be selected together, because some fields of the same name have different types.
  const simplest = { ...ofAll, children: [random.pick(ofAll.children ?? [])] };
  const entities = random.pick([simplest, withAllLeaves(simplest, query, schema)]);
  const dials = { representations: random.pick([1000, 5000, 12_000]), freshText: 1 };
  return { ...attack, selections: [entities], dials };
}

/**
 * An attack with many aliases of one field. The operation text is sent twice for each combination of the values of some
 * conditions. Random single changes rarely find memory that is kept for each combination.
 */
function underSettings(attack: Attack, schema: GraphQLSchema, random: Random): Attack {
  const count = random.integer(3, 4);
  const conditions = repeat(count, (): Selection => ({ name: '__typename', conditional: true }));
  const chosen = random.pick(attack.selections);
  const wide = { ...withAllLeaves(chosen, schema.getQueryType(), schema), times: 30 - count };
  return {
    ...attack,
    selections: [{ ...wide, aliased: true, fragment: true }, ...conditions],
    dials: { ...attack.dials, freshText: 2, settings: 2 ** count, requests: 2 ** (count + 1) },
  };
}

function mutateDials(turned: Attack['dials'], random: Random): Attack['dials'] {
  const known = Object.keys(turned) as Dial[];
  // Dials that are already in use are preferred, because they are more likely to affect this document.
  const isKnown = known.length > 0 && random.next() < 0.4;
  const dial = random.pick(isKnown ? known : (Object.keys(dials) as Dial[]));
  const { [dial]: before = 0, ...others } = turned;
  const after = turn(before, dials[dial], random, limits[dial]);
  return after === 0 ? others : { ...others, [dial]: after };
}

/**
 * A new value up to `max`: twice or half the value before, zero, the maximum, a value at or just beyond a limit, or a
 * random value of any magnitude.
 */
function turn(before: number, max: number, random: Random, within: readonly number[] = []): number {
  const any = () => Math.floor(Math.exp(random.next() * Math.log(max + 1)));
  const near = within.flatMap((limit) => [limit, limit, limit + 1]);
  return Math.min(
    max,
    random.pick([2 * before, before >> 1, 0, max, ...near, any(), any(), any()]),
  );
}

/** How many times a selection fits into a document within the token limit. */
function fillOf(selection: Selection): number {
  return Math.floor((maxTokens - 20) / tokensOf({ ...selection, times: 1 }));
}

function tokensOf({ name, times = 1, aliased = false, children = [] }: Selection): number {
  const own = (name.startsWith('...') ? 3 : 1) + (aliased ? 2 : 0);
  const below = children.reduce((sum, child) => sum + tokensOf(child), 0);
  return times * (own + (children.length === 0 ? 0 : below + 2));
}

type ParentType = GraphQLNamedType | null | undefined;

/** Changes one selection of a list or a selection below it, or adds or removes one. */
function mutateList(
  list: readonly Selection[],
  parent: ParentType,
  schema: GraphQLSchema,
  random: Random,
): readonly Selection[] {
  const index = random.integer(0, list.length - 1);
  const chosen = list[index];
  if (chosen === undefined || random.next() < 0.1) {
    const names = fieldNames(parent, schema);
    if (names.length === 0) return list;
    const name = random.pick(names);
    return [...list, select(name, typeBelow(parent, name, schema), schema)];
  }
  if (list.length > 1 && random.next() < 0.1) return list.toSpliced(index, 1);
  const type = typeBelow(parent, chosen.name, schema);
  const { children = [], times = 1 } = chosen;
  const isDeeper = isCompositeType(type) && random.next() < 0.6;
  const fill = fillOf(chosen);
  const repeated = () => ({
    ...chosen,
    times: Math.max(1, turn(times, maxTimes, random, [fill, fill >> 1, fill >> 2])),
  });
  const changes: (() => Selection)[] = [
    ...[repeated, repeated],
    () => ({ ...chosen, aliased: chosen.aliased !== true }),
    () => ({ ...chosen, conditional: chosen.conditional !== true }),
    () => ({ ...chosen, fragment: chosen.fragment !== true }),
    () => withAllLeaves(chosen, parent, schema),
  ];
  const changed = isDeeper
    ? { ...chosen, children: mutateList(children, type, schema, random) }
    : random.pick(changes)();
  return list.with(index, changed);
}

/** The simplest selection of a field. */
function select(name: string, type: ParentType, schema: GraphQLSchema): Selection {
  if (!isCompositeType(type)) return { name };
  if (isAbstractType(type)) {
    const types = schema.getPossibleTypes(type);
    const children = types.map((one) => select(`... on ${one.name}`, one, schema));
    return { name, children };
  }
  const below = fieldNames(type, schema).find(
    (field) => !isCompositeType(typeBelow(type, field, schema)),
  );
  return { name, children: [{ name: below ?? '__typename' }] };
}

/** The selection with all leaf fields of its type, and of the types below it. */
function withAllLeaves(selection: Selection, parent: ParentType, schema: GraphQLSchema): Selection {
  const type = typeBelow(parent, selection.name, schema);
  if (!isCompositeType(type)) return selection;
  const { children = [] } = selection;
  const isNew = (name: string) => !children.some((child) => child.name === name);
  const isLeaf = (name: string) => !isCompositeType(typeBelow(type, name, schema));
  const leaves = fieldNames(type, schema).filter((name) => isLeaf(name) && isNew(name));
  const below = children.map((child) => withAllLeaves(child, type, schema));
  return { ...selection, children: [...below, ...leaves.map((name) => ({ name }))] };
}

/**
 * The names that can be selected on a type: its fields, `... on` its possible types, `__typename`, and on Query also
 * `__schema` and `__type`.
 */
function fieldNames(type: ParentType, schema: GraphQLSchema): string[] {
  if (!isCompositeType(type)) return [];
  const meta = type === schema.getQueryType() ? ['__schema', '__type'] : [];
  const types = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  return [
    ...(isUnionType(type) ? [] : Object.keys(type.getFields())),
    ...types.map(({ name }) => `... on ${name}`),
    ...['__typename', ...meta],
  ];
}

/**
 * The named type of a field, or the type condition of an inline fragment; undefined if the parent has no such field.
 */
export function typeBelow(parent: ParentType, name: string, schema: GraphQLSchema): ParentType {
  if (name.startsWith('... on ')) return schema.getType(name.slice('... on '.length));
  if (name === '__schema') return schema.getType('__Schema');
  if (name === '__type') return schema.getType('__Type');
  if (!isCompositeType(parent) || isUnionType(parent)) return undefined;
  const field: GraphQLField<unknown, unknown> | undefined = parent.getFields()[name];
  return field && schema.getType(/\w+/.exec(String(field.type))?.[0] ?? '');
}

/** The results of `part(0)`, `part(1)`, …, `part(count - 1)`. */
export function repeat<T>(count: number, part: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => part(i));
}
