// docs/mapping.md: the tables of the service's objects are generated from src/upstream/endpoints.ts, the rest is written by
// hand.
import { readFileSync } from 'node:fs';
import { endpoints } from '../src/upstream/endpoints.ts';

/** An object with the place where an endpoint's answer has it. */
type Shown = ReturnType<typeof shownObjects>[number];

function shownObjects() {
  return Object.values(endpoints).flatMap(({ path, objects }) =>
    Object.entries(objects).map(([place, object]) => ({
      ...object,
      endpoint: `\`GET ${path}\``,
      // Of a field at this place.
      pointer: `/${place}/`.replaceAll('[]', '/{i}').replace('//', '/'),
    })),
  );
}

const head = ['GraphQL field', 'Endpoint', 'JSON pointer', 'Upstream type', 'GraphQL type'];

/** The page with its tables generated again. Each is between `<!-- Type -->`, by the schema's type, and `<!-- end -->`. */
export function mappingPage(): string {
  const page = readFileSync(new URL('../docs/mapping.md', import.meta.url), 'utf8');
  const tables = Map.groupBy(shownObjects(), ({ fields }) => fields);
  return [...tables.values()].reduce((text, shown) => {
    const name = shown[0]?.type ?? '';
    const region = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end -->)`);
    // An object that the page does not have yet gets a section before the hand-written ones at its end.
    const section = `## ${name}\n\n<!-- ${name} -->\n<!-- end -->\n\n${nextSection}`;
    const known = region.test(text) ? text : text.replace(nextSection, () => section);
    return known.replace(region, (_all, start: string, end: string) =>
      [start, ...tableLines(shown), '', end].join('\n'),
    );
  }, page);
}

/** The heading before which new sections are put. */
const nextSection = '## Derived';

/** The rows of one kind of object, which several answers may have. */
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
