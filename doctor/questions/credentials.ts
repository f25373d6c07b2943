// Examines the doctor's token: the claims that the gateway can use, the algorithm, and the lifetime. Reports the names
// of claims and the lifetime, but no other contents of claims.
import { counted, type Finding } from '../finding.ts';

type Claims = Readonly<Record<string, unknown>>;

const allKinds = ['PERSON', 'COMPANY'] as const;

export type Kind = (typeof allKinds)[number];

/**
 * Examines the header and the claims of the token; its signature is not verified. `kinds` are the kinds whose profile
 * endpoint knows the holder.
 */
export function examineToken(token: string, tenant: string, kinds: readonly Kind[]): Finding[] {
  const [header, claims] = token.split('.', 2).map(parsePart);
  if (header === undefined || claims === undefined) return [noJwt];
  return [
    kindClaim(claims, kinds),
    tenantClaim(claims, tenant),
    algorithm(header),
    lifetime(claims),
  ];
}

const noJwt: Finding = {
  id: 'token',
  question: 'Is the token a JWT?',
  answer: 'no',
  seen: 'the gateway rejects it: its header or payload cannot be decoded',
};

/** Decodes the header or the payload of a JWT (RFC 7519); undefined if it is neither a JSON object nor a list. */
function parsePart(part: string): Claims | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Recommends only a claim that the profile endpoints confirm: the gateway trusts it without a call. */
function kindClaim(claims: Claims, kinds: readonly Kind[]): Finding {
  const names = namesOf(claims, (value) => allKinds.some((kind) => kind === value));
  const name = names.find((each) => kinds.some((kind) => kind === claims[each]));
  const isUnknown = kinds.length === 0 && names.length > 0;
  return {
    id: 'entity-type-claim',
    question: 'Which claim has PERSON or COMPANY?',
    answer: isUnknown ? null : (name ?? 'none'),
    seen:
      name === undefined ? withoutClaim(names, isUnknown) : 'no call is needed to find the kind',
    settings: name === undefined ? {} : { JWT_ENTITY_TYPE_CLAIM: name },
  };
}

function withoutClaim(names: readonly string[], isUnknown: boolean): string {
  const list = names.join(', ');
  if (isUnknown) return `no profile endpoint knows the holder, so ${list} cannot be checked`;
  return names.length === 0
    ? 'the gateway finds the kind by calls, once per caller'
    : `${list} contradicts the profile endpoints: the gateway must find the kind by calls`;
}

function tenantClaim(claims: Claims, tenant: string): Finding {
  const names = namesOf(claims, (value) => value === tenant);
  const [name] = names;
  return {
    id: 'tenant-claim',
    question: 'Which claim has the tenant?',
    answer: name ?? 'none',
    seen:
      name === undefined
        ? 'the service alone decides which tenants a token is for'
        : `${counted(names.length, 'claim')} with the tenant’s value; check this with another token`,
    settings: name === undefined ? {} : { JWT_TENANT_CLAIM: name },
  };
}

function algorithm({ alg }: Claims): Finding {
  const name = typeof alg === 'string' ? alg : null;
  const isUsable = /^(?:RS|PS|ES)(?:256|384|512)$|^Ed(?:DSA|25519)$/.test(name ?? '');
  return {
    id: 'token-algorithm',
    question: 'How are tokens signed?',
    answer: isUsable ? name : null,
    seen: isUsable
      ? 'the gateway can verify them, with JWT_JWKS_URL'
      : 'not with a public key: the gateway can decode such tokens, not verify them',
    settings: isUsable && name !== null ? { JWT_ALGORITHMS: name } : {},
  };
}

function lifetime({ iat, exp }: Claims): Finding {
  const question = 'How long is a token valid?';
  if (typeof exp !== 'number' || typeof iat !== 'number') {
    const seen = 'it does not have both iat and exp';
    return { id: 'token-lifetime', question, answer: null, seen };
  }
  const hasExpired = exp * 1000 <= Date.now();
  const [answer, seen] =
    exp < iat
      ? [null, hasExpired ? 'it has expired: exp is before iat' : 'exp is before iat']
      : [`${exp - iat} s`, hasExpired ? 'exp minus iat; it has expired' : 'exp minus iat'];
  return { id: 'token-lifetime', question, answer, seen };
}

function namesOf(claims: Claims, fits: (value: unknown) => boolean): string[] {
  return Object.keys(claims).filter((name) => fits(claims[name]));
}
