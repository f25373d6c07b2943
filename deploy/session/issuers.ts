// The OpenID providers, one a tenant: their metadata, and what this application asks of them.
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import * as client from 'openid-client';
import type { Issuer } from './settings.ts';

/** Tokens of one sign-in, or of one refresh. */
export interface Tokens {
  readonly accessToken: string;
  /** Null if the provider gave none: the session then ends with its access token. */
  readonly refreshToken: string | null;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Who signed in, by the ID token. */
export interface Identity {
  readonly subject: string;
  /** The provider's session, which a back-channel logout names; null if it has none. */
  readonly providerSession: string | null;
}

/** What a sign-in has to remember between its two requests. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Thrown if a provider cannot be reached, or fails. */
export class ProviderUnavailableError extends Error {}

/** Thrown if a provider, or the browser that comes from it, says that there is no sign-in or no longer one. */
export class SignInRefusedError extends Error {}

export interface Provider {
  /** Where the browser goes to sign in, and what the callback needs. */
  begin(): Promise<{ readonly url: URL; readonly attempt: Attempt }>;
  /** `query` is that of the callback, with its question mark. */
  finish(query: string, attempt: Attempt): Promise<Tokens & Identity>;
  refresh(refreshToken: string): Promise<Tokens>;
  /** The refresh token can no longer be used. */
  revoke(refreshToken: string): Promise<void>;
  /** Where the browser goes to sign out there too; null if the provider has no such page. */
  endSessionUrl(): Promise<URL | null>;
  /** The subject and the session of a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6). */
  verifyLogout(logoutToken: string): Promise<Partial<Identity>>;
}

const timeoutSeconds = 5;
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
/** Without `expires_in` in the answer. */
const usualLifeSeconds = 300;

/** The metadata is read when it is first needed, and again after a failure. */
export function createProvider(issuer: Issuer, origin: string, now: () => number): Provider {
  const { tenant, scope, resource } = issuer;
  const redirectUri = `${origin}/session/callback/${tenant}`;
  const forApi: Readonly<Record<string, string>> = resource === null ? {} : { resource };
  let discovered: Promise<client.Configuration> | null = null;

  const ask = async <Answer>(
    question: (config: client.Configuration) => Promise<Answer>,
  ): Promise<Answer> => {
    try {
      discovered ??= discover(issuer);
      return await question(await discovered);
    } catch (error) {
      if (isRefusal(error)) throw new SignInRefusedError('refused', { cause: error });
      discovered = null;
      throw new ProviderUnavailableError('the provider does not answer', { cause: error });
    }
  };

  return {
    async begin() {
      const attempt = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const challenge = await client.calculatePKCECodeChallenge(attempt.verifier);
      const url = await ask((config) =>
        Promise.resolve(
          client.buildAuthorizationUrl(config, {
            redirect_uri: redirectUri,
            scope,
            state: attempt.state,
            nonce: attempt.nonce,
            code_challenge: challenge,
            code_challenge_method: 'S256',
            // A refresh token needs the customer's consent (OpenID Connect Core 11).
            ...(scope.includes('offline_access') && { prompt: 'consent' }),
            ...forApi,
          }),
        ),
      );
      return { url, attempt };
    },
    async finish(query, { state, nonce, verifier }) {
      const answer = await ask((config) =>
        client.authorizationCodeGrant(
          config,
          new URL(redirectUri + query),
          {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: verifier,
            idTokenExpected: true,
          },
          forApi,
        ),
      );
      const claims = answer.claims();
      if (claims === undefined) throw new SignInRefusedError('no ID token');
      const { sub, sid } = claims;
      return {
        ...tokensOf(answer, null, now()),
        subject: sub,
        providerSession: typeof sid === 'string' ? sid : null,
      };
    },
    async refresh(refreshToken) {
      const answer = await ask((config) => client.refreshTokenGrant(config, refreshToken, forApi));
      return tokensOf(answer, refreshToken, now());
    },
    revoke: (refreshToken) =>
      ask((config) =>
        config.serverMetadata().revocation_endpoint === undefined
          ? Promise.resolve()
          : client.tokenRevocation(config, refreshToken),
      ),
    endSessionUrl: () =>
      ask((config) =>
        Promise.resolve(
          config.serverMetadata().end_session_endpoint === undefined
            ? null
            : // Without id_token_hint, because the browser would see the token.
              client.buildEndSessionUrl(config, { post_logout_redirect_uri: `${origin}/` }),
        ),
      ),
    verifyLogout: (logoutToken) => ask((config) => verifyLogout(config, logoutToken)),
  };
}

async function discover(issuer: Issuer): Promise<client.Configuration> {
  const isLocal = issuer.issuer.protocol === 'http:';
  const config = await client.discovery(
    issuer.issuer,
    issuer.clientId,
    issuer.clientSecret,
    undefined,
    // Settings allow http only for localhost; the function is deprecated to be noticed.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    { timeout: timeoutSeconds, execute: isLocal ? [client.allowInsecureRequests] : [] },
  );
  client.enableNonRepudiationChecks(config);
  return config;
}

/** Refusals are final: the same question would be refused again. Any other failure may pass. */
function isRefusal(error: unknown): boolean {
  if (error instanceof SignInRefusedError) return true;
  if (error instanceof client.AuthorizationResponseError) {
    return !['server_error', 'temporarily_unavailable'].includes(error.error);
  }
  if (error instanceof client.ResponseBodyError) return error.error === 'invalid_grant';
  // A wrong state, nonce, issuer or signature.
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && /^(?:OAUTH_(?:INVALID_RESPONSE|JWT)|ERR_J)/.test(code);
}

function tokensOf(
  answer: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers,
  previous: string | null,
  nowMs: number,
): Tokens {
  return {
    accessToken: answer.access_token,
    // A provider without rotation sends none: the one that was used stays valid.
    refreshToken: answer.refresh_token ?? previous,
    expiresAt: nowMs + 1000 * (answer.expiresIn() ?? usualLifeSeconds),
  };
}

const keySets = new WeakMap<client.Configuration, ReturnType<typeof createRemoteJWKSet>>();

async function verifyLogout(
  config: client.Configuration,
  logoutToken: string,
): Promise<Partial<Identity>> {
  const { issuer, jwks_uri: keysUrl = '' } = config.serverMetadata();
  const keys = keySets.get(config) ?? createRemoteJWKSet(new URL(keysUrl));
  keySets.set(config, keys);
  const { payload } = await jwtVerify(logoutToken, keys, {
    issuer,
    audience: config.clientMetadata().client_id,
    maxTokenAge: '5 min',
    requiredClaims: ['jti', 'events'],
  });
  if (!isLogout(payload)) throw new SignInRefusedError('not a logout token');
  return {
    ...(payload.sub !== undefined && { subject: payload.sub }),
    ...(typeof payload['sid'] === 'string' && { providerSession: payload['sid'] }),
  };
}

/** An ID token, which has a nonce and no event, must not end sessions. */
function isLogout({ events, nonce, sub, sid }: JWTPayload): boolean {
  const isEvent = typeof events === 'object' && events !== null && logoutEvent in events;
  return isEvent && nonce === undefined && (sub !== undefined || sid !== undefined);
}
