// The list of the example web app: it grows at both ends, and survives changes of the statement without notice.
import { describe, expect, test } from 'vitest';
import { failureBy } from '../../../examples/web/src/failure.ts';
import type { LineFragment, SliceFragment } from '../../../examples/web/src/generated/graphql.ts';
import { SliceError } from '../../../examples/web/src/slice.ts';
import {
  createStatement,
  linesOf,
  type Statement,
} from '../../../examples/web/src/statement/statement-store.ts';
import { lineOf } from '../../support/statement-files.ts';

const newestMs = Date.parse('2026-06-30T12:00:00.000Z');

/** Rows with ids from `newest` down to 0, a minute apart. */
function rowsOf(count: number, newest = count - 1): LineFragment[] {
  return Array.from({ length: count }, (_, index) => {
    const createdAt = new Date(newestMs + 60_000 * (newest - index)).toISOString();
    return lineOf({ id: String(newest - index), createdAt });
  });
}

interface Service {
  /** The whole statement, newest first. */
  rows: LineFragment[];
  /** Failures of the next reads, by their codes; null for a read that succeeds. */
  readonly codes: (string | null)[];
  /** The reads, by what was asked for. */
  readonly asked: string[];
  readonly waits: number[];
  readonly statement: Statement;
}

function startService(rows: LineFragment[]): Service {
  const fail = () => {
    const code = service.codes.shift() ?? null;
    if (code !== null) throw new SliceError(failureBy(code));
  };
  const sliceOf = (start: number, end: number): Promise<SliceFragment> => {
    const edges = service.rows.slice(start, end).map((node) => ({ cursor: node.id, node }));
    return Promise.resolve({
      edges,
      pageInfo: {
        startCursor: edges[0]?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
        hasNextPage: end < service.rows.length,
        hasPreviousPage: start > 0,
      },
      totalCount: service.rows.length,
    });
  };
  const indexOf = (cursor: string) => service.rows.findIndex(({ id }) => id === cursor);
  const service: Service = {
    rows,
    codes: [],
    asked: [],
    waits: [],
    statement: createStatement({
      async older(first, after) {
        service.asked.push(`${first} after ${after ?? 'nothing'}`);
        fail();
        const start = after === null ? 0 : indexOf(after) + 1;
        return sliceOf(start, start + first);
      },
      async newer(before) {
        service.asked.push(`before ${before}`);
        fail();
        const end = indexOf(before);
        return sliceOf(Math.max(0, end - 100), end);
      },
      wait(ms) {
        service.waits.push(ms);
        return Promise.resolve();
      },
    }),
  };
  return service;
}

const idsOf = ({ statement }: Service) => linesOf(statement.state().edges).map(({ id }) => id);
const idsAt = ({ rows }: Service, end?: number) => rows.slice(0, end).map(({ id }) => id);

test('a list reads slice after slice, or until there is enough, or to its end', async () => {
  const service = startService(rowsOf(250));
  const { statement, asked } = service;
  await statement.loadOlder();
  await statement.loadOlder();
  expect(idsOf(service)).toEqual(idsAt(service, 40));
  await statement.loadUntil(() => false, new AbortController().signal);
  expect(idsOf(service)).toEqual(idsAt(service));
  expect(statement.state()).toMatchObject({ hasOlder: false, isLoading: false, failed: null });
  expect(asked).toEqual([
    '20 after nothing',
    '20 after 230',
    '100 after 210',
    '100 after 110',
    '100 after 10',
  ]);
});

test('a list that is read to its end can be stopped', async () => {
  const service = startService(rowsOf(500));
  const stop = new AbortController();
  service.statement.subscribe(() => {
    if (idsOf(service).length > 200) stop.abort();
  });
  await service.statement.loadOlder();
  await service.statement.loadUntil(() => false, stop.signal);
  expect(idsOf(service)).toEqual(idsAt(service, 220));
  expect(service.statement.state().isLoading).toBe(false);
});

test('a list reads at least one slice, and no more than is needed', async () => {
  const service = startService(rowsOf(500));
  await service.statement.loadOlder();
  const { signal } = new AbortController();
  await service.statement.loadUntil((edges) => edges.length > 10, signal);
  expect(idsOf(service)).toEqual(idsAt(service, 120));
  await service.statement.loadUntil((edges) => edges.length > 200, signal);
  expect(idsOf(service)).toEqual(idsAt(service, 220));
  expect(service.statement.state().isLoadingMany).toBe(false);
});

test('a list has new rows at its start, and counts them', async () => {
  const service = startService(rowsOf(50));
  await service.statement.loadOlder();
  service.rows = rowsOf(290);
  expect(await service.statement.loadNewer()).toBe(240);
  expect(idsOf(service)).toEqual(idsAt(service, 260));
  expect(await service.statement.loadNewer()).toBe(0);
});

