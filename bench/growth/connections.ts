// Measures CPU time per operation as connections and the service's latency grow.
import { takeFixture } from '../fixture.ts';
import { askOf, type Cost, costOf, openSite, tenths } from './loads.ts';

export interface ConnectionsRow extends Cost {
  readonly latencyMs: number;
  readonly connections: number;
}

const connectionCounts = [1, 4, 16, 64, 256, 1024, 4096];
const latencies = [0, 20, 200];

export async function growConnections(): Promise<ConnectionsRow[]> {
  const fixture = await takeFixture(8192);
  const rows: ConnectionsRow[] = [];
  for (const latencyMs of latencies) {
    // With fewer connections to the service than from clients, the connections to the service would be the limit.
    await using site = await openSite(fixture, latencyMs, { UPSTREAM_CONNECTIONS: '4096' });
    const ask = await askOf(site, 'page', fixture);
    for (const connections of connectionCounts) {
      const options = { connections, seconds: secondsFor(connections, latencyMs) };
      await costOf(site, ask, { connections, seconds: 2 });
      const row = { latencyMs, connections, ...(await costOf(site, ask, options)) };
      rows.push(row);
      console.log(row);
    }
  }
  return rows;
}

/**
 * The duration of a load in seconds, from 3 to 20: long enough for about a hundred operations or more, because CPU time
 * is counted in hundredths of a second.
 */
function secondsFor(connections: number, latencyMs: number): number {
  return Math.ceil(Math.min(20, Math.max(3, tenths((200 * latencyMs) / 1000 / connections))));
}
