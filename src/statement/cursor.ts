// The content of cursors, and the decoding and validation of cursors from clients.
import { badUserInput, type GatewayError } from '../errors.ts';
import { fingerprintOf, hashText } from './row-key.ts';
import { hashOf } from '../json/text-hash.ts';

/** The content of a cursor: its row, and neighbours that show the row's place if the row is gone (docs/paging.md). */
export interface Cursor {
  /** The key of the row; `NO_KEY` if the service sent no usable id. */
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

/** The arguments that select the transactions of a statement: one account between two dates (yyyy-MM-dd). */
export interface StatementScope {
  readonly accountId: string;
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
}

/**
 * Returns a hash that identifies a statement. Every member of the scope counts, so that no argument can be forgotten; an
 * absent one does not, so that cursors stay valid if a release adds an argument.
 */
export function scopeOf({ accountId, from, to, ...others }: StatementScope): string {
  let text = `${accountId}|${from ?? ''}|${to ?? ''}`;
  for (const [name, value] of Object.entries<unknown>(others).sort()) {
    // In hex, because the hash ignores case.
    if (isGiven(value)) text += `|${name}=${Buffer.from(JSON.stringify(value)).toString('hex')}`;
  }
  return hashText(text);
}

export function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

const integer = '([0-9a-z]{1,11})\\.';
/** Version, scope, total, size, key, index, createdAt, and the two sides. Each part ends with a dot. */
const format = new RegExp(
  `^${CURSOR_VERSION}\\.([0-9a-z]*)\\.${integer.repeat(4)}(|-?[0-9a-z]{1,11})\\.(.*)\\.$`,
);

const side = '([0-9a-z])([as])((?:[0-9a-z]{5})*)';
/** For each side, the number of ties, a letter (a: all ties are named, s: some), and the fingerprints. */
const formatOfSides = new RegExp(`^${side}\\.${side}(\\.${REORDERED})?$`);

/** Decodes a cursor; throws BAD_USER_INPUT if the cursor is malformed or was issued for another scope. */
export function decodeCursor(text: string, scope: string): Cursor {
  if (text.length > MAX_LENGTH) throw malformed();
  const checked = text.slice(0, -FINGERPRINT_WIDTH);
  // The checksum detects cursors that were cut or edited. It is not a signature, because a cursor grants no access.
  const checksum = fingerprintOf(hashOf(checked)).toString(36).padStart(FINGERPRINT_WIDTH, '0');
  const parts = text.slice(-FINGERPRINT_WIDTH) === checksum ? format.exec(checked) : null;
  if (parts === null) throw malformed();
  const [, ofScope] = parts;
  if (ofScope !== scope) throw badUserInput('The cursor belongs to another account, from or to.');
  const [total = 0, size = 0, key = 0, index = 0] = parts.slice(2, 6).map(parseInteger);
  const [createdAt = '', sides = ''] = parts.slice(6);
  const cursor: Cursor = {
    ...{ total, size, key, index },
    createdAtMs: createdAt === '' ? null : parseInteger(createdAt),
    ...parseSides(sides),
  };
  const isForged = cursor.total > MAX_TOTAL || cursor.index >= cursor.total || cursor.size === 0;
  if (isForged) throw malformed();
  return cursor;
}

type Sides = Pick<Cursor, 'newer' | 'older' | 'isReordered'>;

function parseSides(text: string): Sides {
  const parts = formatOfSides.exec(text) ?? [];
  const sideAt = (at: number): NamedRows => {
    const [ties, fingerprints] = [parseInt(parts[at] ?? '', 36), parseFingerprints(parts[at + 2])];
    // NaN, too, is not up to the length.
    if (!(ties <= fingerprints.length)) throw malformed();
    return { fingerprints, ties, complete: parts[at + 1] === 'a' };
  };
  return { newer: sideAt(1), older: sideAt(4), isReordered: parts[7] !== undefined };
}

function parseFingerprints(text = ''): number[] {
  const fingerprints: number[] = [];
  for (let at = 0; at < text.length; at += FINGERPRINT_WIDTH)
    fingerprints.push(parseInt(text.slice(at, at + FINGERPRINT_WIDTH), 36));
  return fingerprints;
}

function parseInteger(text: string): number {
  const value = parseInt(text, 36);
  if (!Number.isSafeInteger(value)) throw malformed();
  return value;
}

function malformed(): GatewayError {
  return badUserInput('The cursor is malformed: use one as it was given, unchanged.');
}
