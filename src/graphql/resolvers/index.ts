// The resolvers of all types except the scalars; fields that are not listed are read from the property of the same name.
import { Account } from './account.ts';
import { _entities, _Entity } from './entity.ts';
import { AccountHolder, Company, Me, Person } from './holder.ts';
import { Query } from './query.ts';
import { TransactionConnection, TransactionEdge } from './transaction.ts';

/** Resolvers by type, then by field. */
export const resolvers = {
  Query: { ...Query, _entities },
  _Entity,
  Me,
  AccountHolder,
  Person,
  Company,
  Account,
  TransactionConnection,
  TransactionEdge,
};
