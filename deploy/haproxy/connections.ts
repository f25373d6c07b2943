// Checks how HAProxy treats idle connections: it closes those to a replica early, and does not pass the replica's
// Keep-Alive header on to clients.
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { freePort } from '../../test/support/port.ts';
import { startHAProxy, untilServed } from './proxy.ts';

const burst = 30;
/** With HAProxy's default pool-purge-delay, some connections stay open for more than 25 s. */
const maxIdleMs = 15_000;

// A stand-in for the gateway: its admin port, and /graphql with the status that `untilServed` waits for.
const admin = createServer((_request, response) => response.end());
const replica = createServer({ keepAliveTimeout: 65_000 }, (_request, response) => {
  setTimeout(() => response.writeHead(400).end(), 200);
});
let connections = 0;
replica.on('connection', (socket) => {
  connections++;
  socket.once('close', () => connections--);
});
for (const server of [admin, replica]) await once(server.listen(0, '127.0.0.1'), 'listening');

const listen = await freePort();
const unusedPorts = [await freePort(), await freePort()] as const;
const haproxy = startHAProxy(listen, [portOf(replica), portOf(admin)], unusedPorts);
await untilServed(listen);

const agent = new Agent({ keepAlive: true });
const answers = await Promise.all(Array.from({ length: burst }, ask));
console.log(`${connections} connections to the replica after a burst of ${burst} requests`);
check(connections >= burst / 2, 'HAProxy did not keep connections to the replica open');
const announced = answers.filter(({ headers }) => headers['keep-alive'] !== undefined);
check(announced.length === 0, 'the Keep-Alive header of the replica reached clients');

/** HAProxy may keep one connection that it expects to need. */
const maxKept = 1;
const start = performance.now();
while (connections > maxKept && performance.now() - start < maxIdleMs) await sleep(100);
console.log(`${connections} after ${((performance.now() - start) / 1000).toFixed(1)} s`);
check(connections <= maxKept, `connections to the replica were idle for ${maxIdleMs / 1000} s`);

haproxy.kill('SIGTERM');
agent.destroy();
for (const server of [admin, replica]) server.close().closeAllConnections();
console.log(process.exitCode === 1 ? 'FAILED' : 'passed');

async function ask(): Promise<IncomingMessage> {
  const sent = request({ port: listen, host: '127.0.0.1', path: '/graphql', agent }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await buffer(response);
  return response;
}

function portOf(server: typeof admin): number {
  return (server.address() as AddressInfo).port;
}

function check(isMet: boolean, problem: string): void {
  if (isMet) return;
  console.error(problem);
  process.exitCode = 1;
}
