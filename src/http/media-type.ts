// Which of the two media types of GraphQL over HTTP an answer has, by the request's Accept header (RFC 9110 12.5.1).

export type MediaType = 'application/json' | 'application/graphql-response+json';

const offers: readonly MediaType[] = ['application/json', 'application/graphql-response+json'];

/** Clients send a handful of values; strangers may send any, so that what is remembered has a limit. */
const maxRemembered = 200;

const remembered = new Map<string, MediaType | null>();

/** The media type that a client likes best, application/json among equals; null where it accepts neither. */
export function chooseMediaType(accept: string | undefined): MediaType | null {
  if (accept === undefined || accept === '') return 'application/json';
  const known = remembered.get(accept);
  if (known !== undefined) return known;
  const chosen = choose(accept);
  if (remembered.size < maxRemembered) remembered.set(accept, chosen);
  return chosen;
}

/** `type/subtype` of an Accept header, its quality, and where it stood. */
interface Range {
  readonly name: string;
  readonly quality: number;
  readonly place: number;
}

function choose(accept: string): MediaType | null {
  const ranges = accept.split(',').map(parseRange);
  const [best] = offers
    .map((offer) => ({ offer, range: rangeOf(offer, ranges) }))
    .filter(({ range }) => range.quality > 0)
    .sort((a, b) => b.range.quality - a.range.quality || a.range.place - b.range.place);
  return best?.offer ?? null;
}

function parseRange(text: string, place: number): Range {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return { name, quality: Number(quality), place };
}

const unacceptable: Range = { name: '', quality: 0, place: 0 };

/** The range that says most about an offer: its name, else its type, else anything. */
function rangeOf(offer: MediaType, ranges: readonly Range[]): Range {
  const names = [offer, 'application/*', '*/*'];
  const found = names.map((name) => ranges.find((range) => range.name === name));
  return found.find((range) => range !== undefined) ?? unacceptable;
}
