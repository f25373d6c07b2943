// The insights subgraph: adds a field to Transaction, computed from the fields of the compound key.
import type { SubgraphParts } from './subgraph.ts';

/** A reference, with the fields of the key; account-bff may have no value for the last two. */
interface TransactionReference {
  readonly id: string;
  readonly category: string | null;
  readonly beneficiaryName: string | null;
}

const topics = [
  { topic: 'FEE', pattern: /tarifa/i, text: 'The bank charged it' },
  { topic: 'PURCHASE', pattern: /qr code/i, text: 'A purchase' },
  { topic: 'TRANSFER', pattern: /pix|transfer/i, text: 'A transfer' },
];

function insightOf({ category, beneficiaryName }: TransactionReference) {
  const { topic, text } = topics.find(({ pattern }) => pattern.test(category ?? '')) ?? {
    topic: 'OTHER',
    text: 'Something else',
  };
  return { topic, text: beneficiaryName === null ? text : `${text}: ${beneficiaryName}` };
}

export const insights: SubgraphParts = {
  name: 'insights',
  resolvers: {
    Transaction: {
      __resolveReference: (reference: TransactionReference) => reference,
      insight: insightOf,
    },
  },
};
