// Generates operations that are valid against the schema, with aliases, fragments, repeated fields, variables, @skip
// and @include.
import fc from 'fast-check';
import {
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { createRandom, type Random } from '../../src/sandbox/random.ts';

/** An operation with its variables. */
export interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The ids and cursors that operations use. */
export interface Names {
  /** Ids of accounts of the caller and of others; some may be invalid. */
  readonly accounts: readonly string[];
  /** Cursors; some may be invalid. */
  readonly cursors: readonly string[];
}

/** Random valid operations; some cannot be executed because of their variables. */
export function operations(schema: GraphQLSchema, names: Names): fc.Arbitrary<Operation> {
  return fc.integer().map((seed) => new Author(schema, names, createRandom(`${seed}`)).write());
}

const unknownId = '00000000-0000-0000-0000-000000000000';

/**
 * The type of each variable other than ids and cursors, and the values to choose from; `undefined` omits the variable.
 * The first value is chosen most often.
 */
const variables: Readonly<Record<string, { type: string; values: readonly unknown[] }>> = {
  on: { type: 'Boolean = true', values: [undefined, true, false, null, 'yes'] },
  off: { type: 'Boolean! = false', values: [undefined, false, true] },
  flag: { type: 'Boolean!', values: [true, false, true, false, undefined] },
  few: { type: 'Int = 3', values: [undefined, 2, 25, null] },
  count: { type: 'Int', values: [5, 0, 20, 21, 100, 101, -1, null, undefined, 1.5] },
  anId: { type: `ID = "${unknownId}"`, values: [undefined, 'no id', 5] },
  day: { type: 'Date', values: ['2026-01-31', undefined, null, '2026-02-30'] },
};

const typeNames = '__typename';
const maxDepth = 4;

class Author {
  readonly #schema: GraphQLSchema;
  readonly #names: Names;
  readonly #random: Random;
  readonly #fragments: string[] = [];

  constructor(schema: GraphQLSchema, names: Names, random: Random) {
    this.#schema = schema;
    this.#names = names;
    this.#random = random;
  }

  write(): Operation {
    const selection = this.#selection(this.#type('Query'), 0);
    const body = [selection, ...this.#fragments].join('\n');
    const used = [...new Set(body.match(/\$\w+/g) ?? [])].map((name) => name.slice(1));
    const head =
      used.length === 0 ? '' : `(${used.map((name) => this.#definition(name)).join(' ')})`;
    const values = used.map((name) => [name, this.#valueOf(name)] as const);
    return { query: `query Made${head} ${body}`, variables: Object.fromEntries(values) };
  }

  #type(name: string): GraphQLCompositeType {
    const type = this.#schema.getType(name);
    if (!isCompositeType(type)) throw new Error(`no ${name}`);
    return type;
  }

  #definition(name: string): string {
    const type = variables[name]?.type ?? (name.startsWith('id') ? 'ID!' : 'String');
    return `$${name}: ${type}`;
  }

  #valueOf(name: string): unknown {
    if (name.startsWith('id')) return this.#one(this.#names.accounts);
    if (name.startsWith('cursor')) return this.#one(this.#names.cursors);
    const [usual, ...odd] = variables[name]?.values ?? [];
    return this.#chance(4) ? this.#one([usual, ...odd]) : usual;
  }

  #selection(type: GraphQLCompositeType, depth: number): string {
    const count = this.#number(1, depth < 2 ? 4 : 3);
    const parts = Array.from({ length: count }, () => this.#part(type, depth));
    return `{ ${parts.join(' ')} }`;
  }

  #part(type: GraphQLCompositeType, depth: number): string {
    const isDeep = depth > maxDepth;
    if (!isDeep && (isUnionType(type) || this.#chance(5))) return this.#fragment(type, depth);
    return this.#field(type, depth);
  }

  #fragment(type: GraphQLCompositeType, depth: number): string {
    // With these types, a key may stand for another field of each.
    if (!isObjectType(type) && this.#chance(6)) {
      return '... on Person { either: name } ... on Company { either: document }';
    }
    const condition = this.#one(this.#conditionsOf(type));
    const directive = this.#directive();
    const selection = this.#selection(condition, depth + 1);
    if (this.#chance(2)) return `... on ${condition.name}${directive} ${selection}`;
    if (condition === type && this.#chance(2)) return `...${directive} ${selection}`;
    const name = `F${this.#fragments.length}`;
    this.#fragments.push(`fragment ${name} on ${condition.name} ${selection}`);
    const spread = `...${name}${directive}`;
    return this.#chance(4) ? `${spread} ...${name}` : spread;
  }

  /** The possible type conditions of a fragment in a selection on the type. */
  #conditionsOf(type: GraphQLCompositeType): readonly GraphQLCompositeType[] {
    const fitting = ['Me', 'AccountHolder', 'Person', 'Company'].map((name) => this.#type(name));
    return fitting.includes(type) && this.#overlaps(type)
      ? fitting.filter((other) => this.#meet(type, other))
      : [type];
  }

  #overlaps(type: GraphQLCompositeType): boolean {
    return !isObjectType(type) || type.name === 'Person' || type.name === 'Company';
  }

  #meet(one: GraphQLCompositeType, other: GraphQLCompositeType): boolean {
    const namesOf = (type: GraphQLCompositeType): readonly string[] =>
      isObjectType(type)
        ? [type.name]
        : this.#schema.getPossibleTypes(type).map(({ name }) => name);
    return namesOf(one).some((name) => namesOf(other).includes(name));
  }

  #field(type: GraphQLCompositeType, depth: number): string {
    if (isUnionType(type) || this.#chance(12)) return `${this.#alias(typeNames)}${typeNames}`;
    const fields = Object.values(type.getFields()).filter(({ name }) => !name.startsWith('_'));
    const shallow = fields.filter((field) => !isCompositeType(getNamedType(field.type)));
    const field = this.#one(depth > maxDepth && shallow.length > 0 ? shallow : fields);
    return this.#written(field, depth);
  }

  #written(field: GraphQLField<unknown, unknown>, depth: number): string {
    const { key, args } = this.#call(field);
    const inner: GraphQLNamedType = getNamedType(field.type);
    const selection = isCompositeType(inner) ? ` ${this.#selection(inner, depth + 1)}` : '';
    return `${key}${args}${this.#directive()}${selection}`;
  }

  /** A response key always has the same field and arguments, so that selections can be merged. */
  #call(field: GraphQLField<unknown, unknown>): { readonly key: string; readonly args: string } {
    const { name } = field;
    if (field.args.length === 0) return { key: `${this.#alias(name)}${name}`, args: '' };
    const calls = name === 'account' ? accountCalls : transactionCalls;
    const [suffix, args] = this.#one(Object.entries(calls));
    const account = name === 'transactions' && field.args.some((arg) => arg.name === 'accountId');
    const all = [...(account ? ['accountId: $idOfStatement'] : []), args].filter(Boolean).join(' ');
    return { key: `${name}${suffix}: ${name}`, args: all === '' ? '' : `(${all})` };
  }

  #alias(name: string): string {
    if (this.#chance(3)) return this.#one([`${name}A: `, `${name}B: `]);
    return name === 'id' && this.#chance(6) ? '__proto__: ' : '';
  }

  #directive(): string {
    if (!this.#chance(5)) return '';
    const condition = this.#one(['$on', '$off', '$flag', 'true', 'false', '$on', '$flag']);
    return this.#one([` @include(if: ${condition})`, ` @skip(if: ${condition})`]);
  }

  #chance(inverse: number): boolean {
    return this.#number(1, inverse) === inverse;
  }

  #number(min: number, max: number): number {
    return this.#random.integer(min, max);
  }

  #one<T>(items: readonly T[]): T {
    return this.#random.pick(items);
  }
}

const accountCalls = { A: 'id: $idA', B: 'id: $idB', C: 'id: $anId' };

const transactionCalls = {
  '': '',
  First: 'first: $count',
  Few: 'first: $few',
  Some: 'first: 2',
  None: 'first: 0',
  After: 'first: $few after: $cursorA',
  Last: 'last: 3',
  Before: 'last: $count before: $cursorB',
  From: 'from: $day first: $few',
  To: 'from: "2026-01-01" to: $day',
  Odd: 'first: 1 last: 1',
  Null: 'first: null after: null from: null',
};
