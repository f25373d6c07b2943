// The profile of a request's caller: read at most once, and searched for accounts by id.
import { describe, expect, it } from 'vitest';
import { contractViolation, GatewayError } from '../../../src/errors.ts';
import { HolderKinds, ProfileReader } from '../../../src/profile/profile.ts';
import type { Profile } from '../../../src/upstream/shape/shapes.ts';
import { accountOf, callerOf, callOf, profileOf, refused, upstreamOf } from './parts.ts';

function readerOf(person: Profile | Error): { reader: ProfileReader; asked: string[] } {
  const upstream = upstreamOf({ person });
  const holderKinds = new HolderKinds(() => 0);
  const caller = callerOf({ kind: 'PERSON' });
  const reader = new ProfileReader(() => holderKinds.readProfile(upstream, callOf(), caller));
  return { reader, asked: upstream.asked };
}

const readerWith = (accounts: Profile['accounts']) =>
  readerOf(profileOf('PERSON', accounts)).reader;

describe('ProfileReader', () => {
  it('makes no call before the first read', () => {
    expect(readerOf(profileOf('PERSON')).asked).toEqual([]);
  });

  it('makes one call for all reads, including later ones', async () => {
    const profile = profileOf('PERSON', [accountOf('a'), accountOf('b')]);
    const { reader, asked } = readerOf(profile);
    const all = [reader.me(), reader.me(), reader.account('a')];
    const [me, again] = await Promise.all([...all, reader.account('b'), reader.account('x')]);
    expect(me).toBe(profile);
    expect(again).toBe(profile);
    expect(await reader.account('B')).toBe((profile.accounts as unknown[])[1]);
    expect(asked).toEqual(['person']);
  });

  it('shares a failure between all reads and makes no second call', async () => {
    const failure = refused(500);
    const { reader, asked } = readerOf(failure);
    const all = [reader.me(), reader.account('a'), reader.account('b')];
    for (const { reason } of (await Promise.allSettled(all)) as PromiseRejectedResult[]) {
      expect(reason).toBe(failure);
    }
    await expect(reader.account('c')).rejects.toBe(failure);
    expect(asked).toEqual(['person']);
  });
});

describe('an account', () => {
  it.each([
    ['ab-1', 'one'],
    ['AB-1', 'one'],
    ['Ab-2', 'two'],
    ['ab-3', null],
    ['', null],
    ['__proto__', null],
  ])('is looked up by its id in any letter case: %j finds the account %j', async (id, bank) => {
    const reader = readerWith([accountOf('aB-1', 'one'), accountOf('Ab-2', 'two')]);
    expect((await reader.account(id))?.bank ?? null).toBe(bank);
  });

  it('is the first one if two accounts have the same id', async () => {
    const reader = readerWith([accountOf('a', 'first'), accountOf('A', 'second')]);
    expect(await reader.account('A')).toMatchObject({ bank: 'first' });
  });

  it('is found next to an account that is a violation', async () => {
    const reader = readerWith([contractViolation('/accounts/0 is not an object'), accountOf('a')]);
    expect(await reader.account('a')).toMatchObject({ id: 'a' });
    expect(await reader.account('b')).toBeNull();
  });

  it('is null if the service sent no list of accounts', async () => {
    expect(await readerWith(null).account('a')).toBeNull();
  });

  it('cannot be read if the list of accounts is a violation', async () => {
    const violation = contractViolation('/accounts is not a list');
    const reader = readerWith(violation);
    await expect(reader.account('a')).rejects.toBe(violation);
    expect(await reader.me()).not.toBeInstanceOf(GatewayError);
  });
});
