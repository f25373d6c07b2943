// Cursors: their content, their text, and the check of texts from clients.
import { badUserInput, type GatewayError } from '../errors.ts';
import { fingerprintOf, hashOf } from '../upstream/shape/row-key.ts';
import { CursorText, type NamesToWrite, type WrittenCursors } from './cursor-text.ts';

/**
 * A place in a statement, kept by the client: its row, and the rows beside it, by which the place
 * is found if the row is gone. See docs/paging.md.
 */
export interface Cursor {
  /** Key of the row (row-key.ts); `NO_KEY` if the service sent no usable id. */
  readonly key: number;
  /** The row's index from the newest end when the cursor was issued. */
  readonly index: number;
  /** totalItems when the cursor was issued. */
  readonly total: number;
  /** itemsPerPage when the cursor was issued: it determines the page to read first. */
  readonly size: number;
  /** The row's createdAt in epoch milliseconds; null if it has none. */
  readonly createdAtMs: number | null;
  readonly newer: NamedRows;
  readonly older: NamedRows;
}

/** The rows that were seen on one side of a row. */
export interface NamedRows {
  /** The fingerprint of each row, the nearest first; `NO_KEY` for a row without a usable id. */
  readonly fingerprints: readonly number[];
  /** The number of rows, from the nearest on, that share the row's createdAt. */
  readonly ties: number;
  /** Whether these are all rows on that side with the same createdAt. */
  readonly complete: boolean;
}

/**
 * The most rows that are named on the side that the walk came from, and on the other side: a cursor
 * has 256 characters.
 */
export const MAX_BEHIND = 30;
export const MAX_AHEAD = 6;

const VERSION = '2';
/** The largest totalItems, a GraphQL Int. A larger total is forged, and would lead to pages that do not exist. */
const MAX_TOTAL = 2 ** 31 - 1;
const MAX_LENGTH = 256;
const FINGERPRINT_WIDTH = 5;
const CHECKSUM_AT = -FINGERPRINT_WIDTH;

/** The statement of a cursor: an account between two dates. */
export function scopeOf(accountId: string, from: string | null, to: string | null): string {
  return hashOf(`${accountId}|${from ?? ''}|${to ?? ''}`).toString(36);
}

/**
 * Writes the cursors of one slice: URL-safe text of base-36 numbers separated by dots, with a
 * checksum at the end. Their common parts are written once.
 */
export class CursorWriter {
  readonly #text: CursorText;

  constructor(scope: string, total: number, size: number, count: number) {
    const head = `${VERSION}.${scope}.${total.toString(36)}.${size.toString(36)}.`;
    this.#text = new CursorText(head, count);
  }

  add(
    key: number,
    index: number,
    createdAtMs: number | null,
    newer: NamesToWrite,
    older: NamesToWrite,
  ): void {
    this.#text
      .begin()
      .number(key)
      .number(index)
      .number(createdAtMs)
      .names(newer)
      .names(older)
      .finish();
  }

  /** All cursors in the order in which they were added. */
  get written(): WrittenCursors {
    return this.#text.written;
  }
}

/** Decodes a cursor that was issued for `scope`; throws BAD_USER_INPUT for any other text. */
export function decodeCursor(text: string, scope: string): Cursor {
  if (text.length > MAX_LENGTH) throw malformed();
  const checked = text.slice(0, CHECKSUM_AT);
  // It detects cursors that were cut or edited, and is no signature, because a cursor grants no access.
  const checksum = fingerprintOf(hashOf(checked)).toString(36).padStart(FINGERPRINT_WIDTH, '0');
  if (text.slice(CHECKSUM_AT) !== checksum) throw malformed();
  const [version = '', ofScope, total, size, key, index, createdAtMs, ...sides] =
    checked.split('.');
  const parseSides = sideParsers.get(version);
  if (parseSides === undefined) throw malformed();
  if (ofScope !== scope) throw badUserInput('The cursor belongs to another account, from or to.');
  const cursor: Cursor = {
    total: parseCount(total),
    size: parseCount(size),
    key: parseCount(key),
    index: parseCount(index),
    createdAtMs: parseOptional(createdAtMs),
    ...parseSides(sides),
  };
  if (cursor.total > MAX_TOTAL || cursor.index >= cursor.total || cursor.size === 0) {
    throw malformed();
  }
  return cursor;
}

type Sides = Pick<Cursor, 'newer' | 'older'>;

/** The parser of the neighbours' names, by version of the cursor. */
const sideParsers: ReadonlyMap<string, (parts: readonly string[]) => Sides> = new Map([
  ['1', parseSidesOfVersion1],
  ['2', parseSidesOfVersion2],
]);

/**
 * Two parts, newer and older: the number of ties, whether these are all (`a`) or some (`s`), and
 * the fingerprints.
 */
function parseSidesOfVersion2([newer = '', older = '', end, ...rest]: readonly string[]): Sides {
  if (end !== '' || rest.length > 0) throw malformed();
  return { newer: parseNames(newer), older: parseNames(older) };
}

function parseNames(text: string): NamedRows {
  if (!/^[0-9a-z][as](?:[0-9a-z]{5})*$/.test(text)) throw malformed();
  const names = {
    fingerprints: parseFingerprints(text.slice(2)),
    ties: parseInt(text.charAt(0), 36),
    complete: text.charAt(1) === 'a',
  };
  if (names.ties > names.fingerprints.length) throw malformed();
  return names;
}

/**
 * Three parts: the newer neighbour, the older neighbour, and the ties on one side with the nearest
 * last: all newer ones (n), all older ones (o), or some of either (s, t).
 */
function parseSidesOfVersion1([newer, older, ties = '', end, ...rest]: readonly string[]): Sides {
  if (end !== '' || rest.length > 0 || !/^[nost](?:[0-9a-z]{5}){0,34}$/.test(ties)) {
    throw malformed();
  }
  const letter = ties.charAt(0);
  const listed = parseFingerprints(ties.slice(1)).reverse();
  const isNewer = letter === 'n' || letter === 's';
  const complete = letter === 'n' || letter === 'o';
  const side = (neighbour: number | null, isListed: boolean): NamedRows =>
    isListed && listed.length > 0
      ? { fingerprints: listed, ties: listed.length, complete }
      : {
          fingerprints: neighbour === null ? [] : [neighbour],
          ties: 0,
          complete: isListed && complete,
        };
  return {
    newer: side(parseOptional(newer), isNewer),
    older: side(parseOptional(older), !isNewer),
  };
}

function parseFingerprints(text: string): number[] {
  return (text.match(/.{5}/g) ?? []).map((fingerprint) => parseInt(fingerprint, 36));
}

function parseCount(text = ''): number {
  const value = /^[0-9a-z]{1,11}$/.test(text) ? parseInt(text, 36) : NaN;
  if (!Number.isSafeInteger(value)) throw malformed();
  return value;
}

function parseOptional(text = ''): number | null {
  if (text === '') return null;
  return text.startsWith('-') ? -parseCount(text.slice(1)) : parseCount(text);
}

function malformed(): GatewayError {
  return badUserInput('The cursor is malformed: use one as it was given, unchanged.');
}
