// A holder's kind is read from the claim; without a claim, the kind is found with at most two calls and remembered.
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import type { Caller } from '../../../src/identity/caller.ts';
import { HolderKinds } from '../../../src/profile/profile.ts';
import { callOf, callerOf, refused, upstreamOf } from './parts.ts';

const call = callOf();

interface Changes {
  readonly now?: () => number;
}

function kindsWith({ now = () => 0 }: Changes = {}): HolderKinds {
  return new HolderKinds(now);
}

async function codeOf(reading: Promise<unknown>): Promise<string> {
  const error: unknown = await reading.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(GatewayError);
  return (error as GatewayError).code;
}

const person = (changes: Partial<Caller> = {}) => callerOf({ key: 'person', ...changes });
const company = (changes: Partial<Caller> = {}) => callerOf({ key: 'company', ...changes });

describe('a claimed kind', () => {
  it.each([
    ['PERSON', 'person'],
    ['COMPANY', 'company'],
  ] as const)('that is %s is trusted and costs one call', async (kind, endpoint) => {
    const upstream = upstreamOf({});
    const profile = await kindsWith().readProfile(upstream, call, person({ kind }));
    expect(profile.kind).toBe(kind);
    expect(upstream.asked).toEqual([endpoint]);
  });

  it.each([
    [404, 'UPSTREAM_REJECTED'],
    [403, 'FORBIDDEN'],
    [401, 'UNAUTHENTICATED'],
  ])('that the service rejects with %i causes %s after one call', async (status, code) => {
    const upstream = upstreamOf({ company: refused(status) });
    const caller = company({ kind: 'COMPANY' });
    expect(await codeOf(kindsWith().readProfile(upstream, call, caller))).toBe(code);
    expect(upstream.asked).toEqual(['company']);
  });
});

describe('a holder of unknown kind', () => {
  it('that is a person costs one call in the first operation and in each later one', async () => {
    const upstream = upstreamOf({});
    const kinds = kindsWith();
    for (let i = 0; i < 2; i++) {
      expect(await kinds.readProfile(upstream, call, person())).toMatchObject({ kind: 'PERSON' });
    }
    expect(upstream.asked).toEqual(['person', 'person']);
  });

  it.each([403, 404])(
    'that is a company costs two calls if /persons rejects the first with %i, and one call in each later operation',
    async (status) => {
      const upstream = upstreamOf({ person: refused(status) });
      const kinds = kindsWith();
      for (let i = 0; i < 2; i++) {
        expect(await kinds.readProfile(upstream, call, company())).toMatchObject({
          kind: 'COMPANY',
        });
      }
      expect(upstream.asked).toEqual(['person', 'company', 'company']);
    },
  );

  it.each([
    [403, 404],
    [404, 403],
    [404, 404],
    [403, 403],
  ])(
    'that both endpoints reject, with %i and %i, causes FORBIDDEN and is not remembered',
    async (first, second) => {
      const upstream = upstreamOf({ person: refused(first), company: refused(second) });
      const kinds = kindsWith();
      for (let i = 0; i < 2; i++) {
        expect(await codeOf(kinds.readProfile(upstream, call, person()))).toBe('FORBIDDEN');
      }
      expect(upstream.asked).toEqual(['person', 'company', 'person', 'company']);
    },
  );

  it.each([
    [refused(401), 'UNAUTHENTICATED'],
    [refused(429), 'RATE_LIMITED'],
    [refused(500), 'UPSTREAM_UNAVAILABLE'],
    [refused(400), 'UPSTREAM_REJECTED'],
    [new GatewayError('UPSTREAM_TIMEOUT'), 'UPSTREAM_TIMEOUT'],
    [new GatewayError('FORBIDDEN'), 'FORBIDDEN'],
  ])('has no remembered kind if a call fails with "%s"', async (failure, code) => {
    const kinds = kindsWith();
    const first = upstreamOf({ person: failure });
    expect(await codeOf(kinds.readProfile(first, call, person()))).toBe(code);
    expect(first.asked).toEqual(['person']);

    const second = upstreamOf({ person: refused(404), company: failure });
    expect(await codeOf(kinds.readProfile(second, call, person()))).toBe(code);
    expect(second.asked).toEqual(['person', 'company']);

    const third = upstreamOf({});
    await kinds.readProfile(third, call, person());
    expect(third.asked).toEqual(['person']);
  });
});

describe('a remembered kind', () => {
  /** The endpoints that a later operation requests for a company, after the kind of the company was found. */
  async function askedLater(
    settings: Changes,
    between: (kinds: HolderKinds) => unknown,
    caller = company(),
  ): Promise<string[]> {
    const upstream = upstreamOf({ person: refused(404) });
    const kinds = kindsWith(settings);
    await kinds.readProfile(upstream, call, caller);
    await between(kinds);
    upstream.asked.length = 0;
    await kinds.readProfile(upstream, call, caller);
    return upstream.asked;
  }

  it.each([
    ['until the exp of its token', 1000, 999, ['company']],
    ['no longer than the exp of its token', 1000, 1000, ['person', 'company']],
    ['for an hour if its token has no exp', null, 3_599_999, ['company']],
    ['no longer than an hour if its token has no exp', null, 3_600_000, ['person', 'company']],
    ['no longer than an hour if its token lasts longer', 9e9, 3_600_000, ['person', 'company']],
  ])('is kept %s', async (_what, expiresAtMs, laterMs, asked) => {
    let nowMs = 0;
    const later = await askedLater(
      { now: () => nowMs },
      () => (nowMs = laterMs),
      company({ expiresAtMs }),
    );
    expect(later).toEqual(asked);
  });

  it('is not shared between callers', async () => {
    const upstream = upstreamOf({ person: refused(404) });
    const kinds = kindsWith();
    await kinds.readProfile(upstream, call, company());
    upstream.asked.length = 0;
    await kinds.readProfile(upstream, call, person());
    expect(upstream.asked).toEqual(['person', 'company']);
  });

  it('is evicted as the least recently used one if 10,000 others are remembered', async () => {
    const upstream = upstreamOf({ person: refused(404) });
    const others = (count: number) => async (kinds: HolderKinds) => {
      for (let i = 0; i < count; i++) {
        await kinds.readProfile(upstream, call, company({ key: `other ${i}` }));
      }
    };
    expect(await askedLater({}, others(9_999))).toEqual(['company']);
    expect(await askedLater({}, others(10_000))).toEqual(['person', 'company']);
  });

  it.each([
    [404, 'UPSTREAM_REJECTED', ['person']],
    [403, 'FORBIDDEN', ['person']],
    [500, 'UPSTREAM_UNAVAILABLE', ['company']],
  ])(
    'that the service rejects with %i causes %s, and the next request calls %j',
    async (status, code, next) => {
      const kinds = kindsWith();
      await kinds.readProfile(upstreamOf({ person: refused(404) }), call, company());
      const failing = upstreamOf({ company: refused(status) });
      expect(await codeOf(kinds.readProfile(failing, call, company()))).toBe(code);
      expect(failing.asked).toEqual(['company']);
      const upstream = upstreamOf({});
      await kinds.readProfile(upstream, call, company());
      expect(upstream.asked).toEqual(next);
    },
  );
});
