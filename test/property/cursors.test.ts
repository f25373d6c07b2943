// A request with any string as `after` or `before` gets a slice, or an error about the cursor.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Cursor,
  MAX_AHEAD,
  MAX_BEHIND,
  type NamedRows,
  scopeOf,
} from '../../src/statement/cursor.ts';
import { fingerprintOf } from '../../src/statement/row-key.ts';
import { NO_KEY } from '../../src/upstream/shape/shapes.ts';
import { hashOf } from '../../src/json/text-hash.ts';
import { cursorText } from '../support/cursors.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { holds } from '../support/properties.ts';
import { query } from '../support/query.ts';
import { cursorsOf, idsOf, openAccount } from '../support/slices.ts';

const rows = 95;
let gateway: TestGateway;
let account: string;
let ids: string[];
/** `cursors` are those of the statement, by the index of their row; `strange` cursors are from another statement. */
let cursors: string[];
let strange: string[];
beforeAll(async () => {
  gateway = await startTestGateway();
  account = openAccount(gateway.bank, rows, { tieSizes: [1, 2, 40] });
  ids = idsOf(gateway.bank, account);
  cursors = await cursorsOf(gateway, account);
  strange = await cursorsOf(gateway, openAccount(gateway.bank, rows));
});
afterAll(() => gateway.close());

/** The outcome of one cursor: the code of its error, or the ids of its slice. */
interface Outcome {
  readonly code: string | null;
  readonly ids: readonly string[] | null;
}

/** Sends all strings as cursors in one operation, alternately as `after` and `before`. */
async function outcomesOf(texts: readonly string[]): Promise<Outcome[]> {
  const variables = texts.map((_text, index) => `$c${index}: String`).join(' ');
  const fields = texts.map(
    (_text, index) =>
      `c${index}: transactions(accountId: $id, ${argumentsOf(index)}: $c${index}) { nodes { id } }`,
  );
  const values = Object.fromEntries(texts.map((text, index) => [`c${index}`, text]));
  const document = `query Cursors($id: ID! ${variables}) { ${fields.join('\n')} }`;
  const answer = await query(gateway, document, { variables: { id: account, ...values } });
  expect(answer.status).toBe(200);
  const codes = new Map(answer.errors?.map(({ path, extensions }) => [path?.[0], extensions.code]));
  return texts.map((_text, index) => {
    const slice = answer.data?.[`c${index}`] as { nodes: { id: string }[] } | null | undefined;
    const code = codes.get(`c${index}`) ?? null;
    expect(code === null, 'an answer or an error').toBe(Boolean(slice));
    return { code, ids: slice?.nodes.map(({ id }) => id) ?? null };
  });
}

const isForward = (index: number) => index % 2 === 0;
const argumentsOf = (index: number) => (isForward(index) ? 'first: 2, after' : 'last: 2, before');

/** Up to two rows next to the row of a cursor, on the side that `index` determines. */
function besideRow(row: number, index: number): string[] {
  return isForward(index) ? ids.slice(row + 1, row + 3) : ids.slice(Math.max(row - 2, 0), row);
}

const twentyOf = (texts: fc.Arbitrary<string>) => fc.array(texts, { minLength: 1, maxLength: 20 });

const base36 = fc.string({ unit: fc.constantFrom('0', '1', '9', 'a', 'k', 'z'), maxLength: 12 });
const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.base64String(),
  fc.integer().map(String),
  fc.uuid(),
  fc.array(base36, { minLength: 9, maxLength: 13 }).map((parts) => parts.join('.')),
  fc.nat(rows - 1).map((row) => `strange ${row}`),
);

test('any string that is not a cursor of the statement fails with BAD_USER_INPUT', () =>
  holds(twentyOf(anyText), async (texts) => {
    const sent = texts.map((text) => {
      const [, row] = /^strange (\d+)$/.exec(text) ?? [];
      return row === undefined ? text : (strange[Number(row)] ?? '');
    });
    for (const { code } of await outcomesOf(sent)) expect(code).toBe('BAD_USER_INPUT');
  }));

/** A change to a string; `place` is a fraction of the string's length. */
interface Edit {
  readonly kind: 'insert' | 'replace' | 'remove' | 'cut' | 'repeat' | 'swap' | 'upper' | 'none';
  readonly place: number;
  readonly text: string;
}

