// Two gateways as workers of node:cluster, which share the port: what processes.ts compares two processes with.
import cluster from 'node:cluster';

cluster.setupPrimary({ exec: new URL('../../src/main.ts', import.meta.url).pathname });
for (let worker = 0; worker < 2; worker++) cluster.fork();
process.on('SIGTERM', () => cluster.disconnect(() => process.exit()));
