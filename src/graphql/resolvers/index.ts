// The resolvers of all types except the scalars. Fields without a resolver are properties of their parents.
import { badUserInput } from '../../errors.ts';
import { holderOf } from '../../profile/profile.ts';
import type { AccountResolvers, QueryResolvers } from '../generated.ts';
import { boundErrors } from '../limits/field-errors.ts';
import { _entities, _Entity, holderType } from './entity.ts';
import { readSlice } from './transaction.ts';

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
