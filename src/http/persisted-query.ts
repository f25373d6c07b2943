// The hash of a persisted query, which Apollo Server makes a text of without looking at what it is.
import { Refusal } from './exchange.ts';

/** What may stand in a request's `extensions`, if it is an object at all. */
interface Extensions {
  readonly persistedQuery?: { readonly sha256Hash?: unknown } | null;
}

/** Refuses a hash that is no text: arrays within arrays, made a text of, would end the stack. */
export function checkPersistedQuery(extensions: unknown): void {
  const hash = (extensions as Extensions | null | undefined)?.persistedQuery?.sha256Hash;
  if (hash !== undefined && typeof hash !== 'string') {
    throw new Refusal(400, 'The hash of a persisted query must be a string.');
  }
}

/** The same for the `extensions` of a GET; what is no JSON there is for Apollo Server to refuse. */
export function checkPersistedQueryOf(search: string): void {
  const text = new URLSearchParams(search).get('extensions');
  if (text !== null) checkPersistedQuery(parseJson(text));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
