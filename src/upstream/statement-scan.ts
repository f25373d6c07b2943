// A statement page read byte by byte, where it is just as the service documents it (upstream.md 2.7, 2.8).
import { braces, brackets, JsonBytes, unexpected, type ValueKind } from './json-bytes.ts';
import { fieldNames, fieldNumbers, newPlaces, type Places, TextTransaction } from './page-text.ts';
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
  readonly #text: string;
  readonly #rows: StatementRow[] = [];

  constructor(utf8: Buffer) {
    this.#json = new JsonBytes(utf8);
    this.#text = utf8.toString('latin1');
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
      const count = Number(this.#text.slice(json.start, json.end));
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
    const places = newPlaces();
    if (row === maxRows || !json.enter(braces)) throw unexpected;
    let likely = 0;
    do {
      const field = json.key(rowKeys, likely);
      const kind = json.value();
      if (field >= 0) this.#keep(places, field, kind);
      likely = field + 1;
    } while (json.goOn(braces));
    return this.#rowAt(places);
  }

  #keep(places: Places, field: number, kind: ValueKind): void {
    const { start, end } = this.#json;
    if (places[field * 2] !== 0) throw unexpected;
    if (kind === 'null') return;
    if (!isGood[field]?.(kind, this.#text, start, end)) throw unexpected;
    places[field * 2] = start;
    places[field * 2 + 1] = end;
  }

  #rowAt(places: Places): StatementRow {
    const [start = 0, end = 0] = [places[idPlace], places[idPlace + 1]];
    // Neither is none, nor an empty one, good enough.
    if (end - start <= 2) throw unexpected;
    return {
      id: this.#text.slice(start + 1, end - 1),
      createdAtMs: this.#instant(places[createdAtPlace] ?? 0, places[createdAtPlace + 1] ?? 0),
      node: new TextTransaction(this.#text, places),
    };
  }

  #instant(start: number, end: number): number | null {
    if (start === 0) return null;
    const ms = timestampMsAt(this.#text, start + 1, end - 1);
    if (ms === null) throw unexpected;
    return ms;
  }
}

const [idPlace, createdAtPlace] = [fieldNumbers.id * 2, fieldNumbers.createdAt * 2];

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
