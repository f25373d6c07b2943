// Chooses the media type of an answer, one of two JSON types or HTML, by the Accept header (RFC 9110 12.5.1).
import Negotiator from 'negotiator';

export const jsonType = 'application/json; charset=utf-8';
export const graphqlType = 'application/graphql-response+json; charset=utf-8';
export const htmlType = 'text/html; charset=utf-8';

/** The largest number of remembered Accept headers; negotiation takes up to 3 % of an operation's time. */
const maxRemembered = 200;

const remembered = new Map<string, string | null>();

/** The content type that the client prefers, application/json if it has no preference; null if it accepts none. */
export function chooseMediaType(accept: string | undefined, offersPage = false): string | null {
  if (accept === undefined || accept === '') return jsonType;
  // A header cannot contain a line feed, so this key is never that of another Accept header.
  const key = offersPage ? `${accept}\n` : accept;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const offers = [jsonType, graphqlType, ...(offersPage ? [htmlType] : [])];
  const chosen = new Negotiator({ headers: { accept } }).mediaType(offers) ?? null;
  if (remembered.size < maxRemembered) remembered.set(key, chosen);
  return chosen;
}
