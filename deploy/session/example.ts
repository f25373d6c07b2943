// The part of `npm run example` that signs in: a provider for each tenant, and the kit in front of the gateway.
import { appendFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { startProvider } from './provider/provider.ts';
import { startSessionServer } from './server.ts';
import { parseSettings } from './settings.ts';

interface Holder {
  readonly id: string;
  readonly name: string;
  readonly tenant: string;
  readonly kind: string;
}

const { APP_ORIGIN = '', GATEWAY_URL, HOLDERS = '[]', ISSUED_TOKENS, TOKEN_SECONDS } = process.env;
const holders = JSON.parse(HOLDERS) as readonly Holder[];
const tenants = new Set(holders.map(({ tenant }) => tenant));
const issuers = await Promise.all([...tenants].map(startIssuer));
const settings = parseSettings({
  PORT: '0',
  APP_ORIGIN,
  GATEWAY_URL,
  SESSION_SECRETS: randomBytes(32).toString('hex'),
  ISSUERS: JSON.stringify(issuers),
});
const server = await startSessionServer(settings);
console.log(JSON.stringify({ url: server.url }));

async function startIssuer(tenant: string) {
  const customers = holders
    .filter((holder) => holder.tenant === tenant)
    .map(({ id, name, kind }) => ({ id, name, claims: { tenant, entityType: kind } }));
  const { issuer, clientId, clientSecret } = await startProvider({
    tenant,
    customers,
    appOrigin: APP_ORIGIN,
    audience: 'account-service',
    accessTokenSeconds: Number(TOKEN_SECONDS ?? 300),
    // A test looks for the tokens in the browser.
    onIssued: (token) => {
      if (ISSUED_TOKENS !== undefined) appendFileSync(ISSUED_TOKENS, `${token}\n`);
    },
  });
  return { tenant, issuer, clientId, clientSecret, scope: 'openid' };
}
