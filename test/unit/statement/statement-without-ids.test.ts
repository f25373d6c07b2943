// Statements that do not change, in which rows have no usable id: each cursor still leads to the rows beside its own.
import { expect, it } from 'vitest';
import { decodeCursor, scopeOf } from '../../../src/statement/cursor.ts';
import { Statements, type Slice, type SliceArguments } from '../../../src/statement/statement.ts';
import {
  accountId,
  type ModelRow,
  sourceOf,
  StatementModel,
} from '../../support/statement-model.ts';

const scope = scopeOf({ accountId });

/** A slice in short form: the indexes of its rows, and whether rows precede and follow them. */
function shortOf({ edges, pageInfo }: Pick<Slice, 'edges' | 'pageInfo'>): string {
  const indexes = edges.map(({ cursor }) => decodeCursor(cursor, scope).index);
  return `${pageInfo.hasPreviousPage ? '…' : ''}${indexes.join()}${pageInfo.hasNextPage ? '…' : ''}`;
}

function expected(from: number, to: number, length: number): string {
  const indexes = Array.from({ length: length }, (_, index) => index).slice(Math.max(from, 0), to);
  return `${from > 0 ? '…' : ''}${indexes.join()}${to < length ? '…' : ''}`;
}

/** All statements of `length` rows with up to three values of createdAt, in which at least one row has no id. */
function* statements(length: number): Generator<ModelRow[]> {
  for (let times = 0; times < 3 ** length; times++) {
    for (let absent = 1; absent < 2 ** length; absent++) {
      yield Array.from({ length }, (_, index) => ({
        id: ((absent >> index) & 1) === 1 ? null : `row-${index}`,
        createdAtMs: Math.floor(times / 3 ** index) % 3,
      }));
    }
  }
}

function open(rows: ModelRow[], size: number) {
  const model = new StatementModel(0, { size });
  model.rows = rows;
  const read = (args: SliceArguments) =>
    new Statements(sourceOf(model)).slice(accountId, args, false);
  return { model, read };
}

it.each([
  [3, 1],
  [3, 20],
  [4, 2],
])('all statements of %d rows, in pages of %d, in any order of createdAt', async (length, size) => {
  for (const rows of statements(length)) {
    const { read } = open(rows, size);
    const { edges } = await read({ first: 20 });
    for (const [index, { cursor }] of edges.entries()) {
      const name = `${JSON.stringify(rows)}, ${index}`;
      const next = shortOf(await read({ first: size, after: cursor }));
      expect(next, name).toBe(expected(index + 1, Math.min(index + 1 + size, length), length));
      const previous = shortOf(await read({ last: size, before: cursor }));
      expect(previous, name).toBe(expected(Math.max(index - size, 0), index, length));
    }
  }
});

it('a walk does not skip to another row without an id that has the same createdAt', async () => {
  const model = new StatementModel(60);
  model.tie(19, 7);
  for (let index = 20; index < 25; index++)
    model.rows[index] = { ...row(model, index), createdAtMs: 0 };
  model.spoil(19);
  model.spoil(25);
  const { read } = open(model.rows, 20);
  const { pageInfo } = await read({ first: 20 });
  expect(shortOf(await read({ first: 20, after: pageInfo.endCursor }))).toBe(expected(20, 40, 60));
});

it.each([['iiii-iii', 5, [5, 6], '7']])(
  'a row without an id is not mistaken for another one: %s, cursor at %i, without %j',
  async (ids, at, gone, rest) => {
    const { rows } = new StatementModel(ids.length);
    const all = rows.map((one, index) =>
      ids[index] === '-' ? { id: null, createdAtMs: null } : one,
    );
    const { model, read } = open([...all], 20);
    const { edges } = await read({ first: 20 });
    model.rows = all.filter((_, index) => !gone.includes(index));
    const slice = await read({ first: 5, after: edges[at]?.cursor });
    const indexes = slice.edges.map(({ cursor }) =>
      all.indexOf(row(model, decodeCursor(cursor, scope).index)),
    );
    expect(indexes.join()).toBe(rest);
  },
);

it('cursors name the right rows if the last row of their slice has no id', async () => {
  const model = new StatementModel(150, { size: 50 }, 150);
  model.spoil(50);
  model.spoil(65);
  const { read } = open(model.rows, 50);
  const { edges } = await read({ first: 71 });
  const back = await read({ last: 20, before: edges[70]?.cursor });
  for (const { cursor } of back.edges) {
    const { index } = decodeCursor(cursor, scope);
    const next = await read({ first: 5, after: cursor });
    expect(shortOf(next)).toBe(expected(index + 1, index + 6, 150));
  }
});

function row(model: StatementModel, index: number): ModelRow {
  const found = model.rows[index];
  if (found === undefined) throw new Error('no such row');
  return found;
}
