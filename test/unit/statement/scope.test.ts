// The scope of a statement: an argument that the schema gets later separates statements without further code.
import { expect, it } from 'vitest';
import { scopeOf } from '../../../src/statement/cursor.ts';
import { Statements, type SliceArguments } from '../../../src/statement/statement.ts';
import { accountId, sourceOf } from '../../support/statement-model.ts';
import { rowsOf } from './parts.ts';

/** Two statements of one account, by an argument that no part of `statement` knows. */
function filtered() {
  const asked: unknown[] = [];
  const read = (_call: unknown, _route: string, parameters: { page?: unknown; type?: unknown }) => {
    asked.push(parameters.type);
    const rows = rowsOf(parameters.type === 'PIX' ? 'a3 b2 c1' : 'd2 e1');
    const { length } = rows;
    return Promise.resolve({ totalItems: length, currentPage: 0, itemsPerPage: 20, rows });
  };
  const statements = new Statements(sourceOf({ read }));
  const slice = (args: SliceArguments & { type?: string | null }) =>
    statements.slice(accountId, args, false);
  return { asked, slice };
}

it('an argument that does not belong to the paging selects a statement with pages of its own', async () => {
  const { asked, slice } = filtered();
  const [pix, ted] = await Promise.all([slice({ type: 'PIX' }), slice({ type: 'TED' })]);
  expect([pix.totalCount, ted.totalCount, asked]).toEqual([3, 2, ['PIX', 'TED']]);
});

it('a cursor is refused in a statement that differs in such an argument, also in its case only', async () => {
  const { asked, slice } = filtered();
  const after = (await slice({ type: 'PIX' })).edges[0]?.cursor;
  for (const type of ['TED', 'pix', '', null]) {
    await expect(slice({ type, after })).rejects.toThrow('The cursor belongs to another');
  }
  expect(asked).toEqual(['PIX']);
  expect((await slice({ type: 'PIX', after })).edges).toHaveLength(2);
});

it('an absent argument does not change the scope, and the order of arguments does not count', () => {
  const scopeWith = (others: object) => scopeOf({ accountId, to: '2026-06-30', ...others });
  expect(scopeWith({ from: null, type: null, category: undefined })).toBe(scopeWith({}));
  const both = scopeWith({ type: 'PIX', category: 'a' });
  expect(scopeWith({ category: 'a', type: 'PIX' })).toBe(both);
  expect(scopeWith({ type: 'PIX' })).not.toBe(both);
});
