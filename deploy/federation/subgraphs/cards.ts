// The cards subgraph: adds a field to Account, and refers to accounts by their key.
import { createHash } from 'node:crypto';
import type { SubgraphParts } from './subgraph.ts';

interface Card {
  readonly id: string;
  readonly lastDigits: string;
  readonly isBlocked: boolean;
  /** A reference to an account, of which this subgraph has only the key. */
  readonly account: { readonly id: string };
}

/**
 * The cards of an account, generated from its id, so that nothing has to be stored. Real cards have an owner. Like
 * account-bff, a real subgraph therefore has to check the caller's token and tenant, which the router forwards.
 */
function cardsOf(accountId: string): Card[] {
  const digest = createHash('sha256').update(accountId).digest();
  return [0, 4].map((at) => ({
    id: digest.toString('hex', at, at + 8),
    lastDigits: String(digest.readUInt16BE(at) % 10_000).padStart(4, '0'),
    isBlocked: digest.readUInt8(at + 2) < 32,
    account: { id: accountId },
  }));
}

export const cards: SubgraphParts = {
  name: 'cards',
  resolvers: {
    Query: {
      cards: (_: unknown, { accountIds }: { accountIds: readonly string[] }) =>
        accountIds.flatMap(cardsOf),
    },
    Account: {
      // account-bff has confirmed that the account is the caller's: references come only from its answers.
      __resolveReference: ({ id }: { id: string }) => ({ id, cards: cardsOf(id) }),
    },
  },
};
