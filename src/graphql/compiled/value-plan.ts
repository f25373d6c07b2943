// The building blocks of plans: how a value of each kind is read and written.
import type { GraphQLLeafType } from 'graphql';
import type { JsonOutput } from '../../json/json-output.ts';
import { Literal } from '../../json/json-bytes.ts';
import { type SelectedField, SourceObject, type SourceShape } from '../../json/source-object.ts';
import type { Run } from './run.ts';

/** Thrown if the fast path does not support an operation or a value; graphql-js then executes the operation. */
export class Bailout extends Error {
  override readonly name = 'Bailout';
}

/** One object is enough, because its stack trace is never read. */
const bailout = new Bailout('for graphql-js');

type Load = (value: unknown, run: Run) => void;

/** In the plan of a field, `value` is the field's parent. */
export interface Plan {
  /** Writes the value; throws `bailout` if graphql-js has to handle the value. */
  readonly write: (output: JsonOutput, value: unknown, run: Run) => void;
  /** Starts the reads that the value needs; undefined if it needs none. */
  readonly load: Load | undefined;
  /** Undefined unless the value is a leaf. */
  readonly place?: LeafPlace | undefined;
  /** The name of the parent's property that contains the value; absent if there is none. */
  readonly name?: string;
}

export function nullable(plan: Plan, ifNull: string): Plan {
  const { write, load } = plan;
  const absent = new Literal(ifNull);
  return {
    write(output, value, run) {
      if (isAbsent(value)) output.literal(absent);
      else write(output, value, run);
    },
    load,
  };
}

/** The first field's head contains the text that precedes the object, and then the opening brace. */
export function objectOf(fields: readonly Plan[], ifEmpty: string): Plan {
  const writes = fields.map(({ write }) => write);
  // Cached, because all objects at one place of an answer have the same shape.
  let shape: SourceShape | null = null;
  let sourceWrites: readonly Plan['write'][] = [];
  const loads = fields.flatMap(({ load }) => load ?? []);
  const last = new Literal(writes.length === 0 ? ifEmpty : '}');
  return {
    write(output, value, run) {
      if (!isObject(value)) throw bailout;
      const isSource = value instanceof SourceObject;
      if (isSource && value.shape !== shape) {
        shape = value.shape;
        sourceWrites = sourceWritesOf(fields, shape);
      }
      for (const write of isSource ? sourceWrites : writes) write(output, value, run);
      output.literal(last);
    },
    load: loads.length === 0 ? undefined : (value, run) => loadEach(loads, value, run),
  };
}

/** Starts the reads that an object needs, or each object of a list. */
function loadEach(loads: readonly Load[], value: unknown, run: Run): void {
  if (isAbsent(value)) return;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) loadEach(loads, item, run);
  } else if (isObject(value)) {
    for (const load of loads) load(value, run);
  } else throw bailout;
}

/** Returns the writes of the fields. Adjacent fields that objects of this shape contain as JSON share one write. */
function sourceWritesOf(fields: readonly Plan[], shape: SourceShape): Plan['write'][] {
  const writes: Plan['write'][] = [];
  let selected: SelectedField[] | null = null;
  for (const { name = '', place, write } of fields) {
    const field = shape.names.indexOf(name);
    if (place === undefined || field < 0) {
      writes.push(write);
      selected = null;
      continue;
    }
    if (selected === null) {
      const group: SelectedField[] = (selected = []);
      writes.push((output, source) => {
        if (!(source as SourceObject).write(group, output)) throw bailout;
      });
    }
    selected.push({ ...place, field, isDigits: shape.decimals.includes(name) });
  }
  return writes;
}

/** An Error does not count as an object, because it stands for a violation. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

const between = new Literal(',');
const end = new Literal(']');

export function listOf(item: Plan, head: string): Plan {
  const { write, load } = item;
  const start = new Literal(`${head}[`);
  return {
    write(output, value, run) {
      if (!Array.isArray(value)) throw bailout;
      const items: readonly unknown[] = value;
      output.literal(start);
      for (let i = 0; i < items.length; i++) {
        if (i > 0) output.literal(between);
        write(output, items[i], run);
      }
      output.literal(end);
    },
    load,
  };
}

export function oneOf(plans: readonly Plan[], planOf: (value: object) => Plan | undefined): Plan {
  const load: Load = (value, run) => planOf(value as object)?.load?.(value, run);
  return {
    write(output, value, run) {
      const plan = isObject(value) ? planOf(value) : undefined;
      if (plan === undefined) throw bailout;
      plan.write(output, value, run);
    },
    load: plans.some((plan) => plan.load)
      ? (value, run) => loadEach([load], value, run)
      : undefined,
  };
}

export function propertyOf(name: string, { write, load, place }: Plan): Plan {
  const valueIn = (parent: unknown) => (parent as Readonly<Record<string, unknown>>)[name];
  return {
    name,
    place,
    write: (output, parent, run) => write(output, valueIn(parent), run),
    load: load && ((parent, run) => load(valueIn(parent), run)),
  };
}

export interface LeafPlace {
  /** The JSON text before each value. */
  readonly head: Literal;
  readonly isNullable: boolean;
}

/** The plan throws `bailout` for an Error, a null that is not allowed, or a value that serialization would change. */
export function leafPlan(type: GraphQLLeafType, place: LeafPlace): Plan {
  const { head, isNullable } = place;
  return {
    place,
    write(output, value) {
      const isNull = isAbsent(value);
      const isAllowed = isNull
        ? isNullable
        : !(value instanceof Error) && type.serialize(value) === value;
      if (!isAllowed) throw bailout;
      output.literal(head);
      output.value(isNull ? null : value);
    },
    load: undefined,
  };
}
