// A statement page read byte by byte, where it is just as the service documents it (upstream.md 2.7, 2.8).
import { braces, brackets, JsonBytes, unexpected, type ValueKind } from './json-bytes.ts';
import {
  fieldCount,
  fieldNames,
  fieldNumbers,
  type PageText,
  TextTransaction,
} from './page-text.ts';
import type { StatementPage, StatementRow } from './shapes.ts';
import { timestampMsAt } from './timestamp.ts';

/**
 * Reads a page; null for anything that is not as documented, or not as it is mostly written: a value of another type, an
 * escape, an exponent, a key twice. That is for `parseStatementPage`, which says what is wrong with it, if anything is.
 * What this gives is what that would give. `utf8` must be valid UTF-8.
 */
export function scanStatementPage(utf8: Buffer): StatementPage | null {
  try {
    return new PageScanner(utf8).page();
  } catch (error) {
    if (error === unexpected) return null;
    throw error;
  }
}

/** A page of more rows is as good, but nothing that has to be fast. */
const maxRows = 200;

/** The largest GraphQL Int. */
const maxCount = 2 ** 31 - 1;

const pageKeys = keysOf(['data', 'pagination']);
const countKeys = keysOf(['totalItems', 'currentPage', 'itemsPerPage']);
const rowKeys = keysOf(fieldNames);
const statuses: ReadonlySet<string> = new Set(['"DONE"', '"PROCESSING"', '"CANCELED"', '"ERROR"']);

function keysOf(names: readonly string[]): readonly Uint8Array[] {
  return names.map((name) => Buffer.from(`"${name}"`));
}

class PageScanner {
  readonly #json: JsonBytes;
  readonly #page: PageText & { readonly places: number[] };
  readonly #rows: StatementRow[] = [];

  constructor(utf8: Buffer) {
    this.#json = new JsonBytes(utf8);
    this.#page = { text: utf8.toString('latin1'), places: [] };
  }

  page(): StatementPage {
    const json = this.#json;
    let counts: number[] | null = null;
    let hasRows = false;
    json.enter(braces);
    do {
      const key = json.key(pageKeys, hasRows ? 1 : 0);
      if (key === 0 && !hasRows) hasRows = this.#readRows();
      else if (key === 1 && counts === null) counts = this.#counts();
      else throw unexpected;
    } while (json.goOn(braces));
    json.finish();
    const [totalItems = -1, currentPage = -1, itemsPerPage = -1] = counts ?? [];
    if (!hasRows || totalItems < 0 || currentPage < 0 || itemsPerPage < 1) throw unexpected;
    return { totalItems, currentPage, itemsPerPage, rows: this.#rows };
  }

  #counts(): number[] {
    const json = this.#json;
    const counts = [-1, -1, -1];
    if (!json.enter(braces)) throw unexpected;
    do {
      const key = json.key(countKeys, 0);
      const kind = json.value();
      if (key < 0) continue;
      const count = Number(this.#page.text.slice(json.start, json.end));
      if (kind !== 'whole' || counts[key] !== -1 || count > maxCount) throw unexpected;
      counts[key] = count;
    } while (json.goOn(braces));
    return counts;
  }

  #readRows(): true {
    const json = this.#json;
    if (!json.enter(brackets)) return true;
    do this.#rows.push(this.#row(this.#rows.length));
    while (json.goOn(brackets));
    return true;
  }

  #row(row: number): StatementRow {
    const json = this.#json;
    const { places } = this.#page;
    const first = places.length;
    if (row === maxRows || !json.enter(braces)) throw unexpected;
    for (let i = 0; i < fieldCount * 2; i++) places.push(0);
    let likely = 0;
    do {
      const field = json.key(rowKeys, likely);
      const kind = json.value();
      if (field >= 0) this.#keep(field, first + field * 2, kind);
      likely = field + 1 < fieldCount ? field + 1 : 0;
    } while (json.goOn(braces));
    return this.#rowAt(row, first);
  }

  #keep(field: number, place: number, kind: ValueKind): void {
    const { start, end } = this.#json;
    const { text, places } = this.#page;
    if (places[place] !== 0) throw unexpected;
    if (kind === 'null') return;
    if (!isGood[field]?.(kind, text, start, end)) throw unexpected;
    places[place] = start;
    places[place + 1] = end;
  }

  #rowAt(row: number, first: number): StatementRow {
    const { text, places } = this.#page;
    const idAt = first + fieldNumbers.id * 2;
    const [idStart = 0, idEnd = 0] = [places[idAt], places[idAt + 1]];
    // Neither is none, nor an empty one, good enough.
    if (idEnd - idStart <= 2) throw unexpected;
    const id = text.slice(idStart + 1, idEnd - 1);
    const createdAt = first + fieldNumbers.createdAt * 2;
    const createdAtMs = this.#instant(places[createdAt] ?? 0, places[createdAt + 1] ?? 0);
    return { id, createdAtMs, node: new TextTransaction(this.#page, row) };
  }

  #instant(start: number, end: number): number | null {
    if (start === 0) return null;
    const ms = timestampMsAt(this.#page.text, start + 1, end - 1);
    if (ms === null) throw unexpected;
    return ms;
  }
}

type Check = (kind: ValueKind, text: string, start: number, end: number) => boolean;

const isText: Check = (kind) => kind === 'ascii' || kind === 'string';
const isAscii: Check = (kind) => kind === 'ascii';

/** By the number of a field: whether a value of this kind, between these places, is what the field shows as it stands. */
const isGood: readonly Check[] = fieldNames.map((name) => {
  const check: Partial<Record<typeof name, Check>> = {
    id: isAscii,
    // What is below zero is for the other way to judge; so is zero with a sign.
    amount: (kind, text, start) =>
      (kind === 'whole' || kind === 'number') && !text.startsWith('-', start),
    status: (_kind, text, start, end) => statuses.has(text.slice(start, end)),
    credit: (kind) => kind === 'boolean',
    createdAt: isAscii,
  };
  return check[name] ?? isText;
});
