// Rejects long values of variables that graphql-js would reject too, but only after it has quoted them in full, twice.
import { Kind, type OperationDefinitionNode, type TypeNode } from 'graphql';
import { badUserInput } from '../../errors.ts';
import type { Variables } from '../operation/operation-request.ts';

/** The length up to which graphql-js may quote a value, in characters: quoting a megabyte takes up to 130 ms. */
const maxQuoted = 256;

/** The types that accept every string. */
const texts: ReadonlySet<string> = new Set(['ID', 'String']);

/** The type of references, which accepts every value. */
const any = '_Any';

/** Throws BAD_USER_INPUT for a long value that the variable's type does not accept. */
export function checkVariables(
  { variableDefinitions = [] }: Pick<OperationDefinitionNode, 'variableDefinitions'>,
  variables: Variables | null,
): void {
  if (variables === null) return;
  for (const { variable, type } of variableDefinitions) {
    const name = variable.name.value;
    const misfit = Object.hasOwn(variables, name) ? misfitOf(variables[name], type) : null;
    if (misfit === null) continue;
    const what = 'an invalid value, which is too long to be shown';
    throw badUserInput(`Variable "$${name}" got ${what}. Expected type "${misfit}".`);
  }
}

/** The name of the type that a long value, or a long item of it, does not have; null if there is none. */
function misfitOf(value: unknown, type: TypeNode): string | null {
  if (leftAfter(value, maxQuoted) >= 0) return null;
  if (type.kind === Kind.NON_NULL_TYPE) return misfitOf(value, type.type);
  if (type.kind === Kind.NAMED_TYPE) {
    const name = type.name.value;
    return name === any || (typeof value === 'string' && texts.has(name)) ? null : name;
  }
  for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    const misfit = misfitOf(item, type.type);
    if (misfit !== null) return misfit;
  }
  return null;
}

/** What the characters of a value, with one for each part, leave of `left`; counting stops below zero. */
function leftAfter(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left - 1;
  let rest = left - 1;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && rest >= 0; i++) rest = leftAfter(value[i], rest);
    return rest;
  }
  for (const key in value) {
    rest = leftAfter((value as Readonly<Record<string, unknown>>)[key], rest - key.length);
    if (rest < 0) break;
  }
  return rest;
}
