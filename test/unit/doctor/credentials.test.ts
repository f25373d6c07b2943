// What the doctor says about the token, the tenant, and the service's checks of them.
import { describe, expect, test } from 'vitest';
import * as questions from '../../../doctor/questions/credentials.ts';
import type { Reply, Status } from '../../../doctor/service.ts';
import { decodeToken } from '../../../src/identity/token.ts';
import { parseSettings } from '../../../src/settings/settings.ts';
import { createSigner, hmacToken, signToken, unsignedToken } from '../../support/tokens.ts';

const nowSeconds = Math.floor(Date.now() / 1000);
const signer = createSigner('ES256');
const settings = parseSettings({});
const callerOf = (token: string, tenant = 'aurora') => ({
  authorization: `Bearer ${token}`,
  tenant,
});
const replyOf = (status: Status): Reply => ({ status, body: null, reason: `status ${status}` });

describe('judgeCaller', () => {
  const judge = (token: string, tenant = 'aurora', env: Record<string, string> = {}) =>
    questions.judgeCaller(callerOf(token, tenant), parseSettings(env), (text) =>
      decodeToken(text, Date.now()),
    );

  test('accepts a caller that the gateway accepts', async () => {
    expect(await judge(signToken(signer, { exp: nowSeconds + 60 }))).toMatchObject({
      outcome: 'expected',
    });
  });

  test.each([
    [
      'exp is a text',
      signToken(signer, { exp: `${nowSeconds + 60}` }),
      'has an invalid exp or nbf',
    ],
    ['it has expired', signToken(signer, { exp: nowSeconds - 60 }), 'has expired'],
    ['it is not valid yet', signToken(signer, { nbf: nowSeconds + 600 }), 'is not valid yet'],
    ['alg is none', unsignedToken({}, { alg: 'none' }, 'c2ln'), 'is not a signed JWT'],
    ['it is no JWT', 'opaque', 'is not a signed JWT'],
  ])('rejects a token if %s', async (_, token, message) => {
    expect(await judge(token)).toMatchObject({
      outcome: 'fatal',
      seen: `the gateway answers UNAUTHENTICATED: The bearer token ${message}.`,
      there: expect.stringContaining('exp and nbf are numbers') as string,
    });
  });

  test('rejects a tenant with a character that is not allowed, or that is not the token’s', async () => {
    const token = signToken(signer, { realm: 'aurora' });
    expect(await judge(token, 'aurora/1')).toMatchObject({
      outcome: 'fatal',
      seen: expect.stringContaining('TENANT_REQUIRED') as string,
    });
    expect(await judge(token, 'boreal', { JWT_TENANT_CLAIM: 'realm' })).toMatchObject({
      outcome: 'fatal',
      seen: expect.stringContaining('FORBIDDEN') as string,
    });
  });
});

test.each([
  [{ entityType: 'COMPANY' }, 404, { outcome: 'expected' }],
  [{ userType: 'PERSON', kind: 'COMPANY' }, 404, { settings: { JWT_ENTITY_TYPE_CLAIM: 'kind' } }],
  [{ entityType: 'PERSON', kind: 'COMPANY' }, 404, { settings: { JWT_ENTITY_TYPE_CLAIM: 'kind' } }],
  [{ entityType: 'PERSON' }, 404, { outcome: 'fatal' }],
  [{}, 403, { outcome: 'notice', here: expect.stringContaining('two calls') as string }],
  [
    {},
    500,
    { outcome: 'notice', here: expect.stringContaining('cannot serve companies') as string },
  ],
  [{}, 429, { outcome: 'unknown' }],
])(
  'judgeKindClaim judges the claims %j of a company if /persons answers %i',
  (claims, status, finding) => {
    const judged = questions.judgeKindClaim(claims, ['COMPANY'], replyOf(status), settings);
    expect(judged).toMatchObject({ id: 'entity-type-claim', ...finding });
  },
);

test.each([
  [signToken(signer, { exp: 1 }), { exp: 1 }, 'expected', ''],
  [signToken(signer, {}), {}, 'notice', 'tokens have no exp'],
  [signToken(signer, {}, { alg: 'ES384' }), {}, 'notice', 'tokens are signed with ES384'],
  [hmacToken('s', {}), {}, 'notice', 'tokens are not signed with a public-key algorithm'],
])('judgeSignature judges the token %s', (token, claims, outcome, seen) => {
  expect(questions.judgeSignature(callerOf(token), claims, settings)).toMatchObject({
    outcome,
    seen,
  });
});

describe('examineRefusals', () => {
  const token = signToken(signer, {});
  const claims = { realm: 'aurora' };

  async function examine(
    status: Status,
    given: Record<string, string> = {},
    known: object = claims,
  ) {
    const asked: unknown[] = [];
    const service = {
      durationsMs: [],
      get: (_path: string, as?: object) => (asked.push(as), Promise.resolve(replyOf(status))),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    const found = await questions.examineRefusals(
      service,
      '/persons',
      callerOf(token),
      { ...known },
      parseSettings(given),
    );
    return { asked, found };
  }

  test('sends a token with another signature of the same length, and another tenant', async () => {
    const { asked } = await examine(401);
    const [{ authorization: forged = '' } = {}, other] = asked as { authorization?: string }[];
    expect(forged).toHaveLength(`Bearer ${token}`.length);
    expect(forged).not.toBe(`Bearer ${token}`);
    expect(forged.split('.').slice(0, 2)).toEqual(`Bearer ${token}`.split('.').slice(0, 2));
    expect(other).toEqual({ tenant: 'account-bff-doctor' });
  });

  test.each([
    [401, {}, ['expected', 'expected']],
    [200, {}, ['notice', 'setting']],
    [200, { JWT_JWKS_URL: 'http://keys', JWT_TENANT_CLAIM: 'realm' }, ['expected', 'expected']],
    ['no answer', {}, ['unknown', 'unknown']],
  ] as const)('judges the status %s with the settings %j', async (status, given, outcomes) => {
    const { found } = await examine(status, given);
    expect(found.map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  test('recommends the claim with the tenant, if there is one', async () => {
    expect((await examine(200)).found[1]?.settings).toEqual({ JWT_TENANT_CLAIM: 'realm' });
    expect((await examine(200, {}, {})).found[1]).toMatchObject({ outcome: 'notice' });
  });
});
