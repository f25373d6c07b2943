// The cards subgraph: adds a field to Account, and refers to accounts by their key.
import { createHash } from 'node:crypto';
import type { SubgraphParts } from './subgraph.ts';

interface Card {
  readonly id: string;
  readonly lastDigits: string;
  readonly isBlocked: boolean;
  /** A reference: only the key of an account is known here. */
  readonly account: { readonly id: string };
}

/**
 * The cards of an account, generated from its id, so that nothing has to be stored. Real cards have an owner: a real
 * subgraph has to check the caller's token and tenant, which it receives from the router, as account-bff does.
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
