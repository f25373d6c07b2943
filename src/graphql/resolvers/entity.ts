// Federation: resolves a router's references from the caller's own profile.
import { type GraphQLResolveInfo, locatedError, responsePathAsArray } from 'graphql';
import { badUserInput, GatewayError } from '../../errors.ts';
import { accountsById, holderOf, type ProfileHolder } from '../../profile/profile.ts';
import type { Account, Profile } from '../../upstream/shape/shapes.ts';
import type { GatewayContext } from '../context.ts';

type Entity = ProfileHolder | Account;

interface Reference {
  readonly type: 'Person' | 'Company' | 'Account';
  /** As sent: many references may share a long one, and a copy in lower case for each would fill the heap. */
  readonly id: string;
}

type Item = Entity | Error | null;

/** Replaces the resolver of @apollo/subgraph, which fails all references if one of them names an unknown type. */
export async function _entities(
  _query: unknown,
  { representations }: { readonly representations: readonly unknown[] },
  { allowance, profile }: GatewayContext,
  info: GraphQLResolveInfo,
): Promise<Item[]> {
  const parsed = representations.map(parse);
  const firstInvalid = parsed.find((one) => one instanceof GatewayError);
  const fail = (reason: unknown) => () => {
    throw reason;
  };
  const find = parsed.some(isReference) ? await profile.me().then(finderIn, fail) : undefined;
  const failed = new Map<Reference['type'], number[]>();
  // From here on synchronous, because a request can have a thousand references.
  return parsed.map((one, index) => {
    // Only the first invalid representation gets an error, because a request can have a thousand.
    if (!isReference(one)) return one === firstInvalid ? one : null;
    const others = failed.get(one.type);
    // References of one type fail for the same reason, so they share an error.
    if (others !== undefined) {
      others.push(index);
      return null;
    }
    try {
      return find?.(one) ?? null;
    } catch (reason) {
      const path = [...responsePathAsArray(info.path), index];
      const sharing: number[] = [];
      failed.set(one.type, sharing);
      (allowance.sharers ??= new Map()).set(path, sharing);
      return locatedError(reason, info.fieldNodes, path);
    }
  });
}

type Parsed = Reference | GatewayError | null;

function isReference(parsed: Parsed): parsed is Reference {
  return parsed !== null && !(parsed instanceof GatewayError);
}

/** The length of an account's id (8-4-4-4-12 hex digits). */
const uuidLength = 36;

/** The returned function throws if the holder or the list of accounts is invalid. */
function finderIn(profile: Profile): (reference: Reference) => Entity | null {
  let accounts: ReadonlyMap<string, Account> | undefined;
  return ({ type, id }) => {
    if (type === 'Account') {
      accounts ??= accountsById(profile.accounts);
      return id.length === uuidLength ? (accounts.get(id.toLowerCase()) ?? null) : null;
    }
    // A reference of the other kind cannot name the caller, even if the caller's own object is invalid.
    if (holderType(profile) !== type) return null;
    const holder = holderOf(profile);
    const isSame = holder?.id.length === id.length && holder.id.toLowerCase() === id.toLowerCase();
    return isSame ? holder : null;
  };
}

export function holderType({ kind }: Profile): 'Person' | 'Company' {
  return kind === 'PERSON' ? 'Person' : 'Company';
}

export const _Entity = {
  __resolveType: (entity: Entity) => ('kind' in entity ? holderType(entity) : 'Account'),
};

/** Returns null for a transaction, because the service cannot find transactions by id (docs/federation.md). */
function parse(representation: unknown): Parsed {
  if (typeof representation !== 'object' || representation === null) {
    return badUserInput('A representation must be an object.');
  }
  const { __typename: type, id } = representation as Readonly<Record<string, unknown>>;
  if (type === 'Transaction') return null;
  if (type !== 'Person' && type !== 'Company' && type !== 'Account') {
    return badUserInput('No entity has the __typename of this reference.');
  }
  if (typeof id !== 'string') return badUserInput('A representation needs the id of its entity.');
  return { type, id };
}
