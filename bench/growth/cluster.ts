// Runs two gateways as workers of node:cluster that share a port; processes.ts compares them with two processes.
import cluster from 'node:cluster';

cluster.setupPrimary({ exec: new URL('../../src/main.ts', import.meta.url).pathname });
for (let worker = 0; worker < 2; worker++) cluster.fork();
process.on('SIGTERM', () => cluster.disconnect(() => process.exit()));
