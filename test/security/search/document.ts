// The GraphQL document of an attack and its variables.
import { isCompositeType, isUnionType } from 'graphql';
import { type Attack, repeat, type Selection, type Target, typeBelow } from './attack.ts';

const maxLength = 2 ** 20;

export interface AttackDocument {
  readonly text: string;
  /** The variables as members of a JSON object. */
  readonly variables: readonly string[];
}

/** The document of the request at `index` in a series; `salt` makes its text unique if the dial `freshText` is set. */
export function documentOf(
  attack: Attack,
  target: Target,
  index: number,
  salt: string,
): AttackDocument {
  return new Writer(attack, target, index, salt).document();
}

class Writer {
  readonly #attack: Attack;
  readonly #target: Target;
  readonly #index: number;
  readonly #salt: string;
  /** The type and the JSON value of each variable, by its name. */
  readonly #variables = new Map<string, readonly [string, string]>();
  readonly #fragments: string[] = [];

  constructor(attack: Attack, target: Target, index: number, salt: string) {
    this.#attack = attack;
    this.#target = target;
    this.#index = index;
    this.#salt = salt;
  }

  document(): AttackDocument {
    const { dials } = this.#attack;
    const { comments = 0, commas = 0, variables = 0, fragments = 0, operations = 0 } = dials;
    const root = this.#set(this.#attack.selections, this.#target.schema.getQueryType()?.name ?? '');
    const directives = '@skip(if:false)'.repeat(dials.directives ?? 0);
    const declarations = [
      ...this.#variables.entries().map(([name, [type]]) => `$${name}:${type}`),
      ...repeat(variables, (i) => `$v${i}:ID`),
    ];
    const text = [
      this.#mark(),
      '#\n'.repeat(comments),
      ','.repeat(commas),
      `query Q`,
      declarations.length === 0 ? '' : `(${declarations.join()})`,
      `${directives}${root}`,
      ...this.#fragments,
      ...repeat(fragments, (i) => `fragment G${i} on Query{__typename}`),
      ...repeat(
        operations,
        (i) => `query R${i}${dials.wholeOperations === 1 ? root : '{__typename}'}`,
      ),
    ].join('');
    const values = this.#variables.entries().map(([name, [, json]]) => `"${name}":${json}`);
    return { text, variables: [...values] };
  }

  /**
   * A comment that makes the operation text unique for each request or for each series; empty if the text need not be
   * unique.
   */
  #mark(): string {
    const { freshText = 0 } = this.#attack.dials;
    const [series = ''] = this.#salt.split('.');
    if (freshText === 0) return '';
    return freshText === 1 ? `#${this.#salt}\n` : `#${series}\n`;
  }

  #set(list: readonly Selection[], parent: string): string {
    return `{${list.map((one) => this.#selection(one, parent)).join(' ')}}`;
  }

  #selection(selection: Selection, parent: string): string {
    const { name, times = 1, children = [] } = selection;
    const type = typeBelow(this.#target.schema.getType(parent), name, this.#target.schema);
    const set = isCompositeType(type) ? this.#set(children, type.name) : '';
    const isField = !name.startsWith('... on ');
    const condition = selection.conditional === true ? `@include(if:${this.#condition()})` : '';
    const spread = selection.fragment === true && type ? this.#spread(type.name, set) : null;
    if (!isField) {
      const inline = spread === null ? `${name}${condition}${set}` : `${spread}${condition}`;
      return repeat(fitting(times, inline), () => inline).join(' ');
    }
    const below = spread === null ? set : `{${spread}}`;
    const field = `${name}${this.#arguments(name, parent)}${condition}${below}`;
    const ending = 'x'.repeat(this.#attack.dials.aliasLength ?? 0);
    const alias = (i: number) => (selection.aliased === true ? `a${i}${ending}:` : '');
    return repeat(fitting(times, field), (i) => alias(i) + field).join(' ');
  }

  /**
   * Adds a variable for a condition, and returns the variable's name. The value depends on the index of the request in
   * its series.
   */
  #condition(): string {
    const { settings = 1 } = this.#attack.dials;
    const place = this.#variables.size;
    const isIncluded = (((this.#index % settings) >> place) & 1) === 0;
    this.#variables.set(`c${place}`, ['Boolean!', String(isIncluded)]);
    return `$c${place}`;
  }

  /** Defines a fragment and returns its spread. */
  #spread(type: string, set: string): string {
    const name = `F${this.#fragments.length}`;
    this.#fragments.push(`fragment ${name} on ${type}${set}`);
    return `...${name}`;
  }

  #arguments(field: string, parent: string): string {
    const { first = 0, digits = 0 } = this.#attack.dials;
    const given = argumentNames(this.#target, field, parent).flatMap((name) => {
      if (name === 'representations') return [`${name}:${this.#references()}`];
      if (name === 'first' && digits > 0) return [`${name}:${'9'.repeat(digits)}`];
      if (name === 'first' && first > 0) return [`${name}:${first}`];
      return /^(?:id|accountId|name)$/.test(name) ? [`${name}:${this.#text()}`] : [];
    });
    return given.length === 0 ? '' : `(${given.join()})`;
  }

  /** A string argument, or nested lists if the dial `literalDepth` is set. */
  #text(): string {
    const { text = 0, textKind = 0, literalDepth = 0 } = this.#attack.dials;
    if (literalDepth > 0) return `${'['.repeat(literalDepth)}${']'.repeat(literalDepth)}`;
    if (text === 0) return `"${this.#target.accountId}"`;
    if (textKind === 1) return `"""${' x\n'.repeat(text / 3)}"""`;
    return textKind === 2 ? `"${'\\u0041'.repeat(text / 6)}"` : `"${'x'.repeat(text)}"`;
  }

  #references(): string {
    const { representations = 0, representationKind = 0, literalReferences } = this.#attack.dials;
    const reference = referenceOf(representationKind, this.#target.accountId);
    const all = repeat(fitting(representations, reference), () => reference).join();
    if (literalReferences === 1) return `[${all.replaceAll(/"(\w+)":/g, '$1:')}]`;
    this.#variables.set('references', ['[_Any!]!', `[${all}]`]);
    return '$references';
  }
}

/**
 * The number of repetitions of a part of a request, limited so that the repeated part is only a little longer than the
 * largest allowed body.
 */
function fitting(times: number, text: string): number {
  return Math.min(times, Math.ceil(maxLength / text.length));
}

function argumentNames({ schema }: Target, field: string, parent: string): string[] {
  const type = schema.getType(parent);
  if (field === '__type') return ['name'];
  if (!isCompositeType(type) || isUnionType(type)) return [];
  return (type.getFields()[field]?.args ?? []).map(({ name }) => name);
}

/**
 * A reference as JSON: to an account of the caller, to an unknown holder, to a transaction (which cannot be resolved),
 * to an unknown type, or malformed.
 */
function referenceOf(kind: number, id: string): string {
  const kinds = [
    `{"__typename":"Account","id":"${id}"}`,
    `{"__typename":"Person","id":"${id}"}`,
    `{"__typename":"Transaction","id":"${id}","more":[[[]]]}`,
    '{"__typename":"Nothing"}',
    '{}',
  ];
  return kinds[kind] ?? '1';
}
