// Search in the loaded transactions: the gateway has no search, and the query does not leave the page.
import { wallTimeOf } from '../dates.ts';
import type { LineFragment } from '../generated/graphql.ts';
import { formatReais } from '../money.ts';
import type { Text } from '../text/pt.ts';

/** The transactions that contain every word of the query, whatever its case and accents; all for an empty query. */
export function searchLines(
  lines: readonly LineFragment[],
  query: string,
  text: Text,
  timeZone: string,
): readonly LineFragment[] {
  const words = fold(query).split(' ').filter(Boolean);
  if (words.length === 0) return lines;
  return lines.filter((line) => {
    const content = fold(contentOf(line, text, timeZone));
    return words.every((word) => content.includes(word));
  });
}

/** The texts shown for a transaction, and its amount and day in other notations. */
function contentOf(line: LineFragment, text: Text, timeZone: string): string {
  const { category, beneficiaryName, type, status, signedAmount, createdAt, id } = line;
  const [year, month, day] = wallTimeOf(createdAt, timeZone)?.day.split('-') ?? [];
  return [
    category,
    beneficiaryName,
    type,
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
