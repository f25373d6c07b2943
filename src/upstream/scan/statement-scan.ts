// Scans a statement page byte by byte, if it is exactly as the service documents it (docs/service.md).
import { braces, brackets, JsonReader, unexpected, valueKinds } from '../../json/json-reader.ts';
import { Literal } from '../../json/literal.ts';
import type { Places } from '../../json/source-object.ts';
import { SourceText } from '../../json/source-text.ts';
import type { AnswerObserver } from '../observer.ts';
import { rowKeyIn } from '../shape/row-key.ts';
import {
  paginationFields,
  type StatementPage,
  type StatementRow,
  type Transaction,
} from '../shape/shapes.ts';
import { transactionLayout, TransactionSource } from './sources.ts';
import { timestampMsAt } from '../shape/timestamp.ts';

/**
 * Reads a page; null for anything that is not as documented, or not as it is usually written: a value of another type, an
 * escape, an exponent, a repeated key. That is left to `parseStatementPage`, which reports what is wrong, if anything is.
 * Both give the same result for a page. `utf8` must be valid UTF-8.
 */
export function scanStatementPage(utf8: Buffer, observer?: AnswerObserver): StatementPage | null {
  try {
    return new PageScanner(utf8, observer).page();
  } catch (error) {
    if (error === unexpected) return null;
    throw error;
  }
}

/** A page with more rows is valid too, but does not have to be fast. */
const maxRows = 200;

/** The largest GraphQL Int. */
const maxCount = 2 ** 31 - 1;

const pageKeys = keysOf(['data', 'pagination']);
const countKeys = keysOf(Object.keys(paginationFields));

function keysOf(names: readonly string[]): readonly Literal[] {
  return names.map((name) => new Literal(`"${name}"`));
}

const { size } = transactionLayout;

/** The places of the values of a page while it is read; reused for the next page, because growing a list is expensive. */
const placesOfRows: number[] = Array.from({ length: maxRows * size }, () => 0);

class PageScanner {
  readonly #observer: AnswerObserver | undefined;
  readonly #json: JsonReader;
  readonly #text: SourceText;
  #rows: readonly StatementRow[] | null = null;

  constructor(utf8: Buffer, observer: AnswerObserver | undefined) {
    this.#observer = observer;
    this.#text = new SourceText(utf8);
    this.#json = new JsonReader(this.#text);
  }

  page(): StatementPage {
    const json = this.#json;
    let counts: number[] | null = null;
    if (!json.enter(braces)) throw unexpected;
    do {
      const key = json.key(pageKeys, this.#rows === null ? 0 : 1);
      if (key === 0 && this.#rows === null) this.#rows = this.#readRows();
      else if (key === 1 && counts === null) counts = this.#readCounts();
      else throw unexpected;
    } while (json.goOn(braces));
    json.finish();
    const [totalItems = -1, currentPage = -1, itemsPerPage = -1] = counts ?? [];
    const rows = this.#rows;
    if (rows === null || totalItems < 0 || currentPage < 0 || itemsPerPage < 1) throw unexpected;
    return { totalItems, currentPage, itemsPerPage, rows };
  }

  #readCounts(): number[] {
    const json = this.#json;
    const counts = [-1, -1, -1];
    if (!json.enter(braces)) throw unexpected;
    do {
      const key = json.key(countKeys, 0);
      const kind = json.value();
      if (key < 0) continue;
      const count = wholeAt(this.#text.bytes, json.start, json.end);
      if (kind !== valueKinds.whole || counts[key] !== -1 || count > maxCount) throw unexpected;
      counts[key] = count;
    } while (json.goOn(braces));
    return counts;
  }

  #readRows(): readonly StatementRow[] {
    const json = this.#json;
    const text = this.#text;
    if (!json.enter(brackets)) return [];
    let count = 0;
    do {
      if (count === maxRows) throw unexpected;
      transactionLayout.read(json, text, placesOfRows, count * size, this.#observer);
      count++;
    } while (json.goOn(brackets));
    const places = placesOfRows.slice(0, count * size);
    const rows: StatementRow[] = [];
    for (let row = 0; row < count; row++) rows.push(new Row(text, places, row * size));
    return rows;
  }
}

const idAt = 2 * transactionLayout.shape.fieldOf('id');
const createdAt = 2 * transactionLayout.shape.fieldOf('createdAt');

class Row implements StatementRow {
  readonly key: number;
  readonly createdAtMs: number | null;
  readonly node: Transaction;

  constructor(text: SourceText, places: Places, first: number) {
    const { bytes } = text;
    const [start, end] = [places[first + idAt] ?? 0, places[first + idAt + 1] ?? 0];
    this.key = rowKeyIn(text, start + 1, end - 1);
    this.createdAtMs = instantAt(
      bytes,
      places[first + createdAt] ?? 0,
      places[first + createdAt + 1] ?? 0,
    );
    this.node = new TransactionSource(text, places, first);
  }

  get id(): string {
    return this.node.id;
  }
}

/** The number that the digits of a JSON number make; below zero if it has a minus sign. */
function wholeAt(utf8: Uint8Array, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at++) number = number * 10 + (utf8[at] ?? 0) - zero;
  return number;
}

const zero = 0x30;

function instantAt(utf8: Buffer, start: number, end: number): number | null {
  if (start === 0) return null;
  const ms = timestampMsAt(utf8, start + 1, end - 1);
  if (ms === null) throw unexpected;
  return ms;
}
