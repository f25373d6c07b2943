// Account: checked fields of the service, and its statement.
import type { AccountResolvers } from '../generated.ts';
import { readSlice } from './transaction.ts';

export const Account: AccountResolvers = {
  transactions: ({ id }, args, context, info) => readSlice(id, args, context, info),
};
