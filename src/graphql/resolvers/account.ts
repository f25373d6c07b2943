// Account: its own fields are the service's, checked; its transactions are the statement's.
import type { AccountResolvers } from '../generated.ts';
import { readSlice } from './transaction.ts';

export const Account: AccountResolvers = {
  transactions: ({ id }, args, context, info) => readSlice(id, args, context, info),
};
