// Finds changes of a schema that break clients or supergraphs of an older version, and deprecations without a day of
// removal.
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema, Kind, parse, print, visit } from 'graphql';

/** One sentence for each breaking change from one SDL to another; empty if everything continues to work. */
export async function breakingChanges(before: string, after: string): Promise<string[]> {
  const changes = await diff(buildSchema(before), buildSchema(after));
  const breaking = changes.filter(
    ({ criticality: { level } }) => level === CriticalityLevel.Breaking,
  );
  return [...breaking.map(({ message }) => message), ...federationChanges(before, after)];
}

/** Without these directives, supergraphs no longer compose, or cannot resolve references. */
const needed = ['key', 'shareable', 'link'];

/** With one of these directives, clients of a supergraph lose a field or type, or another subgraph loses its field. */
const restricting = [
  'inaccessible',
  'external',
  'override',
  'authenticated',
  'requiresScopes',
  'policy',
];

/**
 * GraphQL Inspector does not know the effect of federation directives, and would report changes of other directives,
 * such as a new reason of `@deprecated`, as equally dangerous.
 */
function federationChanges(before: string, after: string): string[] {
  const [old, next] = [directivesOf(before), directivesOf(after)];
  const found: string[] = [];
  for (const [text, { name, place, isResolvable }] of old.directives) {
    if (!needed.includes(name) || !next.places.has(place)) continue;
    const now = next.directives.get(text);
    if (now === undefined && name === 'shareable' && isStillShareable(place, old, next)) continue;
    if (now === undefined) found.push(`Directive ${text} was removed`);
    else if (isResolvable && !now.isResolvable) found.push(`${text} is no longer resolvable`);
  }
  for (const [text, { name, place }] of next.directives) {
    const isNew = old.places.has(place) && !old.directives.has(text);
    if (restricting.includes(name) && isNew) found.push(`Directive ${text} was added`);
  }
  return found;
}

/** `@shareable` on a type has the same meaning as on each of its fields. */
function isStillShareable(place: string, old: Directives, next: Directives): boolean {
  const isShareable = (one: string) => next.directives.has(`@shareable on ${one}`);
  const [type = '', field] = place.split('.');
  if (field !== undefined) return isShareable(type);
  const fields = [...old.fields].filter((one) => one.startsWith(`${type}.`));
  return fields.every((one) => isShareable(one) || !next.fields.has(one));
}

interface DirectiveUse {
  readonly name: string;
  /** The schema coordinate, or `schema`. */
  readonly place: string;
  /** False only for a key with `resolvable: false`. */
  readonly isResolvable: boolean;
}

interface Directives {
  /** The coordinates of a schema's types and their parts. */
  readonly places: ReadonlySet<string>;
  /** The coordinates of the fields among them. */
  readonly fields: ReadonlySet<string>;
  /** By their text with their coordinate. */
  readonly directives: ReadonlyMap<string, DirectiveUse>;
}

function directivesOf(sdl: string): Directives {
  const places = new Set(['schema']);
  const fields = new Set<string>();
  const directives = new Map<string, DirectiveUse>();
  visit(parse(sdl), {
    enter(node, _key, _parent, _path, ancestors) {
      const parts = node.kind === Kind.DIRECTIVE ? ancestors : [...ancestors, node];
      const names = parts.flatMap((one) => ('name' in one ? [one.name.value] : []));
      const place = names.join('.') || 'schema';
      if (node.kind !== Kind.DIRECTIVE) {
        places.add(place);
        if (node.kind === Kind.FIELD_DEFINITION) fields.add(place);
        return undefined;
      }
      // Without an import, a directive has this prefix.
      const name = node.name.value.replace(/^federation__/, '');
      const given = new Map(
        node.arguments?.map((one) => [one.name.value, print(one.value).replaceAll(/\s+/g, ' ')]),
      );
      const isResolvable = given.get('resolvable') !== 'false';
      given.delete('resolvable');
      // An import only shortens names.
      given.delete('import');
      const list = [...given].map(([argument, value]) => `${argument}: ${value}`).join(', ');
      const text = `@${name}${list && `(${list})`} on ${place}`;
      directives.set(text, { name, place, isResolvable });
      // Arguments have names too, but are no parts of the schema.
      return false;
    },
  });
  return { places, fields, directives };
}

/** The day until which a deprecated element stays, at the end of its reason. */
const untilDay = /\bafter (\d{4}-\d{2}-\d{2})\.?$/;

/** One sentence for each `@deprecated` whose reason does not end with a day, as docs/retiring-a-field.md requires. */
export function undatedDeprecations(sdl: string): string[] {
  const undated: string[] = [];
  visit(parse(sdl), {
    Directive(node, _key, _parent, _path, ancestors) {
      if (node.name.value !== 'deprecated') return;
      const reason = node.arguments?.find(({ name }) => name.value === 'reason')?.value;
      const text = reason?.kind === Kind.STRING ? reason.value : '';
      if (isDay(untilDay.exec(text)?.[1])) return;
      const names = ancestors.flatMap((one) => ('name' in one ? [one.name.value] : []));
      undated.push(`The deprecation of ${names.join('.')} does not end with "after YYYY-MM-DD"`);
    },
  });
  return undated;
}

function isDay(text: string | undefined): boolean {
  if (text === undefined) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
