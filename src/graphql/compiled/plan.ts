// What plans are made of: how a value of each kind is read and written.
import type { Run } from './run.ts';
import { unusual } from './unusual.ts';

/** How the values at one place of an answer are dealt with; for a field, `value` is its parent. */
export interface Plan {
  /** The text of the answer so far, with the value added; throws `unusual` where graphql-js has to look at the value. */
  readonly append: (text: string, value: unknown, run: Run) => string;
  /** Reads all that is to be read within the value, before it is written; undefined where nothing is. Never throws. */
  readonly load: ((value: unknown, run: Run) => Promise<unknown>) | undefined;
}

/** Null, written as `ifNull`, or else what the plan says. */
export function nullable(plan: Plan, ifNull: string): Plan {
  const { append } = plan;
  return {
    append: (text, value, run) =>
      value === null || value === undefined ? text + ifNull : append(text, value, run),
    load: plan.load,
  };
}

/** An object, by its fields. The head of the first one has what stands before the object, and its brace. */
export function objectOf(fields: readonly Plan[], ifEmpty: string): Plan {
  const appends = fields.map(({ append }) => append);
  const loads = fields.flatMap(({ load }) => load ?? []);
  return {
    append(text, value, run) {
      if (!isObject(value)) throw unusual;
      if (appends.length === 0) return text + ifEmpty;
      for (const append of appends) text = append(text, value, run);
      return `${text}}`;
    },
    load: inParallel(loads),
  };
}

/** Values of the service that are violations are errors, and stand where objects would. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}

type Load = NonNullable<Plan['load']>;

function inParallel(loads: readonly Load[]): Plan['load'] {
  if (loads.length === 0) return undefined;
  return (parent, run) => {
    if (isAbsent(parent)) return nothing;
    return isObject(parent) ? Promise.all(loads.map((load) => load(parent, run))) : refused();
  };
}

const nothing = Promise.resolve();

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function refused(): Promise<never> {
  return Promise.reject(unusual);
}

/** A list, after its head, by the plan of its items. */
export function listOf(item: Plan, head: string): Plan {
  const { append, load } = item;
  return {
    append(text, value, run) {
      if (!Array.isArray(value)) throw unusual;
      const items: readonly unknown[] = value;
      text += `${head}[`;
      for (let i = 0; i < items.length; i++) {
        text = append(i === 0 ? text : `${text},`, items[i], run);
      }
      return `${text}]`;
    },
    load: load && ((value, run) => loadItems(load, value, run)),
  };
}

function loadItems(load: Load, value: unknown, run: Run): Promise<unknown> {
  if (isAbsent(value)) return nothing;
  return Array.isArray(value)
    ? Promise.all(value.map((item: unknown) => load(item, run)))
    : refused();
}

/** One of several plans, by what `planOf` says of the value; undefined is unusual. */
export function oneOf(plans: readonly Plan[], planOf: (value: object) => Plan | undefined): Plan {
  return {
    append(text, value, run) {
      const plan = isObject(value) ? planOf(value) : undefined;
      if (plan === undefined) throw unusual;
      return plan.append(text, value, run);
    },
    load: plans.some(({ load }) => load !== undefined)
      ? async (value, run) => (isObject(value) ? planOf(value)?.load?.(value, run) : undefined)
      : undefined,
  };
}

/** What a property of the parent holds. */
export function propertyOf(name: string, { append, load }: Plan): Plan {
  return {
    append: (text, parent, run) => append(text, propertyIn(parent, name), run),
    load: load && ((parent, run) => load(propertyIn(parent, name), run)),
  };
}

function propertyIn(parent: unknown, name: string): unknown {
  return (parent as Readonly<Record<string, unknown>>)[name];
}

/** A part of the parent that a function finds. */
export function viewOf(view: (parent: unknown) => unknown, { append, load }: Plan): Plan {
  return {
    append: (text, parent, run) => append(text, view(parent), run),
    load: load && ((parent, run) => load(view(parent), run)),
  };
}

/** The same text for every parent. */
export function constant(added: string): Plan {
  return { append: (text) => text + added, load: undefined };
}
