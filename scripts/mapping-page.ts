// docs/mapping.md: the tables of the service's objects are generated from src/upstream/endpoints.ts, the rest is written by
// hand.
import { readFileSync } from 'node:fs';
import { endpoints } from '../src/upstream/endpoints.ts';

/** An object of the service, with its place in the answer of an endpoint. */
type Shown = ReturnType<typeof shownObjects>[number];

function shownObjects() {
  return Object.values(endpoints).flatMap(({ path, objects }) =>
    Object.entries(objects).flatMap(([place, object]) =>
      'type' in object
        ? [
            {
              ...object,
              endpoint: `\`GET ${path}\``,
              // The beginning of the pointers to the fields of this object.
              pointer: `/${place}/`.replaceAll('[]', '/{i}').replace('//', '/'),
            },
          ]
        : [],
    ),
  );
}

const head = ['GraphQL field', 'Endpoint', 'JSON pointer', 'Upstream type', 'GraphQL type'];

/**
 * The page with its tables generated again. Each table is between `<!-- Type -->`, with its type in the schema, and
 * `<!-- end -->`.
 */
export function mappingPage(): string {
  const page = readFileSync(new URL('../docs/mapping.md', import.meta.url), 'utf8');
  const tables = Map.groupBy(shownObjects(), ({ fields }) => fields);
  return [...tables.values()].reduce((text, shown) => {
    const name = shown[0]?.type ?? '';
    const region = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end -->)`);
    // An object that is not on the page yet gets a section before the hand-written sections at the end.
    const section = `## ${name}\n\n<!-- ${name} -->\n<!-- end -->\n\n${nextSection}`;
    const known = region.test(text) ? text : text.replace(nextSection, () => section);
    return known.replace(region, (_all, start: string, end: string) =>
      [start, ...tableLines(shown), '', end].join('\n'),
    );
  }, page);
}

/** The heading before which new sections are put. */
const nextSection = '## Derived';

/** The rows for one kind of object, which may be in several answers. */
function tableLines(shown: readonly Shown[]): string[] {
  const [object] = shown;
  if (object === undefined) return [];
  const { fields, withoutId } = object;
  const listed = (items: readonly string[]) => [...new Set(items)].join(', ');
  const row = (name: string, sent: string, shownAs: string, bad: string) => [
    listed(shown.map(({ type }) => `\`${type}.${name}\``)),
    listed(shown.map(({ endpoint }) => endpoint)),
    listed(shown.map(({ pointer }) => `\`${pointer}${name}\``)),
    sent,
    `\`${shownAs}\``,
    bad,
  ];
  const rows = Object.entries(fields).map(([name, type]) =>
    row(
      name,
      type.sent,
      type.shown,
      `${type.bad}: ${type.isRequired ? (withoutId ?? '') : 'the field is null'}`,
    ),
  );
  return [[...head, 'A bad value'], [...head, '-'].map(() => '---'), ...rows].map(
    (cells) => `| ${cells.join(' | ')} |`,
  );
}
