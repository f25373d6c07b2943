// Walks through a statement of 1,000,000 transactions from its head to its end, and measures the cost of each tenth.
import { startBank } from '../../src/sandbox/bank.ts';
import { pagePath } from '../fixture.ts';
import { startProcess } from '../gateway-process.ts';
import { tenths } from './loads.ts';

export interface WalkRow {
  /** 1 to 10; 1 is the tenth at the head of the statement. */
  readonly tenth: number;
  readonly slices: number;
  readonly callsPerSlice: number;
  readonly cpuMicrosPerSlice: number;
  readonly msPerSlice: number;
  readonly cursorLength: number;
}

interface Slice {
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

const document =
  'query Walk($account: ID!, $after: String) { transactions(accountId: $account, first: 100, after: $after) { nodes { id amount createdAt } pageInfo { hasNextPage endCursor } } }';

export async function walk(transactions = 1_000_000): Promise<WalkRow[]> {
  await using bank = await startBank({ seed: 'bench' });
  const { id, tenant, accounts } = bank.addHolder({ accounts: [{ transactions }] });
  await using gateway = await startProcess(bank.url);
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${await bank.tokenFor(id)}`,
    'x-tenant-id': tenant,
  };
  const read = async (after: string | null): Promise<Slice> => {
    const body = JSON.stringify({ query: document, variables: { account: accounts[0], after } });
    const response = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
    const answer = (await response.json()) as { data: { transactions: Slice | null } };
    if (answer.data.transactions === null) throw new Error(JSON.stringify(answer));
    return answer.data.transactions;
  };
  // The bank builds the statement when it is first read, which takes longer than the gateway's timeout.
  await fetch(`${bank.url}${pagePath(accounts[0] ?? '', 0)}`, { headers });
  for (let time = 0; time < 200; time++) await read(null);
  const rows: WalkRow[] = [];
  const seen = new Set<string>();
  let after: string | null = null;
  for (let tenth = 1; tenth <= 10; tenth++) {
    bank.resetCalls();
    const startedMs = performance.now();
    const cpuSeconds = gateway.cpuSeconds();
    const slices = transactions / 1000;
    for (let slice = 0; slice < slices; slice++) {
      const { nodes, pageInfo }: Slice = await read(after);
      for (const node of nodes) seen.add(node.id);
      after = pageInfo.endCursor;
    }
    const row = {
      ...{ tenth, slices, callsPerSlice: tenths(bank.calls().length / slices) },
      cpuMicrosPerSlice: Math.round(((gateway.cpuSeconds() - cpuSeconds) / slices) * 1e6),
      msPerSlice: tenths((performance.now() - startedMs) / slices),
      cursorLength: after?.length ?? 0,
    };
    rows.push(row);
    console.log(row);
  }
  const last = await read(after);
  if (last.nodes.length > 0 || seen.size !== transactions) {
    throw new Error(`the walk gave ${seen.size} transactions, and ${last.nodes.length} more`);
  }
  return rows;
}
