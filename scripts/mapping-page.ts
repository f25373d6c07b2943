// docs/mapping.md: the tables of the service's objects are generated from src/upstream/shape/shapes.ts, the rest is
// written by hand.
import { readFileSync } from 'node:fs';
import type { FieldTable } from '../src/upstream/shape/field-types.ts';
import {
  accountFields,
  addressFields,
  holderFields,
  individualFields,
  transactionFields,
} from '../src/upstream/shape/shapes.ts';

/** An object of the service's answers. */
interface ObjectTable {
  readonly fields: FieldTable;
  /** The types of the schema that show it, each with the JSON pointer of the object. */
  readonly shownAt: readonly (readonly [type: string, pointer: string])[];
  readonly endpoints: string;
  /** Which ids are violations. */
  readonly badId?: string;
  /** What becomes null without a usable id. */
  readonly withoutId: string;
}

const bothProfiles = '`GET /persons`, `GET /companies`';

const tables: Readonly<Record<string, ObjectTable>> = {
  holder: {
    fields: holderFields,
    shownAt: [
      ['Person', '/person'],
      ['Company', '/entity'],
    ],
    endpoints: bothProfiles,
    withoutId: '`Query.me` is null',
  },
  individual: {
    fields: individualFields,
    shownAt: [['Individual', '/individual']],
    endpoints: '`GET /persons`',
    withoutId: '`Person.individual` is null',
  },
  address: {
    fields: addressFields,
    shownAt: [['Address', '/address']],
    endpoints: '`GET /persons`',
    withoutId: '`Person.address` is null',
  },
  account: {
    fields: accountFields,
    shownAt: [['Account', '/accounts/{i}']],
    endpoints: bothProfiles,
    badId: 'absent or not a string of 8-4-4-4-12 hex digits, as it becomes a part of a path',
    withoutId: 'this element of the list is null',
  },
  transaction: {
    fields: transactionFields,
    shownAt: [['Transaction', '/data/{i}']],
    endpoints: '`GET /accounts/{accountId}/transactions`',
    withoutId: 'the `node` is null; its edge and cursor stand',
  },
};

const head = ['GraphQL field', 'Endpoint', 'JSON pointer', 'Upstream type', 'GraphQL type'];

/** The page with its tables generated again. Each is between `<!-- name -->` and `<!-- end -->`. */
export function mappingPage(): string {
  const page = readFileSync(new URL('../docs/mapping.md', import.meta.url), 'utf8');
  return Object.entries(tables).reduce((text, [name, table]) => {
    const region = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end -->)`);
    if (!region.test(text)) throw new Error(`docs/mapping.md has no table ${name}`);
    return text.replace(region, (_all, start: string, end: string) =>
      [start, ...tableLines(table), '', end].join('\n'),
    );
  }, page);
}

function tableLines(table: ObjectTable): string[] {
  const {
    fields,
    shownAt,
    endpoints,
    withoutId,
    badId = 'absent or not a non-empty string',
  } = table;
  const row = (name: string, sent: string, shown: string, bad: string) => [
    shownAt.map(([type]) => `\`${type}.${name}\``).join(', '),
    endpoints,
    shownAt.map(([, pointer]) => `\`${pointer}/${name}\``).join(', '),
    sent,
    `\`${shown}\``,
    bad,
  ];
  const rows = Object.entries(fields).map(([name, { sent, shown, bad }]) =>
    row(name, sent, shown, `${bad}: the field is null`),
  );
  return [
    [...head, 'A bad value'],
    [...head, '-'].map(() => '---'),
    row('id', 'string (UUID)', 'ID!', `${badId}: ${withoutId}`),
    ...rows,
  ].map((cells) => `| ${cells.join(' | ')} |`);
}
