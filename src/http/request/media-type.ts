// Chooses the media type of an answer, one of two JSON types or HTML, by the Accept header (RFC 9110 12.5.1).
import Negotiator from 'negotiator';

export const jsonType = 'application/json; charset=utf-8';
export const graphqlType = 'application/graphql-response+json; charset=utf-8';
export const htmlType = 'text/html; charset=utf-8';

/** In characters; browsers and GraphQL clients send fewer than 300. A header of 15 KB took up to 8 ms to negotiate. */
const maxLength = 1024;

/** The largest number of remembered Accept headers; negotiation takes up to 3 % of an operation's time. */
const maxRemembered = 200;

const remembered = new Map<string, string | null>();

/**
 * The content type that the client prefers, application/json if it has no preference; null if it accepts none. Of a long
 * header, only the media types that end within the first 1024 characters count.
 */
export function chooseMediaType(accept: string | undefined, offersPage = false): string | null {
  if (accept === undefined || accept === '') return jsonType;
  if (accept.length > maxLength) return negotiate(firstOf(accept), offersPage);
  // A header cannot contain a line feed, so this key is never that of another Accept header.
  const key = offersPage ? `${accept}\n` : accept;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const chosen = negotiate(accept, offersPage);
  if (remembered.size < maxRemembered) remembered.set(key, chosen);
  return chosen;
}

function firstOf(accept: string): string {
  return accept.slice(0, Math.max(accept.lastIndexOf(',', maxLength), 0));
}

function negotiate(accept: string, offersPage: boolean): string | null {
  const offers = [jsonType, graphqlType, ...(offersPage ? [htmlType] : [])];
  return new Negotiator({ headers: { accept } }).mediaType(offers) ?? null;
}
