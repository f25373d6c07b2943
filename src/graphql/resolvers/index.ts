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
import { minOfSlice } from '../limits/allowance.ts';
import { countFieldsWithin } from '../limits/document-size.ts';
import { _entities, _Entity, holderType } from './entity.ts';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

const Query: QueryResolvers = {
  // Not async, to save a promise.
  me: (_query, _args, { profile }) => profile.me().then(holderOf),
  accounts: (_query, _args, { profile }) => profile.me().then(({ accounts }) => accounts),
  account: (_query, { id }, { profile }) => profile.account(checkId(id)),
  transactions: (_query, args, context, info) =>
    readSlice(checkId(args.accountId), args, context, info),
};

function checkId(id: string): string {
  if (!uuid.test(id)) throw badUserInput('An id must be 8-4-4-4-12 hex digits.');
  return id;
}

const Account: AccountResolvers = {
  transactions: ({ id }, args, context, info) =>
    readSlice(id, args, context, info)?.catch(ofKnownAccount) ?? null,
};

/** The account is one of the profile, so a 404 for its statement is about the period. */
function ofKnownAccount(error: unknown): never {
  if (!(error instanceof GatewayError) || error.code !== 'NOT_FOUND') throw error;
  const message = 'The account service knows the account, but has no statement for this period.';
  throw new GatewayError('NOT_FOUND', { message, cause: error.cause });
}

export const resolvers = {
  Query: { ...Query, _entities },
  _Entity,
  Me: { __resolveType: holderType },
  AccountHolder: { __resolveType: holderType },
  Account,
};

/** Lists whose values are counted before they are read: by `readSlice`, and before execution. */
export const countedLists: ReadonlySet<string> = new Set([
  'TransactionConnection.edges',
  'TransactionConnection.nodes',
  'Query._entities',
]);

function readSlice(
  accountId: string,
  args: SliceArguments,
  context: GatewayContext,
  info: GraphQLResolveInfo,
): Promise<Slice> | null {
  const rows = Math.min(args.first ?? args.last ?? DEFAULT_COUNT, MAX_COUNT);
  const values = Math.max(rows * countFieldsWithin(info), minOfSlice);
  const isWithin = context.allowance.takeValues(values);
  return isWithin ? context.statements.slice(accountId, args, selectsTotalOnly(info)) : null;
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