test('an update replaces the newest rows by their current values, also those that share an id', async () => {
  const rows = rowsOf(30);
  const twice = lineOf({ ...rows[1], signedAmount: '-1.00' });
  const service = startService(rows.toSpliced(2, 0, twice));
  await service.statement.loadOlder();
  service.rows = service.rows.with(2, { ...twice, status: 'CANCELED' }).toSpliced(4, 1);
  await service.statement.loadNewer();
  expect(linesOf(service.statement.state().edges)).toEqual(service.rows.slice(0, 19));
});

describe('after CURSOR_EXPIRED', () => {
  test('a list is read from its start to where it was, and replaced at once', async () => {
    const service = startService(rowsOf(500));
    const { statement, asked, codes } = service;
    await statement.loadOlder();
    for (let slices = 0; slices < 10; slices++) await statement.loadOlder();
    const ends = [idsOf(service).at(-1)];
    statement.subscribe(() => ends.push(idsOf(service).at(-1)));
    // Of the rows that were shown some are gone, the last one too, and others have arrived.
    service.rows = rowsOf(600).filter(({ id }) => !['300', '280', '470'].includes(id));
    codes.push('CURSOR_EXPIRED');
    asked.length = 0;
    await statement.loadOlder();
    expect(asked).toEqual([
      '20 after 280',
      '100 after nothing',
      '100 after 500',
      '100 after 399',
      '100 after 298',
    ]);
    expect(idsOf(service)).toEqual(idsAt(service, 400));
    expect(new Set(ends)).toEqual(new Set(['280', '197']));
    expect(statement.state().failed).toBeNull();
  });

  test('an update reads the list from its start, and does not say how many rows are new', async () => {
    const service = startService(rowsOf(100));
    await service.statement.loadOlder();
    service.rows = rowsOf(105);
    service.codes.push('CURSOR_EXPIRED');
    expect(await service.statement.loadNewer()).toBeNull();
    expect(idsOf(service)).toEqual(idsAt(service, 100));
  });

  test('a list starts again at most five times, and keeps what it had', async () => {
    const service = startService(rowsOf(300));
    await service.statement.loadOlder();
    service.codes.push(...Array<string>(6).fill('CURSOR_EXPIRED'));
    await service.statement.loadOlder();
    expect(service.statement.state().failed?.failure.code).toBe('CURSOR_EXPIRED');
    expect(idsOf(service)).toEqual(idsAt(service, 20));
    await service.statement.retry();
    expect(idsOf(service)).toEqual(idsAt(service, 40));
  });
});

describe('after STATEMENT_UNSETTLED', () => {
  test('the same slice is read again with growing pauses', async () => {
    const service = startService(rowsOf(50));
    const { statement, asked, codes, waits } = service;
    await statement.loadOlder();
    codes.push('STATEMENT_UNSETTLED', 'STATEMENT_UNSETTLED', 'STATEMENT_UNSETTLED');
    await statement.loadOlder();
    expect(asked.slice(1)).toEqual(Array(4).fill('20 after 30'));
    expect(waits).toEqual([500, 1000, 2000]);
    expect(idsOf(service)).toEqual(idsAt(service, 40));
    codes.push('STATEMENT_UNSETTLED');
    expect(await statement.loadNewer()).toBe(0);
  });

  test('four times, the list reports it and can retry', async () => {
    const service = startService(rowsOf(50));
    service.codes.push(...Array<string>(4).fill('STATEMENT_UNSETTLED'));
    await service.statement.loadOlder();
    expect(service.statement.state().failed?.failure).toMatchObject({
      code: 'STATEMENT_UNSETTLED',
      remedy: 'retry',
    });
    await service.statement.retry();
    expect(idsOf(service)).toEqual(idsAt(service, 20));
  });
});

test('other failures are reported at once, and the list keeps what it has', async () => {
  const service = startService(rowsOf(50));
  await service.statement.loadOlder();
  service.codes.push('UPSTREAM_UNAVAILABLE');
  await service.statement.loadNewer();
  expect(service.statement.state().failed).toMatchObject({ isUpdate: true });
  expect(service.waits).toEqual([]);
  expect(idsOf(service)).toEqual(idsAt(service, 20));
});

test('a slice that arrives twice is in the list once', async () => {
  const service = startService(rowsOf(50));
  await service.statement.loadOlder();
  await Promise.all([service.statement.loadOlder(), service.statement.loadOlder()]);
  expect(idsOf(service)).toEqual(idsAt(service, 40));
});
