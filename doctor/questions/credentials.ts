// Checks the token and the tenant: whether the gateway accepts them, which claims it can use, and what the service checks
// of them. Reports the names of claims, but no other contents.
import { GatewayError } from '../../src/errors.ts';
import { createCallers } from '../../src/identity/caller.ts';
import type { TokenClaims, TokenReader } from '../../src/identity/token.ts';
import type { Settings } from '../../src/settings/settings.ts';
import type { HolderKind } from '../../src/upstream/shape/shapes.ts';
import { expected, fatal, type Finding, notice, setting, unknown } from '../finding.ts';
import { isObject, parsed } from '../json.ts';
import { type Caller, isConclusive, type Reply, type Service } from '../service.ts';

/** What to check if the gateway rejects a caller, by the code of the error. */
const callerAdvice: Readonly<Record<string, string>> = {
  UNAUTHENTICATED:
    'get a token that the issuer of the service has signed; its exp and nbf are numbers of seconds since 1970',
  TENANT_REQUIRED: 'a tenant has 1 to 128 characters: A-Z, a-z, 0-9, and any of . _ : -',
  FORBIDDEN: 'the claim that JWT_TENANT_CLAIM names must equal --tenant',
};

/** Whether the gateway accepts the token and the tenant. No request is sent to the service. */
export async function judgeCaller(
  { authorization, tenant }: Caller,
  settings: Settings,
  readToken: TokenReader,
): Promise<Finding> {
  const callers = createCallers({ ...settings, readToken, rateLimit: null, now: Date.now });
  try {
    await callers.read({ headers: { authorization, 'x-tenant-id': tenant } });
    return expected('caller');
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { code, message } = error;
    return fatal('caller', `the gateway answers ${code}: ${message}`, callerAdvice[code]);
  }
}

/** The claim with the holder's kind. `kinds` are the kinds whose profile endpoint knows the holder. */
export function judgeKindClaim(
  claims: TokenClaims,
  kinds: readonly HolderKind[],
  wrongKind: Reply,
  { jwtEntityTypeClaim: named }: Pick<Settings, 'jwtEntityTypeClaim'>,
): Finding {
  const id = 'entity-type-claim';
  const isKind = (value: unknown) => value === 'PERSON' || value === 'COMPANY';
  const isConfirmed = (value: unknown) => kinds.some((kind) => kind === value);
  if (kinds.length === 0) return unknown(id, 'no profile endpoint knows the holder');
  if (isConfirmed(claims[named])) return expected(id);
  const other = Object.keys(claims).find((name) => isConfirmed(claims[name]));
  if (other !== undefined) {
    return setting(id, `the claim ${other} has the holder's kind`, {
      JWT_ENTITY_TYPE_CLAIM: other,
    });
  }
  if (isKind(claims[named])) {
    const remedy = 'set JWT_ENTITY_TYPE_CLAIM to a claim that tokens do not have';
    return fatal(id, `the claim ${named} contradicts the profile endpoints`, remedy);
  }
  const seen = 'no claim has PERSON or COMPANY';
  const remedy = 'put PERSON or COMPANY into a claim of the token';
  if (wrongKind.status === 403 || wrongKind.status === 404) {
    return notice(
      id,
      seen,
      'the gateway finds the kind by up to two calls, once an hour for each token',
      remedy,
    );
  }
  if (!isConclusive(wrongKind.status)) return unknown(id, `${seen}, and ${wrongKind.reason}`);
  const here = 'the gateway tries /companies only after 403 or 404: it cannot serve companies';
  return notice(
    id,
    `${seen}, and the endpoint of the other kind answers ${wrongKind.status}`,
    here,
    remedy,
  );
}

const publicKeyAlgorithm = /^(?:RS|PS|ES)(?:256|384|512)$|^Ed(?:DSA|25519)$/;

/** Whether the gateway could verify such tokens itself (JWT_JWKS_URL). */
export function judgeSignature(
  { authorization }: Caller,
  claims: TokenClaims,
  { jwtAlgorithms }: Pick<Settings, 'jwtAlgorithms'>,
): Finding {
  const id = 'token-signature';
  const [, head = ''] = /^bearer +([^.]*)/i.exec(authorization) ?? [];
  const header = parsed(Buffer.from(head, 'base64url'));
  const alg = isObject(header) && typeof header['alg'] === 'string' ? header['alg'] : '';
  if (!publicKeyAlgorithm.test(alg)) {
    const here = 'the gateway cannot verify them: JWT_JWKS_URL cannot be set';
    return notice(
      id,
      'tokens are not signed with a public-key algorithm',
      here,
      'sign tokens with RS256 or ES256',
    );
  }
  if (!jwtAlgorithms.includes(alg)) {
    return notice(
      id,
      `tokens are signed with ${alg}`,
      `with JWT_JWKS_URL, also set JWT_ALGORITHMS=${alg}`,
    );
  }
  if (typeof claims['exp'] === 'number') return expected(id);
  const here = 'with JWT_JWKS_URL, the gateway rejects them';
  return notice(id, 'tokens have no exp', here, 'let tokens expire');
}

/** Whether the service itself rejects a token with a forged signature, and a tenant that the token is not for. */
export async function examineRefusals(
  service: Service,
  path: string,
  caller: Caller,
  claims: TokenClaims,
  { jwtJwksUrl, jwtTenantClaim }: Pick<Settings, 'jwtJwksUrl' | 'jwtTenantClaim'>,
): Promise<Finding[]> {
  const forged = await service.get(path, { authorization: forge(caller.authorization) });
  const foreign = await service.get(path, { tenant: 'account-bff-doctor' });
  const claim = Object.keys(claims).find((name) => claims[name] === caller.tenant);
  return [
    judgeRefusal('forged-token', forged, jwtJwksUrl !== null, () =>
      notice(
        'forged-token',
        'the service accepts a token with a changed signature',
        'anybody can write a token for any holder, unless the gateway verifies tokens: set JWT_JWKS_URL',
        'verify the signatures of tokens',
      ),
    ),
    judgeRefusal('foreign-tenant', foreign, jwtTenantClaim !== null, () =>
      claim === undefined
        ? notice(
            'foreign-tenant',
            'the service answers for a tenant that does not exist',
            'any tenant can be named with any token',
            'reject tenants that the token is not for',
          )
        : setting(
            'foreign-tenant',
            `the service answers for a tenant that does not exist; the claim ${claim} has the token's tenant`,
            { JWT_TENANT_CLAIM: claim },
            'reject tenants that the token is not for',
          ),
    ),
  ];
}

function judgeRefusal(
  id: string,
  reply: Reply,
  isSettled: boolean,
  accepted: () => Finding,
): Finding {
  if (isSettled) return expected(id);
  if (reply.status === 200) return accepted();
  return isConclusive(reply.status) ? expected(id) : unknown(id, reply.reason);
}

/** The token with another first character of its signature. */
function forge(authorization: string): string {
  const at = authorization.lastIndexOf('.') + 1;
  const other = authorization[at] === 'A' ? 'B' : 'A';
  return authorization.slice(0, at) + other + authorization.slice(at + 1);
}
