// Measures the cost of a slice as `first` grows from 1 to 100.
import { requestOf } from '../contenders.ts';
import { takeFixture } from '../fixture.ts';
import { sliceDocument } from '../workloads.ts';
import { type Cost, costOf, openSite, withLength } from './loads.ts';

export interface SliceRow extends Cost {
  readonly first: number;
  readonly calls: number;
}

const pageSize = 20;

export async function growSlices(): Promise<SliceRow[]> {
  const fixture = await takeFixture();
  const rows: SliceRow[] = [];
  await using site = await openSite(fixture);
  for (const first of [1, 5, 10, 20, 21, 40, 60, 80, 100]) {
    const document = sliceDocument(fixture.accounts[0] ?? '', first);
    const request = requestOf(site.running, 'page', fixture);
    const ask = await withLength({ ...request, body: JSON.stringify({ query: document }) });
    await costOf(site, ask, { connections: 64, seconds: 2 });
    const cost = await costOf(site, ask, { connections: 64, seconds: 4 });
    const row = { first, calls: Math.ceil(first / pageSize), ...cost };
    rows.push(row);
    console.log(row);
  }
  return rows;
}
