// TransactionConnection and its edges: a slice of a statement.
import type { GraphQLResolveInfo } from 'graphql';
import type { TransactionConnectionResolvers, TransactionEdgeResolvers } from '../generated.ts';
import { selectsOnly } from '../selection.ts';

const totalFields: ReadonlySet<string> = new Set(['totalCount', '__typename']);

/** Whether nothing but the total of a connection is asked for, which costs one call wherever the slice lies. */
export function isTotalOnly(info: GraphQLResolveInfo): boolean {
  return selectsOnly(info, totalFields);
}

export const TransactionConnection: TransactionConnectionResolvers = {
  nodes: ({ edges }) => edges.map(({ row }) => row.node),
};

export const TransactionEdge: TransactionEdgeResolvers = {
  node: ({ row }) => row.node,
};
