// The kit with real counterparts: providers, a gateway with its bank, and, if asked for, a Redis.
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { freePort } from '../../../test/support/port.ts';
import { type RunningProvider, startProvider } from '../provider/provider.ts';
import { startSessionServer } from '../server.ts';
import { parseSettings } from '../settings.ts';
import { type Agent, createAgent } from './agent.ts';

export interface Kit extends AsyncDisposable {
  /** The origin of the app, which is the kit itself here. */
  readonly origin: string;
  readonly gateway: TestGateway;
  readonly providers: ReadonlyMap<string, RunningProvider>;
  /** Lets time pass for the kit, though not for the providers. */
  advance(seconds: number): void;
  /** Starts another process's part: it shares Redis, and returns its address. */
  startReplica(): Promise<string>;
  /** What was logged. */
  readonly log: string[];
  /** Signs a customer in, and returns the agent. */
  signIn(tenant: string, customer: string, agent?: Agent): Promise<Agent>;
  /** Sends an operation as the app does. */
  ask(agent: Agent, query: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

export interface KitOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly accessTokenSeconds?: number;
}

const tenants = ['aurora', 'cooperativa:litoral'] as const;

export async function startKit({
  env = {},
  accessTokenSeconds = 300,
}: KitOptions = {}): Promise<Kit> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const gateway = await startTestGateway();
  const providers = new Map<string, RunningProvider>();
  for (const tenant of tenants) {
    const customers = gateway.bank.holders
      .filter((holder) => holder.tenant === tenant)
      .map(({ id, name, kind }) => ({ id, name, claims: { tenant, entityType: kind } }));
    const audience = 'account-service';
    providers.set(
      tenant,
      await startProvider({ tenant, customers, appOrigin: origin, accessTokenSeconds, audience }),
    );
  }
  const issuers = [...providers].map(([tenant, { issuer, clientId, clientSecret }]) => ({
    tenant,
    issuer,
    clientId,
    clientSecret,
    scope: 'openid',
  }));
  const log: string[] = [];
  const settings = parseSettings({
    PORT: String(port),
    APP_ORIGIN: origin,
    GATEWAY_URL: gateway.url,
    SESSION_SECRETS: 'x'.repeat(40),
    ISSUERS: JSON.stringify(issuers),
    ...env,
  });
  let aheadMs = 0;
  const options = {
    log: (message: string) => log.push(message),
    now: () => Date.now() + aheadMs,
  };
  const server = await startSessionServer(settings, options);
  const replicas = [server];
  return {
    origin,
    gateway,
    providers,
    log,
    advance(seconds) {
      aheadMs += seconds * 1000;
    },
    async startReplica() {
      const replica = await startSessionServer({ ...settings, port: 0 }, options);
      replicas.push(replica);
      return replica.url;
    },
    async signIn(tenant, customer, agent = createAgent()) {
      const callback = await reachCallback(agent, `${origin}/session/sign-in/${tenant}`, customer);
      await agent.send(callback);
      return agent;
    },
    ask: (agent, query, headers = {}) =>
      agent.send(`${origin}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin, 'x-csrf': '1', ...headers },
        body: JSON.stringify({ query }),
      }),
    async [Symbol.asyncDispose]() {
      for (const replica of replicas) await replica.close();
      for (const provider of providers.values()) await provider[Symbol.asyncDispose]();
      await gateway.close();
    },
  };
}

/** Goes from the start of a sign-in to the address that the provider returns to, which is not opened. */
export async function reachCallback(
  agent: Agent,
  start: string,
  customer: string,
): Promise<string> {
  let url = new URL(start);
  let response = await agent.send(url);
  for (let steps = 0; steps < 10; steps++) {
    if (response.status === 200) {
      const body = new URLSearchParams({ customer });
      response = await agent.send(url, { method: 'POST', body });
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${response.status} ${await response.text()}`);
    url = new URL(location, url);
    if (url.pathname.startsWith('/session/callback/')) return url.href;
    response = await agent.send(url);
  }
  throw new Error('too many redirects');
}
