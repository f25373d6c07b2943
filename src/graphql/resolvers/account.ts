// Account: its own fields are the service's, checked; its transactions are the statement's.
import type { AccountResolvers } from '../generated.ts';
import { isTotalOnly } from './transaction.ts';

export const Account: AccountResolvers = {
  transactions: ({ id }, args, { statements }, info) =>
    statements.slice(id, args, isTotalOnly(info)),
};
