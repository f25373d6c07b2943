// Sessions: the browser has a random id, the store the sealed tokens, under the id's hash.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as v from 'valibot';
import { type Identity, type Provider, SignInRefusedError, type Tokens } from './issuers.ts';
import { randomId, type Sealing } from './sealing.ts';
import type { Store } from './store.ts';

const sessionSchema = v.object({
  tenant: v.string(),
  subject: v.string(),
  providerSession: v.nullable(v.string()),
  accessToken: v.string(),
  refreshToken: v.nullable(v.string()),
  expiresAt: v.number(),
  createdAt: v.number(),
});

/** `createdAt` and `expiresAt`, of the access token, are epoch milliseconds. */
export type Session = v.InferOutput<typeof sessionSchema>;

export interface Sessions {
  /** Begins a session and returns its id, for the cookie. */
  begin(tenant: string, signedIn: Tokens & Identity): Promise<string>;
  /**
   * The session of a cookie, with an access token that is valid; null if there is none. It lives on for the idle time.
   * Throws a StoreUnavailableError, or a ProviderUnavailableError if the token has expired and cannot be refreshed now.
   */
  find(id: string): Promise<Session | null>;
  /** Ends a session, and its refresh token at the provider. */
  end(id: string): Promise<Session | null>;
  /** Ends the sessions of a provider's session, or all of a subject. */
  endAll(tenant: string, identity: Partial<Identity>): Promise<void>;
}

export interface SessionsParts {
  readonly store: Store;
  readonly sealing: Sealing;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly idleSeconds: number;
  readonly absoluteSeconds: number;
  readonly log: (message: string, error: unknown) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** An access token is refreshed this long before it expires. */
const earlyMs = 30_000;
/** A token that is valid for less may expire on its way through the gateway to the service. */
const onWayMs = 5000;
/** Longer than a provider may take to answer. */
const lockMs = 10_000;
const lockPollMs = 50;

export function createSessions(parts: SessionsParts): Sessions {
  const { store, sealing, providers, idleSeconds, absoluteSeconds, log, now } = parts;
  const isFresh = ({ expiresAt }: Session) => expiresAt - now() > earlyMs;
  // Unsealing takes longer than all other steps of a request. The sealed value is still read from the store each time.
  const opened = new LRUCache<string, { readonly sealed: string; readonly session: Session }>({
    max: 5000,
    ttl: 60_000,
  });
  const refreshes = new Map<string, Promise<Session | null>>();

  const read = async (key: string): Promise<Session | null> => {
    const sealed = await store.read(key, idleSeconds);
    if (sealed === null) return null;
    const known = opened.get(key);
    if (known?.sealed === sealed) return known.session;
    const session = parseSession(await sealing.open(sealed));
    if (session !== null) opened.set(key, { sealed, session });
    return session;
  };

  const remove = async (key: string): Promise<void> => {
    opened.delete(key);
    await store.delete(key);
  };

  /** One refresh of a session at a time, in all replicas: a refresh token can be used once. */
  const refresh = async (key: string): Promise<Session | null> => {
    const deadline = Date.now() + lockMs;
    while (!(await store.lock(`lock:${key}`, lockMs))) {
      await new Promise((resolve) => setTimeout(resolve, lockPollMs));
      const session = await read(key);
      if (session === null || isFresh(session) || Date.now() > deadline) return session;
    }
    try {
      const session = await read(key);
      if (session === null || session.refreshToken === null || isFresh(session)) return session;
      const tokens = await providers.get(session.tenant)?.refresh(session.refreshToken);
      const next = { ...session, ...tokens };
      // Not if the session has ended meanwhile.
      const isOpen = await store.replace(key, await sealing.seal(next, 0), idleSeconds);
      return isOpen ? next : null;
    } catch (error) {
      if (!(error instanceof SignInRefusedError)) throw error;
      log('a refresh token was refused', error);
      await remove(key);
      return null;
    } finally {
      await store.delete(`lock:${key}`);
    }
  };

  const refreshOnce = (key: string): Promise<Session | null> => {
    const running = refreshes.get(key) ?? refresh(key).finally(() => refreshes.delete(key));
    refreshes.set(key, running);
    return running;
  };

  return {
    async begin(tenant, { accessToken, refreshToken, expiresAt, subject, providerSession }) {
      const id = randomId();
      const key = keyOf(id);
      const session: Session = {
        tenant,
        subject,
        providerSession,
        accessToken,
        refreshToken,
        expiresAt,
        createdAt: now(),
      };
      await store.write(key, await sealing.seal(session, 0), idleSeconds);
      for (const set of setsOf(tenant, { subject, providerSession })) {
        await store.addMember(set, key, absoluteSeconds);
      }
      return id;
    },
    async find(id) {
      const key = keyOf(id);
      const session = await read(key);
      if (session === null) return null;
      if (now() - session.createdAt > absoluteSeconds * 1000) {
        await remove(key);
        return null;
      }
      if (isFresh(session)) return session;
      const refreshed = refreshOnce(key);
      if (session.expiresAt - now() > onWayMs) {
        // The token is still valid, so no request has to wait for the provider.
        refreshed.catch((error: unknown) => log('a token could not be refreshed yet', error));
        return session;
      }
      const next = await refreshed;
      return next !== null && next.expiresAt > now() ? next : null;
    },
    async end(id) {
      const key = keyOf(id);
      const session = await read(key);
      await remove(key);
      if (session?.refreshToken != null) {
        await providers
          .get(session.tenant)
          ?.revoke(session.refreshToken)
          .catch((error: unknown) => log('a refresh token could not be revoked', error));
      }
      return session;
    },
    async endAll(tenant, identity) {
      // The first set is the narrower one.
      const [set] = setsOf(tenant, identity);
      for (const key of set === undefined ? [] : await store.membersOf(set)) await remove(key);
    },
  };
}

/** A reader of the store cannot use a key as a cookie. */
function keyOf(id: string): string {
  return `session:${createHash('sha256').update(id).digest('base64url')}`;
}

/** The sets of sessions that a back-channel logout can name: of a provider's session, and of a subject. */
function setsOf(tenant: string, { subject, providerSession }: Partial<Identity>): string[] {
  return [
    ...(providerSession == null ? [] : [`provider:${tenant}:${providerSession}`]),
    ...(subject === undefined ? [] : [`subject:${tenant}:${subject}`]),
  ];
}

function parseSession(value: unknown): Session | null {
  const result = v.safeParse(sessionSchema, value);
  return result.success ? result.output : null;
}
