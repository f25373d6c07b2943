// The resolvers of all types except the scalars. Fields without a resolver are properties of their parents.
import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields.js';
import { badUserInput, GatewayError } from '../../errors.ts';
import { holderOf } from '../../profile/profile.ts';
import {
  DEFAULT_COUNT,
  MAX_COUNT,
  type Slice,
  type SliceArguments,
} from '../../statement/statement.ts';
import type { GatewayContext } from '../context.ts';
import type { AccountResolvers, QueryResolvers } from '../generated.ts';
import { countFieldsWithin } from '../limits/document-size.ts';
import { boundErrors, moreErrors } from '../limits/field-errors.ts';
import { _entities, _Entity, holderType } from './entity.ts';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

const Query: QueryResolvers = {
  // Not async, to save a promise.
  me: (_query, _args, { profile }) => profile.me().then(holderOf),
  accounts: (_query, _args, context) =>
    context.profile.me().then(({ accounts }) => boundErrors(accounts, context)),
  account: (_query, { id }, { profile }) => profile.account(checkId(id)),
  transactions: (_query, { accountId, ...args }, context, info) =>
    readSlice(checkId(accountId), args, context, info),
};

function checkId(id: string): string {
  if (!uuid.test(id)) throw badUserInput('An id must be 8-4-4-4-12 hex digits.');
  return id;
}

const Account: AccountResolvers = {
  transactions: ({ id }, args, context, info) => readSlice(id, args, context, info),
};

export const resolvers = {
  Query: { ...Query, _entities },
  _Entity,
  Me: { __resolveType: holderType },
  AccountHolder: { __resolveType: holderType },
  Account,
};

/** Enough for 45 slices of 100 transactions with all ten fields; `nodes` itself counts as an eleventh. */
const maxValues = 50_000;

/** A slice counts as at least this many values, so an operation has at most 500 slices. */
const minValues = 100;

/** After a fallback, graphql-js counts from the start, because Apollo Server passes on a copy of the context. */
const valuesLeft = new WeakMap<GatewayContext, number>();

/**
 * Throws OPERATION_TOO_COMPLEX beyond `maxValues`. After 500 such errors and one that states that there are more, returns
 * null, because errors take time.
 */
function readSlice(
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
  if (left < -maxValues - minValues) return null;
  const excess = `The operation selects more than ${maxValues} transaction field values.`;
  const message = left < -maxValues ? moreErrors : excess;
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
