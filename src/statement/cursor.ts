// All that is known about cursors: what one holds, how it is written, what makes one unusable.
import { badUserInput, type GatewayError } from '../errors.ts';
import { CursorText, type WrittenCursors } from './cursor-text.ts';
import { hashOf, printOf } from '../upstream/row-key.ts';

/**
 * A place in a statement, as the client keeps it: the row it names and what is needed to notice that rows have moved
 * since, and to find the place again where the row itself is gone. See docs/paging.md.
 */
export interface Cursor {
  /** Key of the row (row-key.ts); `NO_KEY` where the service sent none that could be used. */
  readonly key: number;
  /** The row's index from the newest end, when the cursor was issued. */
  readonly index: number;
  /** The statement's totalItems then. */
  readonly total: number;
  /** The service's itemsPerPage then: a hint which page to read first. */
  readonly size: number;
  /** The row's createdAt in epoch milliseconds; null where it had none. */
  readonly createdAtMs: number | null;
  /** Print of the row next to it on the newer side; null where it was not seen or there was none. */
  readonly newer: number | null;
  /** The same on the older side. */
  readonly older: number | null;
  /** The rows that share its createdAt, as far as the walk had come. */
  readonly ties: Ties;
}

/** Rows of one createdAt on one side of a row: the service's order among them may change from read to read. */
export interface Ties {
  readonly side: 'newer' | 'older';
  /** Whether `prints` has every such row on that side. */
  readonly complete: boolean;
  readonly prints: readonly number[];
}

/** At most this many ties fit into a cursor of 256 characters; with more it says that it is not complete. */
export const MAX_TIES = 34;

const VERSION = '1';
/** The most that totalItems can be, a GraphQL Int: a larger total is made up, and would lead to pages that none has. */
const MAX_TOTAL = 2 ** 31 - 1;
const MAX_LENGTH = 256;
const PRINT_WIDTH = 5;
const PARTS = 11;

/** Which statement a cursor belongs to: an account between two dates. */
export function scopeOf(accountId: string, from: string | null, to: string | null): string {
  return hashOf(`${accountId}|${from ?? ''}|${to ?? ''}`).toString(36);
}

/**
 * Writes the cursors of one slice. Plain URL-safe text, numbers in base 36 separated by dots, a checksum last; what is
 * the same for all of them is written once.
 */
export class CursorWriter {
  readonly #text: CursorText;

  constructor(scope: string, total: number, size: number, count: number) {
    const head = `${VERSION}.${scope}.${total.toString(36)}.${size.toString(36)}.`;
    this.#text = new CursorText(head, count);
  }

  add({ key, index, createdAtMs, newer, older, ties }: Omit<Cursor, 'total' | 'size'>): void {
    this.#text
      .begin()
      .number(key)
      .number(index)
      .number(createdAtMs)
      .number(newer)
      .number(older)
      .prints(letterOf(ties), ties.prints)
      .finish();
  }

  /** All that were added, in their order. */
  get written(): WrittenCursors {
    return this.#text.written;
  }
}

/** Reads a cursor that was issued for `scope`; BAD_USER_INPUT for any other text. */
export function decodeCursor(text: string, scope: string): Cursor {
  const parts = checkedParts(text);
  if (parts[1] !== scope) {
    throw badUserInput('The cursor belongs to another account, from or to.');
  }
  const cursor: Cursor = {
    total: parseCount(parts[2]),
    size: parseCount(parts[3]),
    key: parseCount(parts[4]),
    index: parseCount(parts[5]),
    createdAtMs: parseOptional(parts[6]),
    newer: parseOptional(parts[7]),
    older: parseOptional(parts[8]),
    ties: parseTies(parts[9] ?? ''),
  };
  if (cursor.total > MAX_TOTAL || cursor.index >= cursor.total || cursor.size === 0) {
    throw malformed();
  }
  return cursor;
}

function checkedParts(text: string): string[] {
  const end = text.lastIndexOf('.') + 1;
  if (text.length > MAX_LENGTH || text.slice(end) !== checksum(text.slice(0, end))) {
    throw malformed();
  }
  const parts = text.split('.');
  if (parts.length !== PARTS || parts[0] !== VERSION) {
    throw malformed();
  }
  return parts;
}

function malformed(): GatewayError {
  return badUserInput('The cursor is malformed: use one as it was given, unchanged.');
}

/** Tells a cursor that was cut or edited; it is no signature, as a cursor grants nothing. */
function checksum(text: string): string {
  return pad(printOf(hashOf(text)));
}

function pad(print: number): string {
  return print.toString(36).padStart(PRINT_WIDTH, '0');
}

function parseCount(text = ''): number {
  const value = /^[0-9a-z]{1,11}$/.test(text) ? parseInt(text, 36) : NaN;
  if (!Number.isSafeInteger(value)) {
    throw malformed();
  }
  return value;
}

function parseOptional(text = ''): number | null {
  if (text === '') {
    return null;
  }
  return text.startsWith('-') ? -parseCount(text.slice(1)) : parseCount(text);
}

/** What a list of prints is, as its first letter: all newer ties, all older ones, or only some of either. */
const TIES_LETTERS = [
  { letter: 'n', side: 'newer', complete: true },
  { letter: 'o', side: 'older', complete: true },
  { letter: 's', side: 'newer', complete: false },
  { letter: 't', side: 'older', complete: false },
] as const;

function letterOf({ side, complete }: Ties): string {
  if (complete) return side === 'newer' ? 'n' : 'o';
  return side === 'newer' ? 's' : 't';
}

function parseTies(text: string): Ties {
  const kind = TIES_LETTERS.find(({ letter }) => text.startsWith(letter));
  if (kind === undefined || !/^.(?:[0-9a-z]{5}){0,34}$/.test(text)) {
    throw malformed();
  }
  const prints = text.slice(1).match(/.{5}/g) ?? [];
  return {
    side: kind.side,
    complete: kind.complete,
    prints: prints.map((print) => parseInt(print, 36)),
  };
}
