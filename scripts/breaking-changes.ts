// Finds changes of a schema that break clients or supergraphs of an older version, and deprecations without a day of
// removal.
import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema, Kind, parse, visit } from 'graphql';

/** One sentence for each breaking change from one SDL to another; empty if everything continues to work. */
export async function breakingChanges(before: string, after: string): Promise<string[]> {
  const changes = await diff(buildSchema(before), buildSchema(after));
  return changes.filter(isBreaking).map(({ message }) => message);
}

/**
 * GraphQL Inspector reports the removal of a federation directive or its argument only as dangerous, because it does
 * not know their effect. Here such a removal is breaking: the directive is a key that other subgraphs use in
 * references, or lets subgraphs share a type.
 */
function isBreaking({ type, criticality }: Change): boolean {
  return (
    criticality.level === CriticalityLevel.Breaking ||
    /^DIRECTIVE_USAGE_.*_REMOVED$/.test(String(type))
  );
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
