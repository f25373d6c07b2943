// Federation: resolves references of a router from the caller's own profile.
import { badUserInput, GatewayError } from '../../errors.ts';
import type { ProfileReader } from '../../profile/profile.ts';
import type { Account, HolderKind, Profile } from '../../upstream/shape/shapes.ts';
import type { GatewayContext } from '../context.ts';
import { holderOf, holderProfile, holderType } from './holder.ts';

type Entity = Profile | Account;
type Reference = (id: string, context: GatewayContext) => Promise<Entity | null>;

/** The resolvers of references, by the `__typename` of a representation. */
const references: ReadonlyMap<unknown, Reference> = new Map<string, Reference>([
  ['Person', (id, { profile }) => findHolder('PERSON', id, profile)],
  ['Company', (id, { profile }) => findHolder('COMPANY', id, profile)],
  ['Account', (id, { profile }) => profile.account(id)],
]);

/**
 * `Query._entities`, instead of @apollo/subgraph's, which treats an unknown reference as a defect and fails all of them.
 * Here the first invalid representation has the error, and the others of the field are null.
 */
export function _entities(
  _query: unknown,
  { representations }: { readonly representations: readonly unknown[] },
  context: GatewayContext,
): (Promise<Entity | null> | GatewayError | null)[] {
  let hasError = false;
  return representations.map((representation) => {
    const found = find(representation, context);
    if (!(found instanceof GatewayError)) return found;
    // One error for all: a request can have thousands.
    if (hasError) return null;
    hasError = true;
    return found;
  });
}

export const _Entity = {
  __resolveType: (entity: Entity) => ('kind' in entity ? holderType(entity) : 'Account'),
};

function find(
  representation: unknown,
  context: GatewayContext,
): Promise<Entity | null> | GatewayError | null {
  if (typeof representation !== 'object' || representation === null) {
    return badUserInput('A representation must be an object.');
  }
  const { __typename, id } = representation as Readonly<Record<string, unknown>>;
  // Found only through its account; other subgraphs refer to transactions by their own keys.
  if (__typename === 'Transaction') return null;
  const reference = references.get(__typename);
  if (reference === undefined)
    return badUserInput('No entity has the __typename of this reference.');
  if (typeof id !== 'string') return badUserInput('A representation needs the id of its entity.');
  return reference(id, context);
}

/** Null for any holder except the caller's own. */
async function findHolder(
  kind: HolderKind,
  id: string,
  reader: ProfileReader,
): Promise<Profile | null> {
  const profile = holderProfile(await reader.me());
  if (profile?.kind !== kind) return null;
  return holderOf(profile).id.toLowerCase() === id.toLowerCase() ? profile : null;
}
