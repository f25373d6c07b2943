// TransactionConnection and its edges: a slice of a statement.
import type { GraphQLResolveInfo } from 'graphql';
import { GatewayError } from '../../errors.ts';
import {
  DEFAULT_COUNT,
  MAX_COUNT,
  type Slice,
  type SliceArguments,
} from '../../statement/statement.ts';
import type { GatewayContext } from '../context.ts';
import { countFieldsWithin } from '../limits/field-count.ts';
import { boundErrors } from '../limits/field-errors.ts';
import type { TransactionConnectionResolvers, TransactionEdgeResolvers } from '../generated.ts';
import { selectsOnly } from '../operation/selection.ts';

/** Values that the slices of one operation may have: 45 slices of 100 transactions with all their fields. */
const maxValues = 50_000;

/** What a slice counts for at least, so that there are at most 500 of them. */
const minValues = 100;

/**
 * What is left to each execution. A context is that of one: if graphql-js executes an operation again that a plan gave
 * up, Apollo Server has copied the context before, and the count begins again.
 */
const valuesLeft = new WeakMap<GatewayContext, number>();

/**
 * Reads a slice for a `transactions` field, as `Statements.slice` does. Throws OPERATION_TOO_COMPLEX before any call if the
 * slices of the operation have too many values; after 500 such errors it gives null, as each error takes time too.
 */
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
    return context.statements.slice(accountId, args, isTotalOnly(info));
  }
  const left = Math.min(before, 0) - minValues;
  valuesLeft.set(context, left);
  if (left < -maxValues) return null;
  const message = `The operation selects more than ${maxValues} values of transactions.`;
  throw new GatewayError('OPERATION_TOO_COMPLEX', { message });
}

const totalFields: ReadonlySet<string> = new Set(['totalCount', '__typename']);

/** Whether nothing but the total of a connection is asked for, which costs one call wherever the slice lies. */
function isTotalOnly(info: GraphQLResolveInfo): boolean {
  return selectsOnly(info, totalFields);
}

export const TransactionConnection: TransactionConnectionResolvers = {
  nodes: ({ edges }, _args, context) => edges.map(({ row }) => boundErrors(row.node, context)),
};

export const TransactionEdge: TransactionEdgeResolvers = {
  node: ({ row }, _args, context) => boundErrors(row.node, context),
};
