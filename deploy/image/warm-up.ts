// Fills NODE_COMPILE_CACHE while the image is built: starts a gateway with the sandbox bank, sends requests to it, and
// stops it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startBank } from '../../src/sandbox/bank.ts';

const query = `{
  me { ... on AccountHolder { id name } }
  accounts { id balance transactions(first: 20) { nodes { id signedAmount } pageInfo { endCursor } } }
}`;

const bank = await startBank();
const gateway = spawn(process.execPath, [...process.execArgv, 'src/cli.ts'], {
  env: {
    ...process.env,
    PORT: '0',
    ADMIN_PORT: '0',
    SHUTDOWN_DELAY_MS: '0',
    UPSTREAM_URL: bank.url,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(gateway, 'exit') as Promise<[number | null]>;
const url = await listeningAt();
await ask();
gateway.kill('SIGTERM');
const [code] = await ended;
await bank.close();
process.exitCode = code ?? 1;

async function listeningAt(): Promise<string> {
  for await (const line of createInterface(gateway.stdout)) {
    const entry = JSON.parse(line) as { url?: string };
    if (entry.url !== undefined) return entry.url;
  }
  throw new Error('the gateway ended before it listened');
}

async function ask(): Promise<void> {
  const [holder] = bank.holders;
  if (holder === undefined) throw new Error('the bank has no holder');
  const headers = {
    'content-type': 'application/json',
    'x-tenant-id': holder.tenant,
    authorization: `Bearer ${await bank.tokenFor(holder)}`,
  };
  const body = JSON.stringify({ query });
  const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok || text.includes('"errors"')) throw new Error(text);
}
