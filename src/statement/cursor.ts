// The content of cursors, and the decoding and validation of cursors from clients.
import { badUserInput, type GatewayError } from '../errors.ts';
import { fingerprintOf, hashOf, hashText } from '../upstream/shape/row-key.ts';

/** The content of a cursor: its row, and neighbours that show the row's place if the row is gone (docs/paging.md). */
export interface Cursor {
  /** The row's key (row-key.ts); `NO_KEY` if the service sent no usable id. */
  readonly key: number;
  /** The row's index from the newest end when the cursor was issued. */
  readonly index: number;
  /** totalItems when the cursor was issued. */
  readonly total: number;
  /** itemsPerPage when the cursor was issued: it determines the page to read first. */
  readonly size: number;
  /** The row's createdAt in epoch milliseconds; null if absent, or if the rows read were not in createdAt order. */
  readonly createdAtMs: number | null;
  readonly newer: NamedRows;
  readonly older: NamedRows;
  /** Whether ties had been seen to change their order when the cursor was issued, in its slice or earlier in the walk. */
  readonly isReordered: boolean;
}

/** The rows that a cursor names on one side of its row. */
export interface NamedRows {
  /** The fingerprint of each row, the nearest first; `NO_KEY` for a row without a usable id. */
  readonly fingerprints: readonly number[];
  /** The number of named rows, counted from the nearest, that have the same createdAt as the cursor's row. */
  readonly ties: number;
  /** Whether all ties of the cursor's row on that side are named. */
  readonly complete: boolean;
}

/** The largest numbers of rows named before and after a cursor's row on a walk: no cursor then exceeds `MAX_LENGTH`. */
export const MAX_BEHIND = 30;
export const MAX_AHEAD = 6;

export const CURSOR_VERSION = '2';
/** The last part of a cursor, if ties have changed their order. */
export const REORDERED = 'r';
/** The number of base-36 digits of a fingerprint, and of the checksum at the end of a cursor. */
export const FINGERPRINT_WIDTH = 5;

/** The largest totalItems (a GraphQL Int). A cursor with a larger total is forged. */
const MAX_TOTAL = 2 ** 31 - 1;
/** The largest length of a cursor. */
export const MAX_LENGTH = 256;

/** Returns a hash that identifies the statement of a cursor: an account between two dates. */
export function scopeOf(accountId: string, from: string | null, to: string | null): string {
  return hashText(`${accountId}|${from ?? ''}|${to ?? ''}`);
}

/** Decodes a cursor; throws BAD_USER_INPUT if the cursor is malformed or was issued for another scope. */
export function decodeCursor(text: string, scope: string): Cursor {
  if (text.length > MAX_LENGTH) throw malformed();
  const checked = text.slice(0, -FINGERPRINT_WIDTH);
  // The checksum detects cursors that were cut or edited. It is not a signature, because a cursor grants no access.
  const checksum = fingerprintOf(hashOf(checked)).toString(36).padStart(FINGERPRINT_WIDTH, '0');
  if (text.slice(-FINGERPRINT_WIDTH) !== checksum) throw malformed();
  const [version = '', ofScope, total, size, key, index, createdAt, ...sides] = checked.split('.');
  if (ofScope !== scope) throw badUserInput('The cursor belongs to another account, from or to.');
  const cursor: Cursor = {
    total: parseCount(total),
    size: parseCount(size),
    key: parseCount(key),
    index: parseCount(index),
    createdAtMs: parseOptional(createdAt),
    ...parseSides(version, sides),
    isReordered: sides[2] === REORDERED,
  };
  const isForged = cursor.total > MAX_TOTAL || cursor.index >= cursor.total || cursor.size === 0;
  if (isForged) throw malformed();
  return cursor;
}

type Sides = Pick<Cursor, 'newer' | 'older'>;

/** Parses the parts after createdAt. Each part ends with a dot, so the last string is empty. */
function parseSides(version: string, parts: readonly string[]): Sides {
  if (parts.at(-1) !== '') throw malformed();
  const [newer = '', older = '', ties = ''] = parts;
  if (version === CURSOR_VERSION && parts.length === (ties === REORDERED ? 4 : 3)) {
    return { newer: parseNames(newer), older: parseNames(older) };
  }
  if (version === '1' && parts.length === 4) return parseSidesOfVersion1(newer, older, ties);
  throw malformed();
}

/** Parses one side: the number of ties, a letter (a: all ties are named, s: some), and the fingerprints. */
function parseNames(text: string): NamedRows {
  if (!/^[0-9a-z][as](?:[0-9a-z]{5})*$/.test(text)) throw malformed();
  const fingerprints = parseFingerprints(text.slice(2));
  const ties = parseInt(text.charAt(0), 36);
  if (ties > fingerprints.length) throw malformed();
  return { fingerprints, ties, complete: text.charAt(1) === 'a' };
}

/** `ties` is a letter (n all newer ties, o all older, s some newer, t some older) and fingerprints, nearest last. */
function parseSidesOfVersion1(newer: string, older: string, ties: string): Sides {
  const format = /^[0-9a-z]{0,5}\.[0-9a-z]{0,5}\.[nost](?:[0-9a-z]{5}){0,34}$/;
  if (!format.test(`${newer}.${older}.${ties}`)) throw malformed();
  const listed = parseFingerprints(ties.slice(1)).reverse();
  const side = (neighbour: string, letters: string): NamedRows => {
    const complete = ties.startsWith(letters.charAt(0));
    if (listed.length > 0 && letters.includes(ties.charAt(0))) {
      return { fingerprints: listed, ties: listed.length, complete };
    }
    return { fingerprints: neighbour === '' ? [] : [parseInt(neighbour, 36)], ties: 0, complete };
  };
  return { newer: side(newer, 'ns'), older: side(older, 'ot') };
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
