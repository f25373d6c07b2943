// Search in the loaded transactions: the gateway has no search, and the query does not leave the page.
import { wallTimeOf } from '../dates.ts';
import type { LineFragment } from '../generated/graphql.ts';
import { formatReais } from '../money.ts';
import type { Text } from '../text/pt.ts';
import { wordsOf } from '../words.ts';

/** The transactions that contain every word of the query, whatever its case and accents; all for an empty query. */
export type Search = (lines: readonly LineFragment[], query: string) => readonly LineFragment[];

export function createSearch(text: Text, timeZone: string): Search {
  // With thousands of lines, their texts would take too long to put together at each key.
  const contents = new WeakMap<LineFragment, string>();
  const foldedContentOf = (line: LineFragment): string => {
    const content = contents.get(line) ?? fold(contentOf(line, text, timeZone));
    contents.set(line, content);
    return content;
  };
  return (lines, query) => {
    const words = fold(query).split(' ').filter(Boolean);
    if (words.length === 0) return lines;
    return lines.filter((line) => words.every((word) => foldedContentOf(line).includes(word)));
  };
}

/** The texts shown for a transaction, and its amount and day in other notations. */
function contentOf(line: LineFragment, text: Text, timeZone: string): string {
  const { category, beneficiaryName, type, status, signedAmount, createdAt, id } = line;
  const [year, month, day] = wallTimeOf(createdAt, timeZone)?.day.split('-') ?? [];
  return [
    category,
    beneficiaryName,
    type && wordsOf(type, text.types),
    text.csv.statusNames[status ?? ''],
    signedAmount,
    signedAmount === null ? null : formatReais(signedAmount, text.locale),
    year === undefined
      ? null
      : `${year}-${month ?? ''}-${day ?? ''} ${day ?? ''}/${month ?? ''}/${year}`,
    id,
  ].join(' ');
}

/** `Água & Saneamento` -> `agua & saneamento`; all white space becomes ordinary spaces. */
function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').toLowerCase();
}
