// Slices of a statement: valid and invalid arguments; rows, pageInfo and totals in both directions; walks; and the
// calls that slices share.
import { describe, expect, it } from 'vitest';
import { decodeCursor, scopeOf } from '../../../src/statement/cursor.ts';
import { Statements, type SliceArguments } from '../../../src/statement/statement.ts';
import { NO_KEY } from '../../../src/upstream/shape/shapes.ts';
import { retainedBytes } from '../../support/memory.ts';
import {
  accountId,
  idsOf,
  readerOf,
  sourceOf,
  StatementModel,
  walk,
  rowId,
} from '../../support/statement-model.ts';

async function cursorAt(model: StatementModel, index: number): Promise<string> {
  const { edges } = await readerOf(model)({ first: 100 });
  return edges[index]?.cursor ?? '';
}

it('a malformed cursor is not copied for each field that has it', async () => {
  const statements = new Statements(sourceOf(new StatementModel(3)));
  const after = 'x'.repeat(1_000_000);
  const before = retainedBytes();
  const slices = Array.from({ length: 100 }, (_, first) =>
    statements.slice(accountId, { first, after }, false),
  );
  expect(new Set((await Promise.allSettled(slices)).map(({ status }) => status))).toEqual(
    new Set(['rejected']),
  );
  expect(retainedBytes() - before).toBeLessThan(5_000_000);
  // The statements are still in use, with all their slices.
  await expect(statements.slice(accountId, { first: 7, after }, false)).rejects.toThrow(
    'malformed',
  );
});

describe('invalid arguments', () => {
  const combination = 'Use first with after, or last with before.';
  const cursor = '2.14x96g08td2.2n.k.3040xxma1.j.mr0rwio0.1a0qglj0000g.0s.5ly25';

  it.each<[SliceArguments, string]>([
    [{ first: -1 }, 'first must be from 0 to 100.'],
    [{ first: 101 }, 'first must be from 0 to 100.'],
    [{ first: 2 ** 31 }, 'first must be from 0 to 100.'],
    [{ first: 1.5 }, 'first must be from 0 to 100.'],
    [{ last: -1 }, 'last must be from 0 to 100.'],
    [{ last: 101 }, 'last must be from 0 to 100.'],
    [{ first: 1, last: 1 }, combination],
    [{ first: 1, before: cursor }, combination],
    [{ after: cursor, last: 1 }, combination],
    [{ after: cursor, before: cursor }, combination],
    [{ first: 1, after: cursor, last: 1, before: cursor }, combination],
    [{ before: cursor }, 'before needs last.'],
    [{ from: '2026-06-02', to: '2026-06-01' }, 'from is later than to.'],
    [{ after: cursor }, 'The cursor belongs to another account, from or to.'],
    [{ last: 1, before: cursor }, 'The cursor belongs to another account, from or to.'],
    [{ after: 'x' }, 'The cursor is malformed: use one as it was given, unchanged.'],
    [{ after: '' }, 'The cursor is malformed: use one as it was given, unchanged.'],
    [{ last: 1, before: '' }, 'The cursor is malformed: use one as it was given, unchanged.'],
  ])('fail with BAD_USER_INPUT before any read: %j', async (args, message) => {
    const model = new StatementModel(95);
    for (const totalOnly of [false, true]) {
      const slice = readerOf(model)(args, totalOnly);
      await expect(slice).rejects.toMatchObject({ code: 'BAD_USER_INPUT', message });
      expect(model.rounds).toEqual([]);
    }
  });

  it.each<[string, SliceArguments, string?]>([
    ['another account', {}, '5f6c1a52-7f57-4d39-9f2c-6a1f9d0c7e12'],
    ['another from', { from: '2026-06-01' }],
    ['another to', { to: '2026-06-30' }],
  ])('include a cursor that was issued for %s', async (_what, args, id = accountId) => {
    const model = new StatementModel(95);
    const after = await cursorAt(model, 3);
    model.rounds = [];
    const slice = new Statements(sourceOf(model)).slice(id, { ...args, after }, false);
    await expect(slice).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(model.rounds).toEqual([]);
  });
});

