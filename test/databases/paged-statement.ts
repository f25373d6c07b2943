// A statement in a database, and the ways in which back ends page it.
import type { Database, DatabaseRow } from '../support/databases.ts';
import type { RestAnswer } from '../support/rest-service.ts';
import { createRandom, type Random } from '../walk/random.ts';

/** A way to page. */
export interface Paging {
  /** Whether rows with one createdAt are sorted by id. */
  readonly isTieBroken: boolean;
  /** The columns of the index; none if the table has only its primary key. */
  readonly index: '' | 'account, created_at' | 'account, created_at, id';
  /** The total is counted in a query before or after that of the page, or in the query of the page itself. */
  readonly counts: 'before' | 'after' | 'over';
  /** createdAt is truncated to this many milliseconds. */
  readonly precisionMs: number;
}

const account = 7;
const accounts = 12;
const rowsOfAccount = 390;
export const pageSize = 20;
const minute = 60_000;

/** The statement of one account, in a table with those of other accounts. */
export class PagedStatement {
  readonly paging: Paging;
  readonly #database: Database;
  readonly #random: Random;
  #now = Date.UTC(2026, 0, 5, 12);
  #ids = 0;
  #last: Promise<unknown> = Promise.resolve();
  /** Called before a page is read, and between its two queries. */
  beforePage: () => Promise<void> = () => Promise.resolve();
  betweenQueries: () => Promise<void> = () => Promise.resolve();

  private constructor(database: Database, paging: Paging) {
    [this.#database, this.paging] = [database, paging];
    this.#random = createRandom(JSON.stringify(paging));
  }

  /** Creates the table with 390 rows of the account, in batches of up to 12 with one createdAt. */
  static async create(database: Database, paging: Paging): Promise<PagedStatement> {
    const statement = new PagedStatement(database, paging);
    await database.run('drop table if exists entries');
    await database.run(
      'create table entries (id char(36) primary key, account int, amount decimal(12, 2), created_at timestamp(3) not null)',
    );
    if (paging.index !== '') {
      await database.run(`create index by_time on entries (${paging.index})`);
    }
    const rows: string[] = [];
    for (let left = rowsOfAccount; left > 0;) {
      const batch = Math.min(left, statement.#random.integer(1, 12));
      for (let of = 0; of < accounts; of++) rows.push(...statement.#batch(of, batch));
      left -= batch;
    }
    await statement.#insert(rows);
    const analyze = { PostgreSQL: 'analyze entries', MariaDB: 'analyze table entries' };
    await database.run(analyze[database.name]);
    return statement;
  }

  /** Posts a PIX with its fee. */
  async postPair(): Promise<void> {
    await this.#insert(this.#batch(account, 2));
  }

  /** Posts a row whose createdAt is up to a day ago. */
  async postLate(): Promise<void> {
    const ago = this.#random.integer(minute, 24 * 60 * minute);
    await this.#insert([this.#row(account, this.#now - ago)]);
  }

  async remove(): Promise<void> {
    const ids = await this.ids();
    const id = ids[this.#random.integer(0, ids.length - 1)] ?? '';
    await this.#database.run(`delete from entries where id = '${id}'`);
  }

  async ids(): Promise<string[]> {
    const rows = await this.#database.run(`select id from entries where account = ${account}`);
    return rows.map(({ id }) => String(id));
  }

  /** The ids that all pages show now, in order. */
  async allShown(): Promise<string[]> {
    const ids: string[] = [];
    for (let page = 0; ; page++) {
      const { rows } = await this.#read(page);
      if (rows.length === 0) return ids;
      ids.push(...rows.map(({ id }) => String(id)));
    }
  }

  /** Answers one page after another, so that what is written before a page is not written between the queries of another. */
  answer(page: number): Promise<RestAnswer> {
    const answer = this.#last.then(() => this.#answer(page));
    this.#last = answer;
    return answer;
  }

  async #answer(page: number): Promise<RestAnswer> {
    await this.beforePage();
    const { rows, total } = await this.#read(page);
    const data = rows.map(({ id, amount, at }) => ({
      ...{ id, amount: Number(amount), type: 'PIX', credit: false, status: 'DONE' },
      createdAt: `${String(at).trim().replace(' ', 'T')}Z`,
    }));
    const totalPages = Math.ceil(total / pageSize);
    const pagination = { totalItems: total, currentPage: page, itemsPerPage: pageSize, totalPages };
    return { status: 200, text: JSON.stringify({ data, pagination }) };
  }

  async #read(page: number): Promise<{ rows: readonly DatabaseRow[]; total: number }> {
    const { isTieBroken, counts } = this.paging;
    const over = counts === 'over' ? ', count(*) over () as total' : '';
    const order = `created_at desc${isTieBroken ? ', id desc' : ''}`;
    const pageSql = `select id, amount, cast(created_at as char(23)) as at${over} from entries where account = ${account} order by ${order} limit ${pageSize} offset ${page * pageSize}`;
    const countSql = `select count(*) as total from entries where account = ${account}`;
    if (counts === 'over') {
      const rows = await this.#database.run(pageSql);
      // Beyond the end there is no row to say how many there are.
      return { rows, total: Number(rows[0]?.['total'] ?? 0) };
    }
    const queries = counts === 'before' ? [countSql, pageSql] : [pageSql, countSql];
    const first = await this.#database.run(queries[0] ?? '');
    await this.betweenQueries();
    const second = await this.#database.run(queries[1] ?? '');
    const [[count], rows] = counts === 'before' ? [first, second] : [second, first];
    return { rows, total: Number(count?.['total']) };
  }

  /** New rows with one createdAt. */
  #batch(of: number, count: number): string[] {
    this.#now += this.#random.integer(1, of === account ? 120 * minute : minute);
    return Array.from({ length: count }, () => this.#row(of, this.#now));
  }

  #row(of: number, at: number): string {
    const createdAt = new Date(at - (at % this.paging.precisionMs)).toISOString();
    const chance = this.#random.integer(0, 0xffff_ffff).toString(16).padStart(8, '0');
    const id = `${chance}-53a5-4f4e-8d9b-${(++this.#ids).toString(16).padStart(12, '0')}`;
    return `('${id}', ${of}, ${this.#ids}.25, '${createdAt.replace('T', ' ').replace('Z', '')}')`;
  }

  async #insert(rows: readonly string[]): Promise<void> {
    await this.#database.run(
      `insert into entries (id, account, amount, created_at) values ${rows.join()}`,
    );
  }
}
