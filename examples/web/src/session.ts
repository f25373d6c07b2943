// The signed-in customer and the client for their requests. Both are only in memory and are dropped on sign-out.
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import possibleTypes from './generated/possible-types.ts';
import { createStatements, type Statements } from './statement/statements.ts';

/** A pasted token, which the app then holds itself. */
export interface PastedToken {
  readonly token: string;
  readonly tenant: string;
}

/** Whether this browser is signed in, as the session kit (deploy/session) says. */
export type SignInState =
  | { readonly signedIn: true; readonly tenant: string }
  | { readonly signedIn: false; readonly tenants: readonly string[] };

/** Without the kit, a token can only be pasted: there are then no tenants to sign in to. */
export async function readSignInState(): Promise<SignInState> {
  const response = await fetch('/session');
  const isKit = response.headers.get('content-type')?.startsWith('application/json') === true;
  return response.ok && isKit
    ? ((await response.json()) as SignInState)
    : { signedIn: false, tenants: [] };
}

/** Leads to the sign-in page of a tenant's bank, and back here. */
export function signInUrl(tenant: string): string {
  return `/session/sign-in/${encodeURIComponent(tenant)}`;
}

/** Requests of the app have this header, which other sites cannot send. */
const csrf = { 'x-csrf': '1' };

/** Tells the other tabs of the browser about a sign-out. */
const tabs = new BroadcastChannel('session');

/** Calls back when another tab has signed out; returns a function that stops this. */
export function onSignOutElsewhere(callback: () => void): () => void {
  const listening = new AbortController();
  tabs.addEventListener('message', callback, { signal: listening.signal });
  return () => listening.abort();
}

/** Ends the session here and in other tabs, and then at the bank. */
async function signOutAtKit(): Promise<void> {
  const response = await fetch('/session/sign-out', { method: 'POST', headers: csrf });
  tabs.postMessage('signed out');
  const { continueAt } = (await response.json()) as { readonly continueAt: string };
  location.assign(continueAt);
}

export interface Session {
  readonly client: ApolloClient;
  readonly statements: Statements;
  /** The time of the gateway's last answer; null before the first. */
  readonly answeredAt: () => Date | null;
  /** Drops requests in progress and all loaded data. */
  readonly end: () => void;
  readonly signOut: () => Promise<void>;
  /** Replaces an expired token of the same holder; the loaded data stays. Null if the app has no token. */
  readonly renew: ((token: string) => void) | null;
}

/** Creates a client with its own cache, for the holder who is signed in, or whom a pasted token names. */
export function createSession(pasted: PastedToken | null): Session {
  let answeredAt: Date | null = null;
  let token = pasted?.token;
  // The cache is that of a holder, not that of a token: a new token of the holder empties nothing.
  const credentials = new SetContextLink(() => ({
    headers:
      pasted === null
        ? csrf
        : { authorization: `Bearer ${token ?? ''}`, 'x-tenant-id': pasted.tenant },
  }));
  const link = new HttpLink({
    uri: pasted === null ? '/graphql' : '/direct/graphql',
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (response.ok) answeredAt = new Date();
      return response;
    },
  });
  const cache = new InMemoryCache({ possibleTypes: possibleTypes.possibleTypes });
  const client = new ApolloClient({ link: credentials.concat(link), cache });
  const end = () => {
    client.stop();
    void client.clearStore();
  };
  return {
    client,
    statements: createStatements(client),
    answeredAt: () => answeredAt,
    end,
    async signOut() {
      end();
      if (pasted === null) await signOutAtKit();
    },
    renew: pasted === null ? null : (next) => (token = next),
  };
}
