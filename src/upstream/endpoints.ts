// The service's endpoints (docs/service.md). The client, the labels of metrics, the spans, the doctor and docs/mapping.md
// are made from this table: to add an endpoint, add a row.
import type { ErrorCode } from '../errors.ts';
import { observeFailure, observePage, observeProfile } from './answer-observer.ts';
import type { AnswerObserver } from './observer.ts';
import { scanProfile } from './scan/profile-scan.ts';
import { scanStatementPage } from './scan/statement-scan.ts';
import type { FieldTable } from './shape/field-types.ts';
import { parseCompany, parsePerson } from './shape/profile-shape.ts';
import {
  accountFields,
  addressFields,
  holderFields,
  individualFields,
  paginationFields,
  type Profile,
  type StatementPage,
  transactionFields,
} from './shape/shapes.ts';
import { parseStatementPage } from './shape/statement-shape.ts';

/** A row: `Ask` is what a call asks for, and `T` the checked answer. */
interface Row<Ask, T> {
  /** Its name in logs, metrics and `extensions`. */
  readonly route: string;
  /** Its path, as spans and documents show it. */
  readonly template: string;
  /** Path and query, below the base address. */
  readonly path: (ask: Ask) => string;
  /** The page of a statement, for observers. */
  readonly pageOf?: (ask: Ask) => number;
  /** The code for a 404. */
  readonly notFound: ErrorCode;
  /** Reads an answer that is exactly as documented, as most are, in a third of the time of `parse`; null for any other. */
  readonly scan: (utf8: Buffer) => T | null;
  readonly parse: (text: string) => T;
  /** Reports the violations and the values of open sets in an answer. */
  readonly observe: (answer: T, observer: AnswerObserver) => void;
  /** The objects of the answer, by their place in it; the elements of a list are at `[]`. */
  readonly objects: Readonly<Record<string, AnswerObject>>;
  /** The other documented names, by their place; '' for the answer itself. */
  readonly otherNames: Readonly<Record<string, readonly string[]>>;
}

export interface Endpoint<Ask, T> extends Omit<Row<Ask, T>, 'scan' | 'parse' | 'observe'> {
  /** Reads an answer and reports to the observer. */
  readonly read: (utf8: Buffer, observer: AnswerObserver) => T;
  /** The same for a text and by parsing alone; a violation of the whole answer is thrown, not reported. */
  readonly check: (text: string, observer: AnswerObserver) => void;
}

/** An object of an answer; the texts are for docs/mapping.md. */
interface AnswerObject {
  readonly fields: FieldTable;
  /** The type of the schema that shows it. */
  readonly type: string;
  /** Which ids are violations, if not only those that are absent or empty. */
  readonly badId?: string;
  /** What becomes null without a usable id. */
  readonly withoutId: string;
}

/** A page of a statement. */
interface StatementAsk {
  readonly accountId: string;
  /** yyyy-MM-dd */
  readonly from: string | null;
  /** yyyy-MM-dd */
  readonly to: string | null;
  /** As the service counts, from UPSTREAM_PAGE_BASE. */
  readonly page: number;
}

const accounts: AnswerObject = {
  fields: accountFields,
  type: 'Account',
  badId: 'absent or not a string of 8-4-4-4-12 hex digits, as it becomes a part of a path',
  withoutId: 'this element of the list is null',
};

const person: Endpoint<void, Profile> = endpoint({
  route: 'persons',
  template: '/persons',
  path: () => '/persons',
  notFound: 'UPSTREAM_REJECTED',
  scan: (utf8) => scanProfile('PERSON', utf8),
  parse: parsePerson,
  observe: observeProfile,
  objects: {
    person: { fields: holderFields, type: 'Person', withoutId: '`Query.me` is null' },
    individual: {
      fields: individualFields,
      type: 'Individual',
      withoutId: '`Person.individual` is null',
    },
    address: { fields: addressFields, type: 'Address', withoutId: '`Person.address` is null' },
    'accounts[]': accounts,
  },
  otherNames: { '': ['person', 'individual', 'address', 'accounts'] },
});

const company: Endpoint<void, Profile> = endpoint({
  route: 'companies',
  template: '/companies',
  path: () => '/companies',
  notFound: 'UPSTREAM_REJECTED',
  scan: (utf8) => scanProfile('COMPANY', utf8),
  parse: parseCompany,
  observe: observeProfile,
  objects: {
    entity: { fields: holderFields, type: 'Company', withoutId: '`Query.me` is null' },
    'accounts[]': accounts,
  },
  otherNames: { '': ['token', 'entityType', 'entity', 'accounts'] },
});

const statementPage = endpoint<StatementAsk, StatementPage>({
  route: 'transactions',
  template: '/accounts/{accountId}/transactions',
  path({ accountId, from, to, page }) {
    const start = from === null ? '' : `&startDate=${encodeURIComponent(from)}`;
    const end = to === null ? '' : `&endDate=${encodeURIComponent(to)}`;
    return `/accounts/${encodeURIComponent(accountId)}/transactions?page=${page}${start}${end}`;
  },
  pageOf: ({ page }) => page,
  notFound: 'NOT_FOUND',
  scan: scanStatementPage,
  parse: parseStatementPage,
  observe: observePage,
  objects: {
    'data[]': {
      fields: transactionFields,
      type: 'Transaction',
      withoutId: 'the `node` is null; its edge and cursor stand',
    },
  },
  otherNames: {
    '': ['data', 'pagination'],
    pagination: [...Object.keys(paginationFields), 'totalPages'],
  },
});

/** By the name of the client's method. */
export const endpoints = { person, company, statementPage };

function endpoint<Ask, T>({ scan, parse, observe, ...row }: Row<Ask, T>): Endpoint<Ask, T> {
  return {
    ...row,
    read(utf8, observer) {
      try {
        const answer = scan(utf8) ?? parse(utf8.toString());
        observe(answer, observer);
        return answer;
      } catch (error) {
        observeFailure(error, observer);
        throw error;
      }
    },
    check: (text, observer) => observe(parse(text), observer),
  };
}
