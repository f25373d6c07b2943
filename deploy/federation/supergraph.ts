// The supergraph: account-bff and the two subgraphs, composed.
import { readFileSync } from 'node:fs';
import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { type DocumentNode, parse } from 'graphql';
import { readSubgraph } from './subgraphs/subgraph.ts';

/** The address of each subgraph, by its name in the supergraph. */
export type SubgraphUrls = Readonly<Record<'account' | 'cards' | 'insights', string>>;

/**
 * The shipped SDL. `plain` is a gateway's answer to `_service { sdl }`, for Federation 2.5; `priced` also has costs,
 * for Federation 2.9 and routers with demand control.
 */
export const accountSdl = {
  plain: new URL('../../schema/subgraph.graphql', import.meta.url),
  priced: new URL('../../schema/subgraph-cost.graphql', import.meta.url),
};

/** The supergraph's SDL, for any router; throws with all reasons if the subgraphs do not compose. */
export function composeSupergraph(
  urls: SubgraphUrls,
  sdl: keyof typeof accountSdl = 'priced',
): string {
  return compose({
    account: { url: urls.account, typeDefs: parse(readFileSync(accountSdl[sdl], 'utf8')) },
    cards: { url: urls.cards, typeDefs: readSubgraph('cards') },
    insights: { url: urls.insights, typeDefs: readSubgraph('insights') },
  });
}

/** A subgraph to compose. */
export interface Part {
  readonly url: string;
  readonly typeDefs: DocumentNode;
}

/** Composes any subgraphs, keyed by name. */
export function compose(parts: Readonly<Record<string, Part>>): string {
  const services = Object.entries(parts).map(([name, part]) => ({ name, ...part }));
  const result = composeServices(services);
  if (compositionHasErrors(result)) {
    throw new Error(result.errors.map(({ message }) => message).join('\n'));
  }
  return result.supergraphSdl;
}
