// The routes below /session: sign-in, callback, state, sign-out, and the provider's logout.
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import * as v from 'valibot';
import { type Provider, ProviderUnavailableError, SignInRefusedError } from './issuers.ts';
import { problemPage } from './pages.ts';
import { isFromApp } from './same-origin.ts';
import type { Sealing } from './sealing.ts';
import type { Sessions } from './sessions.ts';
import { StoreUnavailableError } from './store.ts';

export interface AppParts {
  readonly origin: string;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly sessions: Sessions;
  readonly sealing: Sealing;
  readonly log: (message: string, error: unknown) => void;
}

/** The name without the prefix `__Host-`, which keeps other hosts and paths from setting it. */
export const sessionCookie = 'session';
const attemptCookie = 'sign-in';

/** The cookie of a sign-in in progress is sealed and has everything, so that sign-ins need no memory here. */
const attemptSchema = v.object({
  tenant: v.string(),
  returnTo: v.string(),
  state: v.string(),
  nonce: v.string(),
  verifier: v.string(),
});
const attemptSeconds = 600;

const host = { prefix: 'host', secure: true, path: '/' } as const;

export function createApp({ origin, providers, sessions, sealing, log }: AppParts): Hono {
  const app = new Hono();

  app.use(async (context, next) => {
    await next();
    context.header('cache-control', 'no-store');
    context.header('x-content-type-options', 'nosniff');
  });

  app.get('/session', async (context) => {
    const id = getCookie(context, sessionCookie, 'host');
    const session = id === undefined ? null : await sessions.find(id);
    if (session === null) return context.json({ signedIn: false, tenants: [...providers.keys()] });
    return context.json({ signedIn: true, tenant: session.tenant });
  });

  app.get('/session/sign-in/:tenant', async (context) => {
    const tenant = context.req.param('tenant');
    const provider = providers.get(tenant);
    if (provider === undefined) return problemPage(context, 'unknown', '/');
    const { url, attempt } = await provider.begin();
    const returnTo = safeReturn(context.req.query('returnTo'), origin);
    const sealed = await sealing.seal({ tenant, returnTo, ...attempt }, attemptSeconds);
    // Lax: the browser comes back from another site.
    const lax = { ...host, httpOnly: true, sameSite: 'Lax', maxAge: attemptSeconds } as const;
    setCookie(context, attemptCookie, sealed, lax);
    return context.redirect(url.href, 303);
  });

  app.get('/session/callback/:tenant', async (context) => {
    const tenant = context.req.param('tenant');
    const provider = providers.get(tenant);
    if (provider === undefined) return problemPage(context, 'unknown', '/');
    const attempt = await openAttempt(context, sealing);
    deleteCookie(context, attemptCookie, host);
    // Each provider has its own address to return to, so that none can answer for another.
    if (attempt?.tenant !== tenant) throw new SignInRefusedError('not begun in this browser');
    const signedIn = await provider.finish(new URL(context.req.url).search, attempt);
    const earlier = getCookie(context, sessionCookie, 'host');
    // A new id at each sign-in: one that was known before cannot become that of a customer.
    const id = await sessions.begin(tenant, signedIn);
    if (earlier !== undefined) await sessions.end(earlier);
    setCookie(context, sessionCookie, id, { ...host, httpOnly: true, sameSite: 'Strict' });
    return context.redirect(attempt.returnTo, 303);
  });

  app.post('/session/sign-out', async (context) => {
    if (!isFromApp((name) => context.req.header(name), origin))
      return context.json({ signedIn: true }, 403);
    const id = getCookie(context, sessionCookie, 'host');
    const session = id === undefined ? null : await sessions.end(id);
    deleteCookie(context, sessionCookie, host);
    const provider = providers.get(session?.tenant ?? '');
    const url = await provider?.endSessionUrl().catch((error: unknown) => {
      // The session here has ended in any case.
      log('the provider cannot end its session', error);
      return null;
    });
    return context.json({ signedIn: false, continueAt: url?.href ?? '/' });
  });

  app.post(
    '/session/back-channel-logout/:tenant',
    bodyLimit({ maxSize: 16_384 }),
    async (context) => {
      const tenant = context.req.param('tenant');
      const { logout_token: token } = await context.req.parseBody();
      const provider = providers.get(tenant);
      if (provider === undefined || typeof token !== 'string') return context.body(null, 400);
      await sessions.endAll(tenant, await provider.verifyLogout(token));
      return context.body(null, 200);
    },
  );

  app.onError((error, context) => {
    const isRefused = error instanceof SignInRefusedError;
    const isAway =
      error instanceof ProviderUnavailableError || error instanceof StoreUnavailableError;
    log(isRefused ? 'a sign-in was refused' : 'a request failed', error);
    if (!isRefused && !isAway) return context.json({ error: 'failed' }, 500);
    if (context.req.method !== 'GET' || context.req.path === '/session') {
      return context.json({ error: isRefused ? 'refused' : 'unavailable' }, isRefused ? 400 : 503);
    }
    return problemPage(context, isRefused ? 'refused' : 'unavailable', '/');
  });
  return app;
}

async function openAttempt(context: Context, sealing: Sealing) {
  const sealed = getCookie(context, attemptCookie, 'host');
  const result = v.safeParse(
    attemptSchema,
    sealed === undefined ? null : await sealing.open(sealed),
  );
  return result.success ? result.output : null;
}

/** A path of the app; `/` for any address elsewhere. */
function safeReturn(given: string | undefined, origin: string): string {
  const url = URL.parse(given ?? '/', origin);
  return url?.origin === origin && given?.startsWith('/') === true
    ? url.pathname + url.search + url.hash
    : '/';
}
