// An OpenID provider for the example and the tests: a bank's own sign-in page, where a customer is chosen from a list
// in place of a password.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

/** Somebody who can sign in; the access token has these claims beside the standard ones. */
export interface Customer {
  readonly id: string;
  readonly name: string;
  readonly claims: Readonly<Record<string, string>>;
}

export interface ProviderOptions {
  readonly tenant: string;
  readonly customers: readonly Customer[];
  /** The origin of the app, to which browsers return. */
  readonly appOrigin: string;
  /** Where the session kit listens, for the back-channel logout; by default the app's origin. */
  readonly kitUrl?: string;
  readonly accessTokenSeconds?: number;
  /** Called with each token and code that was issued. */
  readonly onIssued?: (token: string) => void;
  /** The audience of access tokens. */
  readonly audience: string;
  readonly port?: number;
}

export interface RunningProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Every access, refresh and ID token and every code that was issued. */
  readonly issued: readonly string[];
  /** The number of refreshes that were answered, and of grants that were revoked. */
  readonly refreshes: () => number;
  readonly revocations: () => number;
}

export async function startProvider(options: ProviderOptions): Promise<RunningProvider> {
  const { tenant, customers, appOrigin, kitUrl = appOrigin, audience } = options;
  const clientSecret = randomBytes(32).toString('base64url');
  const issued: string[] = [];
  let refreshes = 0;
  let revocations = 0;
  let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const server = createServer((request, response) => answer(request, response));
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const byId = new Map(customers.map((customer) => [customer.id, customer]));

  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: tenant }] },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    clients: [
      {
        client_id: 'app',
        client_secret: clientSecret,
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [`${appOrigin}/session/callback/${tenant}`],
        post_logout_redirect_uris: [`${appOrigin}/`],
        backchannel_logout_uri: `${kitUrl}/session/back-channel-logout/${tenant}`,
        backchannel_logout_session_required: true,
      },
    ],
    // The default refuses loopback addresses, where the kit listens here.
    fetch: (url, options) => fetch(url, withoutDispatcher(options)),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => Promise.resolve(true),
    ttl: {
      AccessToken: options.accessTokenSeconds ?? 300,
      Grant: 43_200,
      IdToken: 300,
      Interaction: 600,
      RefreshToken: 43_200,
      Session: 43_200,
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: (_context, token) =>
      'accountId' in token ? byId.get(token.accountId)?.claims : undefined,
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => `urn:${audience}`,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: '',
          audience,
          accessTokenFormat: 'jwt' as const,
          accessTokenTTL: options.accessTokenSeconds ?? 300,
          jwt: { sign: { alg: 'RS256' as const } },
        }),
      },
      rpInitiatedLogout: {
        enabled: true,
        // Signs out at once; a real provider may ask first.
        logoutSource: (context, form) => {
          context.body = `<!doctype html><title>Sign out</title>${form}<button form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button><script>document.querySelector('button').click()</script>`;
        },
      },
    },
    // The customer's own bank needs no consent.
    async loadExistingGrant(context) {
      const { oidc } = context;
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid offline_access');
      await grant.save();
      return grant;
    },
  });
  provider.on('grant.revoked', () => (revocations += 1));
  provider.on('grant.success', (context) => {
    if (context.oidc.params?.['grant_type'] === 'refresh_token') refreshes += 1;
    const {
      access_token: access,
      refresh_token: refresh,
      id_token: id,
    } = context.body as Record<string, string>;
    const { code } = (context.oidc.params ?? {}) as { readonly code?: string };
    for (const text of [access, refresh, id, code]) {
      if (text === undefined) continue;
      issued.push(text);
      options.onIssued?.(text);
    }
  });

  const standard = provider.callback();
  answer = (request, response) => {
    const isInteraction = request.url?.startsWith('/interaction/') === true;
    if (isInteraction) void interact(provider, customers, tenant, request, response);
    else void standard(request, response);
  };
  return {
    issuer,
    clientId: 'app',
    clientSecret,
    issued,
    refreshes: () => refreshes,
    revocations: () => revocations,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function withoutDispatcher(options: RequestInit = {}): RequestInit {
  return Object.fromEntries(Object.entries(options).filter(([name]) => name !== 'dispatcher'));
}

/** The page with the customers, and the choice of one. */
async function interact(
  provider: Provider,
  customers: readonly Customer[],
  tenant: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'POST') {
    const accountId = new URLSearchParams(await readBody(request)).get('customer') ?? '';
    await provider.interactionFinished(request, response, { login: { accountId } });
    return;
  }
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(pageOf(customers, tenant));
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  return body;
}

function pageOf(customers: readonly Customer[], tenant: string): string {
  const buttons = customers.map(
    ({ id, name }) => `<button name="customer" value="${escape(id)}">${escape(name)}</button>`,
  );
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
    <title>Sign in · ${escape(tenant)}</title>
    <style>
      :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
      body { max-width: 28rem; margin: 10vh auto; padding: 0 1.25rem; }
      button { display: block; width: 100%; margin: 0.5rem 0; padding: 0.875rem; border-radius: 0.75rem; font: inherit; text-align: start; cursor: pointer; }
    </style>
  </head>
  <body>
    <main>
      <h1>${escape(tenant)}</h1>
      <p>The test bank’s sign-in page: choose a customer in place of a password.</p>
      <form method="post">${buttons.join('')}</form>
    </main>
  </body>
</html>
`;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