const edit = fc.record<Edit>({
  kind: fc.constantFrom('insert', 'replace', 'remove', 'cut', 'repeat', 'swap', 'upper', 'none'),
  place: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  text: fc.oneof(
    fc.constantFrom('0', '1', 'z', '.', '-', ' ', 'n', 'o', 's', 't', '\u000e', '\u0010', '٣'),
    fc.string({ minLength: 1, maxLength: 3 }),
  ),
});

function edited(text: string, { kind, place, text: other }: Edit): string {
  const at = Math.floor(place * text.length);
  const [before, here, after] = [text.slice(0, at), text.slice(at, at + 1), text.slice(at + 1)];
  const results = {
    insert: before + other + here + after,
    replace: before + other + after,
    remove: before + after,
    cut: before,
    repeat: before + here + before + here + after,
    swap: before + after.slice(0, 1) + here + after.slice(1),
    upper: before + here.toUpperCase() + after,
    none: text,
  };
  return results[kind];
}

const mutation = fc.record({
  row: fc.nat(rows - 1),
  edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
});

test('an unchanged cursor is accepted, and a changed cursor fails with BAD_USER_INPUT', () =>
  holds(fc.array(mutation, { minLength: 1, maxLength: 20 }), async (mutations) => {
    const texts = mutations.map(({ row, edits }) => edits.reduce(edited, cursors[row] ?? ''));
    const outcomes = await outcomesOf(texts);
    outcomes.forEach((outcome, index) => {
      const row = cursors.indexOf(texts[index] ?? '');
      if (row < 0) expect(outcome.code, texts[index]).toBe('BAD_USER_INPUT');
      else expect(outcome).toEqual({ code: null, ids: besideRow(row, index) });
    });
  }));

/** The content of a forged cursor, including the total and the page size that it claims for the time of its issue. */
interface Forged {
  readonly total: number;
  readonly size: number;
  readonly row: Omit<Cursor, 'total' | 'size'>;
}

/** Any content of a cursor, even if it contradicts itself or the statement. */
function forgedCursors(): fc.Arbitrary<Forged> {
  const keys = ids.map(hashOf);
  const instants = gateway.bank.statement(account).map(({ createdAt }) => Date.parse(createdAt));
  const name = fc.oneof(fc.constantFrom(...keys.map(fingerprintOf)), fc.nat(36 ** 5 - 1));
  const side = (most: number) =>
    fc
      .record<NamedRows>({
        fingerprints: fc.array(name, { maxLength: most }),
        ties: fc.nat(most),
        complete: fc.boolean(),
      })
      .map((names) => ({ ...names, ties: Math.min(names.ties, names.fingerprints.length) }));
  const total = fc.oneof(fc.constant(rows), fc.nat(300), fc.nat(2 ** 31), fc.maxSafeNat());
  return total.chain((most) =>
    fc.record<Forged>({
      total: fc.constant(most),
      size: fc.oneof(fc.constantFrom(1, 7, 20, 50), fc.maxSafeNat()),
      row: fc.record({
        key: fc.oneof(fc.constantFrom(NO_KEY, ...keys), fc.maxSafeNat()),
        index: fc.oneof(fc.nat(rows), fc.nat(most)),
        createdAtMs: fc.oneof(
          fc.constantFrom(null, ...instants),
          fc.date({ noInvalidDate: true }).map((date) => date.getTime()),
        ),
        newer: side(MAX_BEHIND),
        older: side(MAX_AHEAD),
        isReordered: fc.boolean(),
      }),
    }),
  );
}

test('a forged cursor with a valid checksum results in a slice, BAD_USER_INPUT or CURSOR_EXPIRED', () =>
  holds(fc.array(forgedCursors(), { minLength: 1, maxLength: 4 }), async (all) => {
    gateway.bank.resetCalls();
    const scope = scopeOf({ accountId: account });
    const texts = all.map(({ total, size, row }) => cursorText(scope, { total, size, ...row }));
    for (const { code } of await outcomesOf(texts))
      expect([null, 'BAD_USER_INPUT', 'CURSOR_EXPIRED']).toContain(code);
    // For each cursor, the gateway may read the five pages of the statement and the page that the cursor claims, each
    // at most twice.
    expect(gateway.bank.calls().length).toBeLessThanOrEqual(12 * all.length);
  }));
