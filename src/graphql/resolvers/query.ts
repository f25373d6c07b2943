// The resolvers of Query.
import { badUserInput } from '../../errors.ts';
import { boundErrors } from '../limits/field-errors.ts';
import type { QueryResolvers } from '../generated.ts';
import { holderProfile } from './holder.ts';
import { readSlice } from './transaction.ts';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const Query: QueryResolvers = {
  // Not async, which would cost another promise.
  me: (_query, _args, { profile }) => profile.me().then(holderProfile),
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
