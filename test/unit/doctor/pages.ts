// Pages for tests of the doctor.
import type { Page, PageAsk, PageReply, Row, Statement } from '../../../doctor/pages.ts';

/** Rows with these keys, each a second older than the one before. */
export function rowsOf(...keys: readonly number[]): Row[] {
  return keys.map((key) => ({ key, createdAtMs: 1_000_000 - key * 1000, content: `${key}` }));
}

export function pageOf(rows: readonly Row[], page: Partial<Page> = {}): Page {
  return {
    totalItems: rows.length,
    itemsPerPage: 20,
    currentPage: 0,
    totalPages: 1,
    rows,
    ...page,
  };
}

export function replyOf(page: Page | null, status: PageReply['status'] = 200): PageReply {
  return { status, page, reason: page === null ? `status ${status}` : '' };
}

/** A statement whose pages `pageFor` returns; null is a status 400. */
export function statementOf(pageFor: (ask: PageAsk) => Page | null): Statement {
  return {
    read(ask) {
      const page = pageFor(ask);
      return Promise.resolve(replyOf(page, page === null ? 400 : 200));
    },
  };
}
