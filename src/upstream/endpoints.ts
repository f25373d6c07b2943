// The service's endpoints (docs/service.md). Calls, metrics, spans and docs/mapping.md are derived from this table.
import { ContractViolationError, type ErrorCode } from '../errors.ts';
import type { AnswerObserver } from './observer.ts';
import { parseProfile, scanProfile } from './answers/profile-answer.ts';
import { parseStatementPage, scanStatementPage } from './answers/statement-answer.ts';
import { AnswerCheck } from './shape/check.ts';
import type { FieldTable } from './shape/field-types.ts';
import {
  accountFields,
  addressFields,
  holderFields,
  individualFields,
  paginationFields,
  transactionFields,
} from './shape/shapes.ts';

interface Row<Path extends string, Query extends string, T> {
  /** The path below the base address, with its parameters in braces. */
  readonly path: Path;
  /** The parameters of the query, in the order in which they are sent. */
  readonly query: readonly Query[];
  readonly notFound: ErrorCode;
  /** Reads an answer in its usual form, three times as fast as `parse`; returns null for any other answer. */
  readonly scan?: (utf8: Buffer, observer: AnswerObserver) => T | null;
  readonly parse: (text: string, answer: AnswerCheck) => T;
  /** By their place in the answer, such as `person`, or `data[]` for the elements of a list. */
  readonly objects: Readonly<Record<string, AnswerObject>>;
  /** Documented members without a field in `fields`, by the place of their object; '' is the answer itself. */
  readonly otherNames?: Readonly<Record<string, readonly string[]>>;
}

/** An object of an answer. The GraphQL `type` and `withoutId` are for docs/mapping.md. */
interface AnswerObject {
  readonly fields: FieldTable;
  readonly type: string;
  /** The effect on the client's answer if the object has no usable id; absent if the object needs no id. */
  readonly withoutId?: string;
}

const accounts: AnswerObject = {
  fields: accountFields,
  type: 'Account',
  withoutId: 'this element of the list is null',
};

export const endpoints = {
  persons: endpoint({
    path: '/persons',
    query: [],
    notFound: 'UPSTREAM_REJECTED',
    scan: (utf8, observer) => scanProfile('PERSON', utf8, observer),
    parse: (text, answer) => parseProfile('PERSON', text, answer),
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
  }),
  companies: endpoint({
    path: '/companies',
    query: [],
    notFound: 'UPSTREAM_REJECTED',
    scan: (utf8, observer) => scanProfile('COMPANY', utf8, observer),
    parse: (text, answer) => parseProfile('COMPANY', text, answer),
    objects: {
      entity: { fields: holderFields, type: 'Company', withoutId: '`Query.me` is null' },
      'accounts[]': accounts,
    },
    otherNames: { '': ['token', 'entityType', 'entity', 'accounts'] },
  }),
  transactions: endpoint({
    path: '/accounts/{accountId}/transactions',
    query: ['page', 'startDate', 'endDate'],
    notFound: 'NOT_FOUND',
    scan: scanStatementPage,
    parse: parseStatementPage,
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
  }),
};

function endpoint<const Path extends string, const Query extends string, T>(
  row: Row<Path, Query, T>,
) {
  const { scan, parse, otherNames = {} } = row;
  return {
    ...row,
    otherNames,
    /** Throws UPSTREAM_CONTRACT_VIOLATION if the answer is unusable. The observer gets all violations. */
    read: (utf8: Buffer, observer: AnswerObserver): T => {
      const scanned = scan?.(utf8, observer) ?? null;
      if (scanned !== null) return scanned;
      const answer = new AnswerCheck(observer);
      try {
        return parse(utf8.toString(), answer);
      } catch (error) {
        if (error instanceof ContractViolationError) answer.violations.add(error);
        throw error;
      } finally {
        for (const { pointer } of answer.violations) observer.violation(pointer);
      }
    },
  };
}

type Endpoints = typeof endpoints;

export type UpstreamRoute = keyof Endpoints;

export type AnswerOf<Route extends UpstreamRoute> = ReturnType<Endpoints[Route]['parse']>;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The parameters of an endpoint: those of its path are required; those of its query may be left out or null. */
export type ParametersOf<Route extends UpstreamRoute> = Readonly<
  Record<NamesIn<Endpoints[Route]['path']>, string> &
    Partial<Record<Endpoints[Route]['query'][number], string | number | null>>
>;
