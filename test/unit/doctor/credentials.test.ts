// What the doctor finds out from the claims of its token.
import { expect, test } from 'vitest';
import { examineToken } from '../../../doctor/questions/credentials.ts';

const nowSeconds = Math.floor(Date.now() / 1000);

function tokenOf(claims: object): string {
  const [head, payload] = [{ alg: 'RS256' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return `${head ?? ''}.${payload ?? ''}.c2ln`;
}

function findingOf(id: string, claims: object, kinds: ('PERSON' | 'COMPANY')[] = ['COMPANY']) {
  return examineToken(tokenOf(claims), 'aurora', kinds).find((finding) => finding.id === id);
}

test('examineToken does not recommend a claim that contradicts the kind that was found', () => {
  expect(findingOf('entity-type-claim', { userType: 'PERSON' })).toEqual({
    id: 'entity-type-claim',
    question: 'Which claim has PERSON or COMPANY?',
    answer: 'none',
    seen: 'userType contradicts the profile endpoints: the gateway must find the kind by calls',
    settings: {},
  });
});

test('examineToken recommends the claim with the kind that was found, not an earlier claim', () => {
  expect(
    findingOf('entity-type-claim', { userType: 'PERSON', entityType: 'COMPANY' }),
  ).toMatchObject({ answer: 'entityType', settings: { JWT_ENTITY_TYPE_CLAIM: 'entityType' } });
});

test('examineToken recommends no claim if no kind was found', () => {
  expect(findingOf('entity-type-claim', { entityType: 'COMPANY' }, [])).toMatchObject({
    answer: null,
    seen: 'no profile endpoint knows the holder, so entityType cannot be checked',
    settings: {},
  });
});

test.each([
  [0, 600, '600 s', 'exp minus iat'],
  [-900, -300, '600 s', 'exp minus iat; it has expired'],
  [0, -300, null, 'it has expired: exp is before iat'],
  [900, 300, null, 'exp is before iat'],
  [null, -300, null, 'it does not have both iat and exp'],
])(
  'examineToken finds the lifetime of a token with iat %j and exp %j seconds from now',
  (iat, exp, answer, seen) => {
    const claims = { exp: nowSeconds + exp, ...(iat !== null && { iat: nowSeconds + iat }) };
    expect(findingOf('token-lifetime', claims)).toMatchObject({ answer, seen });
  },
);
