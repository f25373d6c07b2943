// Test doubles for reading a profile: a caller, a call, profiles with accounts, and a service with given answers.
import type { Caller } from '../../../src/identity/caller.ts';
import {
  CallBudget,
  type UpstreamCall,
  type UpstreamReader,
} from '../../../src/upstream/client.ts';
import { UpstreamStatusError } from '../../../src/upstream/exchange/failure.ts';
import {
  type Account,
  accountFields,
  type HolderKind,
  type Profile,
} from '../../../src/upstream/shape/shapes.ts';

export function callOf(): UpstreamCall {
  return {
    callerKey: 'key',
    headers: { authorization: 'Bearer a.b.c', tenant: 't', requestId: 'r' },
    signal: new AbortController().signal,
    budget: new CallBudget(50),
  };
}

export function callerOf(changes: Partial<Caller> = {}): Caller {
  const header = { authorization: 'Bearer a.b.c', tenant: 't' };
  return { ...header, kind: null, key: 'key', expiresAtMs: null, ...changes };
}

/** The error of a profile call that is answered with this status. */
export function refused(status: number): Error {
  return new UpstreamStatusError(status, undefined, 'UPSTREAM_REJECTED', 0);
}

export function profileOf(kind: HolderKind, accounts: Profile['accounts'] = []): Profile {
  return { kind, holder: null, individual: null, address: null, accounts };
}

/** An account with this id and bank; all other fields are null. */
export function accountOf(id: string, bank: string | null = null): Account {
  const nothing = Object.keys(accountFields).map((name) => [name, null]);
  return { ...(Object.fromEntries(nothing) as Omit<Account, 'id'>), id, bank };
}

interface TestUpstream extends UpstreamReader<'persons' | 'companies'> {
  /** The requested endpoints, in order. */
  readonly asked: string[];
}

/**
 * A service that answers each endpoint with the given profile, by default an empty one, or rejects with the given
 * error.
 */
export function upstreamOf(
  answers: Partial<Record<'person' | 'company', Profile | Error>>,
): TestUpstream {
  const asked: string[] = [];
  const { person = profileOf('PERSON'), company = profileOf('COMPANY') } = answers;
  return {
    asked,
    read(_call, route) {
      const [name, given] = route === 'persons' ? ['person', person] : ['company', company];
      asked.push(name);
      return given instanceof Error ? Promise.reject(given) : Promise.resolve(given);
    },
  };
}