describe('valid arguments', () => {
  it.each<[SliceArguments, number]>([
    [{}, 20],
    [{ first: null, after: null, last: null, before: null, from: null, to: null }, 20],
    [{ first: 0 }, 0],
    [{ first: 100 }, 95],
    [{ last: 100 }, 95],
    [{ last: 7, before: null, first: null }, 7],
    [{ from: '2026-06-30', to: '2026-06-30' }, 20],
  ])('%j return %i rows', async (args, count) => {
    expect((await readerOf(new StatementModel(95))(args)).edges).toHaveLength(count);
  });

  it('include an account id in any letter case, even if the cursor was issued for another spelling', async () => {
    const model = new StatementModel(95);
    const after = await cursorAt(model, 29);
    const statements = new Statements(sourceOf(model));
    const slice = await statements.slice(accountId.toUpperCase(), { first: 2, after }, false);
    expect(idsOf(slice)).toEqual(model.ids.slice(30, 32));
  });
});

describe('a slice', () => {
  const lengths = [0, 1, 6, 7, 8, 14, 20];

  it.each(lengths)(
    'of a statement of %i rows is correct before and after every cursor',
    async (length) => {
      const model = new StatementModel(length, { size: 7 });
      const read = readerOf(model);
      const { edges } = await read({ first: 100 });
      for (const [index, { cursor }] of edges.entries()) {
        for (const count of [0, 1, 6, 7, 100]) {
          const older = await read({ first: count, after: cursor });
          expect(idsOf(older)).toEqual(model.ids.slice(index + 1, index + 1 + count));
          expect(older.totalCount).toBe(length);
          expect(older.pageInfo).toMatchObject({
            hasNextPage: index + 1 + count < length,
            hasPreviousPage: true,
          });
          const newer = await read({ last: count, before: cursor });
          expect(idsOf(newer)).toEqual(model.ids.slice(Math.max(index - count, 0), index));
          expect(newer.totalCount).toBe(length);
          expect(newer.pageInfo).toMatchObject({
            hasNextPage: true,
            hasPreviousPage: count < index,
          });
        }
      }
    },
  );

  it.each(lengths)('of a statement of %i rows is correct from either end', async (length) => {
    const model = new StatementModel(length, { size: 7 });
    const read = readerOf(model);
    for (const count of [0, 1, 6, 7, 8, 100]) {
      const newest = await read({ first: count });
      expect(idsOf(newest)).toEqual(model.ids.slice(0, count));
      const { hasNextPage, hasPreviousPage, startCursor, endCursor } = newest.pageInfo;
      expect({ hasNextPage, hasPreviousPage, startCursor, endCursor }).toEqual({
        ...{ hasNextPage: count < length, hasPreviousPage: false },
        startCursor: newest.edges[0]?.cursor ?? null,
        endCursor: newest.edges.at(-1)?.cursor ?? null,
      });
      const oldest = await read({ last: count });
      expect(idsOf(oldest)).toEqual(count === 0 ? [] : model.ids.slice(-count));
      expect(oldest.pageInfo).toMatchObject({
        hasNextPage: false,
        hasPreviousPage: count < length,
      });
    }
  });

  it('has cursors of at most 256 characters, even among many ties', async () => {
    const slice = await readerOf(new StatementModel(100, {}, 100))({ first: 100 });
    const lengths = slice.edges.map(({ cursor }) => cursor.length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(256);
  });

  it('has no edges if only its total is requested', async () => {
    const slice = await readerOf(new StatementModel(95))({ first: 20 }, true);
    expect(slice).toMatchObject({ edges: [], totalCount: 95 });
  });
});

describe('a walk', () => {
  it.each([
    ['row by row', 1, 20],
    ['in slices of less than a page', 13, 20],
    ['in slices of a page', 20, 20],
    ['in slices of more than a page', 33, 20],
    ['in slices of 100', 100, 7],
  ])('%s returns every row once in both directions', async (_how, count, size) => {
    const model = new StatementModel(95, { size });
    expect(await walk(readerOf(model), count)).toEqual(model.ids);
    expect(await walk(readerOf(model), count, { backward: true })).toEqual(model.ids);
  });

  it.each([2, 5, 20, 95])(
    'returns every row once if groups of %i rows share a createdAt',
    async (ties) => {
      const model = new StatementModel(95, {}, ties);
      expect(await walk(readerOf(model), 13)).toEqual(model.ids);
      expect(await walk(readerOf(model), 13, { backward: true })).toEqual(model.ids);
    },
  );

  it('can change its direction', async () => {
    const model = new StatementModel(95);
    const read = readerOf(model);
    const { pageInfo } = await read({ first: 30 });
    const next = await read({ first: 30, after: pageInfo.endCursor });
    const back = await read({ last: 30, before: next.pageInfo.startCursor });
    expect(idsOf(back)).toEqual(model.ids.slice(0, 30));
    const again = await read({ first: 30, after: back.pageInfo.endCursor });
    expect(idsOf(again)).toEqual(idsOf(next));
  });
});

describe('a row without a valid id or createdAt', () => {
  it('has an edge with its error as node and a cursor that works in both directions', async () => {
    const model = new StatementModel(95);
    model.spoil(29);
    const read = readerOf(model);
    const { edges } = await read({ first: 40 });
    const edge = edges[29];
    expect(edge).toMatchObject({ node: { code: 'UPSTREAM_CONTRACT_VIOLATION' } });
    const scope = scopeOf({ accountId });
    expect(decodeCursor(edge?.cursor ?? '', scope)).toMatchObject({ key: NO_KEY });
    const next = await read({ first: 3, after: edge?.cursor });
    expect(idsOf(next)).toEqual(model.ids.slice(30, 33));
    model.arrive(15);
    const later = await read({ last: 3, before: edge?.cursor });
    expect(idsOf(later)).toEqual(model.ids.slice(41, 44));
  });

  it.each([
    ['without ids', { id: null }],
    ['without createdAt', { createdAtMs: null }],
    ['without either', { id: null, createdAtMs: null }],
  ])('does not end a walk, even if all rows are %s', async (_what, spoiled) => {
    const model = new StatementModel(95);
    model.rows = model.rows.map((row) => ({ ...row, ...spoiled }));
    const between = () => {
      model.arrive(1);
    };
    const ids = model.ids;
    expect(await walk(readerOf(model), 13, { between })).toEqual(ids);
    const later = await walk(readerOf(model), 13, { backward: true, between });
    expect(later.slice(-95)).toEqual(ids);
  });
});

describe('the slices of one request', () => {
  it('share one call for each page that they need', async () => {
    const model = new StatementModel(95);
    const statements = new Statements(sourceOf(model));
    const slices = await Promise.all([
      statements.slice(accountId, { first: 20 }, false),
      statements.slice(accountId.toUpperCase(), { first: 30 }, false),
      statements.slice(accountId, { last: 5 }, false),
      statements.slice(accountId, {}, true),
    ]);
    expect(slices.map(({ totalCount }) => totalCount)).toEqual([95, 95, 95, 95]);
    expect(model.asked.toSorted()).toEqual([0, 1, 4]);
  });

  it('are correct if the statement changes between them', async () => {
    const model = new StatementModel(95);
    const statements = new Statements(sourceOf(model));
    await statements.slice(accountId, { first: 20 }, false);
    model.remove(50, 3);
    model.arrive(2);
    const { edges } = await statements.slice(accountId, { last: 100 }, false);
    expect(edges.map(rowId)).toEqual(model.ids);
  });

  it('share no call if their dates differ', async () => {
    const model = new StatementModel(95);
    const statements = new Statements(sourceOf(model));
    await statements.slice(accountId, { from: '2026-06-01' }, false);
    await statements.slice(accountId, { to: '2026-06-01' }, false);
    expect(model.asked).toEqual([0, 0]);
  });
});
