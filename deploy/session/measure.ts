// `node deploy/session/measure.ts`: the CPU time of an operation in the kit beside that in the gateway.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { startBank } from '../../src/sandbox/bank.ts';
import { freePort } from '../../test/support/port.ts';
import { createAgent } from './test/agent.ts';
import { reachCallback } from './test/kit.ts';
import { startProvider } from './provider/provider.ts';

const operations = 6000;
const parallel = 16;
const query = `query Statement($accountId: ID!) {
  transactions(accountId: $accountId, first: 20) {
    edges { cursor node { id signedAmount status category beneficiaryName createdAt } }
    pageInfo { endCursor hasNextPage }
  }
}`;

const bank = await startBank();
const [holder] = bank.holders;
if (holder === undefined) throw new Error('no holder');
const { tenant } = holder;
const port = await freePort();
const appOrigin = `http://127.0.0.1:${port}`;
const provider = await startProvider({
  tenant,
  customers: [{ id: holder.id, name: holder.name, claims: { tenant, entityType: holder.kind } }],
  appOrigin,
  audience: 'account-service',
});
const gateway = await start('../../src/main.ts', /"url":"([^"]+)"/, {
  NODE_ENV: 'production',
  PORT: '0',
  ADMIN_PORT: '0',
  SHUTDOWN_DELAY_MS: '0',
  UPSTREAM_URL: bank.url,
});
const kit = await start('main.ts', /"url":"([^"]+)"/, {
  PORT: String(port),
  APP_ORIGIN: appOrigin,
  GATEWAY_URL: gateway.url,
  SESSION_SECRETS: 'x'.repeat(40),
  ISSUERS: JSON.stringify([{ tenant, scope: 'openid', ...provider, issuer: provider.issuer }]),
});
const agent = createAgent();
await agent.send(
  await reachCallback(
    agent,
    `${appOrigin}/session/sign-in/${encodeURIComponent(tenant)}`,
    holder.id,
  ),
);
const body = JSON.stringify({ query, variables: { accountId: holder.accounts[0] } });
const headers = {
  'content-type': 'application/json',
  origin: appOrigin,
  'x-csrf': '1',
  cookie: `__Host-session=${agent.cookie(appOrigin, '__Host-session') ?? ''}`,
};
await askMany(1000);
const before = [cpuMsOf(gateway.child), cpuMsOf(kit.child)] as const;
await askMany(operations);
const gatewayUs = (1000 * (cpuMsOf(gateway.child) - before[0])) / operations;
const kitUs = (1000 * (cpuMsOf(kit.child) - before[1])) / operations;
console.log(
  `CPU an operation: gateway ${gatewayUs.toFixed(0)} µs, kit ${kitUs.toFixed(0)} µs, ratio ${(kitUs / gatewayUs).toFixed(2)}`,
);
for (const { child } of [kit, gateway]) child.kill('SIGTERM');
await provider[Symbol.asyncDispose]();
await bank.close();

async function askMany(count: number): Promise<void> {
  let left = count;
  const work = async () => {
    while (left-- > 0) {
      const response = await fetch(`${appOrigin}/graphql`, { method: 'POST', headers, body });
      if (response.status !== 200) throw new Error(await response.text());
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

async function start(script: string, address: RegExp, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [script], {
    cwd: import.meta.dirname,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGTERM'));
  for await (const line of createInterface(child.stdout)) {
    const [, url] = address.exec(line) ?? [];
    if (url !== undefined) {
      // What follows is not read, and must not fill the pipe.
      child.stdout.resume();
      return { child, url };
    }
  }
  throw new Error(`${script} ended`);
}

/** User and system time, in ticks of 10 ms (proc(5)). */
function cpuMsOf({ pid = 0 }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
