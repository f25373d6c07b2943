// Resolves the fields `transactions`: checks the limit on values, then reads a slice of a statement.
import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields.js';
import { GatewayError } from '../../errors.ts';
import {
  DEFAULT_COUNT,
  MAX_COUNT,
  type Slice,
  type SliceArguments,
} from '../../statement/statement.ts';
import type { GatewayContext } from '../context.ts';
import { countFieldsWithin } from '../limits/document-size.ts';

/** Enough for 45 slices of 100 transactions with all ten fields; `nodes` itself counts as an eleventh. */
const maxValues = 50_000;

/** A slice counts as at least this many values, so an operation has at most 500 slices. */
const minValues = 100;

/** After a fallback, graphql-js counts from the start, because Apollo Server passes on a copy of the context. */
const valuesLeft = new WeakMap<GatewayContext, number>();

/** Throws OPERATION_TOO_COMPLEX beyond `maxValues`. After 500 such errors, returns null, because errors take time. */
export function readSlice(
  accountId: string,
  args: SliceArguments,
  context: GatewayContext,
  info: GraphQLResolveInfo,
): Promise<Slice> | null {
  const rows = Math.min(args.first ?? args.last ?? DEFAULT_COUNT, MAX_COUNT);
  const values = Math.max(rows * countFieldsWithin(info), minValues);
  const before = valuesLeft.get(context) ?? maxValues;
  if (values <= before) {
    valuesLeft.set(context, before - values);
    return context.statements.slice(accountId, args, selectsTotalOnly(info));
  }
  const left = Math.min(before, 0) - minValues;
  valuesLeft.set(context, left);
  if (left < -maxValues) return null;
  const message = `The operation selects more than ${maxValues} transaction field values.`;
  throw new GatewayError('OPERATION_TOO_COMPLEX', { message });
}

const totalFields: ReadonlySet<string> = new Set(['totalCount', '__typename']);

/** Whether only the total is selected. Every page has the total, so one call is enough, whatever the cursor. */
function selectsTotalOnly(info: GraphQLResolveInfo): boolean {
  const { schema, fragments, variableValues, returnType, fieldNodes } = info;
  const type = returnType as GraphQLObjectType;
  return collectSubfields(schema, fragments, variableValues, type, fieldNodes)
    .values()
    .every(([node]) => totalFields.has(node?.name.value ?? ''));
}
