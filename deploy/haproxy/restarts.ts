// Restarts and kills one of two replicas behind HAProxy, while clients send requests at a steady rate.
import { setTimeout as sleep } from 'node:timers/promises';
import { type GatewayProcess, startProcess } from '../../bench/gateway-process.ts';
import { startBank } from '../../src/sandbox/bank.ts';
import { type Answer, graphqlRequest, runLoad } from '../../test/support/load.ts';
import { freePort } from '../../test/support/port.ts';
import { type ReplicaPorts, startHAProxy, untilServed } from './proxy.ts';

const restarts = Number(process.argv[2] ?? 10);
const perSecond = Number(process.argv[3] ?? 100);
const connections = 50;
/**
 * The time between restarts. In this time, the health check finds that the replica is up again. Without it, only the
 * other replica would serve requests.
 */
const settleMs = 2000;

await using bank = await startBank({ latencyMs: 100 });
const listen = await freePort();
const ports = { a: await freePorts(), b: await freePorts() };
let a = await startReplica(ports.a);
const b = await startReplica(ports.b);
const haproxy = startHAProxy(listen, ports.a, ports.b);
await untilServed(listen);
await sleep(settleMs);

const requests = await requestsOf();
let isOver = false;
const answers: Answer[] = [];
const load = keepAsking();
for (let restart = 1; restart <= restarts; restart++) {
  await sleep(settleMs);
  const code = await a.stop('SIGTERM');
  a = await startReplica(ports.a);
  console.log(`restart ${restart}: ended with ${code}, ${summary()}`);
  if (code !== 0) process.exitCode = 1;
}
await sleep(settleMs);
const failedByRestarts = failures();
console.log(`after ${restarts} restarts: ${summary()}`);
const underWay = bank.load().requests;
await a.stop('SIGKILL');
await sleep(settleMs);
const failedByKill = failures() - failedByRestarts;
console.log(
  `after kill -9 with ${underWay} calls under way on both: ${failedByKill} failed, ${summary()}`,
);
isOver = true;
await load;
haproxy.kill('SIGTERM');
await b.stop('SIGTERM');
if (failedByRestarts > 0 || failedByKill > underWay) process.exitCode = 1;
console.log(process.exitCode === 1 ? 'FAILED' : 'passed');

async function freePorts(): Promise<ReplicaPorts> {
  return [await freePort(), await freePort()];
}

function startReplica([port, adminPort]: ReplicaPorts): Promise<GatewayProcess> {
  const ports = { PORT: String(port), ADMIN_PORT: String(adminPort) };
  return startProcess(bank.url, { env: { ...ports, SHUTDOWN_DELAY_MS: '3000' } });
}

async function requestsOf(): Promise<Buffer[]> {
  const all = bank.holders.map(async ({ id, tenant }) => {
    const authorization = `Bearer ${await bank.tokenFor({ id, tenant })}`;
    return graphqlRequest('{ accounts { id balance } }', { authorization, 'x-tenant-id': tenant });
  });
  return Promise.all(all);
}

async function keepAsking(): Promise<void> {
  const url = `http://127.0.0.1:${listen}`;
  const onAnswer = (answer: Answer) => answers.push(answer);
  while (!isOver) await runLoad({ url, requests, connections, perSecond, seconds: 1, onAnswer });
}

function isFailure({ status, body }: Answer): boolean {
  return status !== 200 || body.includes('"errors"');
}

function failures(): number {
  return answers.filter(isFailure).length;
}

function summary(): string {
  const failed = answers.filter(isFailure).map(({ status }) => status);
  const which = failed.length > 0 ? ` (${[...new Set(failed)].join(', ')})` : '';
  return `${answers.length} answers so far, ${failed.length} failed${which}`;
}
