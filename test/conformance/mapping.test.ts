// docs/mapping.md, schema/ and the sandbox bank agree: every field of an object type has a row, every row states the
// type of its field, the description of each field from the service names its source, and the bank sends every upstream
// field.
import { readFileSync } from 'node:fs';
import { type FieldDefinitionNode, Kind, print } from 'graphql';
import { expect, test } from 'vitest';
import { readTypeDefs } from '../../src/graphql/schema.ts';
import { startBank } from '../../src/sandbox/bank.ts';
import { endpoints } from '../../src/upstream/endpoints.ts';
import { holderOf } from '../support/bank.ts';

/** A row of a table on the page, with one field, several similar fields or none. */
interface Row {
  /** Each as `Type.field`; empty if the schema has no counterpart. */
  readonly fields: readonly string[];
  readonly pointers: readonly string[];
  /** Null in the table of derived fields. */
  readonly upstreamType: string | null;
  readonly type: string;
}

const rows = readRows();
const upstreamRows = rows.filter(({ upstreamType }) => upstreamType !== null);
const schemaFields = readSchemaFields();

test('every field of an object type has a row in docs/mapping.md', () => {
  const inPage = new Set(rows.flatMap(({ fields }) => fields));
  // The fields of the interface AccountHolder have no rows of their own, because Person and Company have the same
  // fields.
  const inSchema = [...schemaFields.keys()].filter((name) => !name.startsWith('AccountHolder.'));
  expect(inSchema.filter((name) => !inPage.has(name))).toEqual([]);
});

test.each(rows.flatMap(({ fields, type }) => fields.map((field) => ({ field, type }))))(
  'the field $field has the type $type in the schema',
  ({ field, type }) => {
    const definition = schemaFields.get(field);
    expect(definition && print(definition.type)).toBe(type);
  },
);

test('docs/mapping.md lists upstream values without a field in the schema as "none"', () => {
  const without = rows.filter(({ fields }) => fields.length === 0);
  expect(without.map(({ pointers, type }) => [...pointers, type])).toEqual([
    ['/token', 'none'],
    ['/entityType', 'none'],
    ['/pagination/currentPage', 'none'],
    ['/pagination/itemsPerPage', 'none'],
    ['/pagination/totalPages', 'none'],
  ]);
});

test.each(
  upstreamRows.flatMap(({ fields, pointers }) =>
    fields.map((field, at) => ({ field, pointer: pointers[at] ?? pointers[0] ?? '' })),
  ),
)('the description of $field names its source $pointer', ({ field, pointer }) => {
  const description = schemaFields.get(field)?.description?.value ?? '';
  // `me` stands for a whole answer, so its description names the endpoints instead of a pointer.
  const names = field === 'Query.me' ? '`GET /persons` or `GET /companies`' : dotted(pointer);
  expect(description).toContain(names);
});

test('the sandbox bank sends every upstream field of docs/mapping.md', async () => {
  await using bank = await startBank();
  const sent = new Set<string>();
  for (const kind of ['PERSON', 'COMPANY'] as const) {
    const holder = holderOf(bank, kind);
    const headers = {
      authorization: `Bearer ${await bank.tokenFor(holder)}`,
      'x-tenant-id': holder.tenant,
      'content-type': 'application/json',
    };
    for (const { path } of Object.values(endpoints)) {
      const filled = path.replace('{accountId}', holder.accounts[0] ?? '');
      const answer = await fetch(`${bank.url}${filled}`, { headers });
      // The profile endpoint of the other kind refuses the token.
      if (!answer.ok) continue;
      for (const pointer of pointersIn(await answer.json())) sent.add(pointer);
    }
  }
  const pointers = upstreamRows.flatMap((row) => row.pointers);
  expect(pointers.filter((pointer) => !sent.has(pointer))).toEqual([]);
});

/** The JSON pointers of the values in a document, with `{i}` for an index. */
function pointersIn(document: unknown): string[] {
  if (typeof document !== 'object' || document === null) return [''];
  const isList = Array.isArray(document);
  return Object.entries(document).flatMap(([name, value]) => [
    `/${isList ? '{i}' : name}`,
    ...pointersIn(value).map((rest) => `/${isList ? '{i}' : name}${rest}`),
  ]);
}

/** A JSON pointer as descriptions write it: `/accounts/{i}/id` becomes `accounts[].id`, and `/{i}/id` `[].id`. */
function dotted(pointer: string): string {
  return `\`${pointer.replaceAll('/{i}', '[]').replace(/^\//, '').replaceAll('/', '.')}\``;
}

/** Every row of the tables that begin with a column `GraphQL field`. */
function readRows(): Row[] {
  const page = readFileSync(new URL('../../docs/mapping.md', import.meta.url), 'utf8');
  const tables = page.split(/\n(?!\|)/).map((block) => block.split('\n').filter(isTableLine));
  return tables.flatMap(([header = '', , ...lines]) => {
    const columns = cellsOf(header);
    return columns[0] === 'GraphQL field' ? lines.map((line) => readRow(columns, line)) : [];
  });
}

function readRow(columns: readonly string[], line: string): Row {
  const cells = new Map(cellsOf(line).map((cell, at) => [columns[at], cell]));
  const type = cells.get('GraphQL type') ?? '';
  return {
    fields: codesIn(cells.get('GraphQL field')),
    pointers: codesIn(cells.get('JSON pointer') ?? cells.get('Made from')),
    upstreamType: cells.get('Upstream type') ?? null,
    type: codesIn(type)[0] ?? type,
  };
}

function isTableLine(line: string): boolean {
  return line.startsWith('|');
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** The strings between backticks. */
function codesIn(cell = ''): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** The definition of each field of the object and interface types, by `Type.field`. */
function readSchemaFields(): Map<string, FieldDefinitionNode> {
  const found = new Map<string, FieldDefinitionNode>();
  for (const type of readTypeDefs().definitions) {
    if (type.kind === Kind.OBJECT_TYPE_DEFINITION || type.kind === Kind.INTERFACE_TYPE_DEFINITION) {
      for (const field of type.fields ?? []) {
        found.set(`${type.name.value}.${field.name.value}`, field);
      }
    }
  }
  return found;
}
