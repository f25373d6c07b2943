// The service's endpoints (docs/service.md). Calls, metrics, spans and docs/mapping.md are derived from this table.
import type { ErrorCode } from '../errors.ts';
import { answerReader, required } from './answers/answer-reader.ts';
import type { AnswerObject, AnswerObjects, Found } from './answers/answer-reader.ts';
import { statementRows } from './answers/statement-row.ts';
import type { Parsed } from './reads/read.ts';
import { AnswerCheck, type AnswerObserver, type Checked } from './shape/check.ts';
import * as shapes from './shape/shapes.ts';
import type { Profile, StatementPage } from './shape/shapes.ts';
import type { TimeZone } from './shape/time-zone.ts';

interface Row<Path extends string, Query extends string, Objects extends AnswerObjects, T> {
  /** The path below the base address, with its parameters in braces. */
  readonly path: Path;
  /** The parameters of the query, in the order in which they are sent. */
  readonly query: readonly Query[];
  readonly notFound: ErrorCode;
  readonly objects: Objects & Readonly<Record<string, DocumentedObject>>;
  /** Creates the answer from its objects; throws a violation if the answer is unusable. */
  readonly answerOf: (found: Found<Objects>, answer: AnswerCheck) => T;
  /** Documented members that are not read, by the path of their object in the answer; '' is the answer itself. */
  readonly otherNames?: Readonly<Record<string, readonly string[]>>;
}

/** The GraphQL `type` and `withoutId` are for docs/mapping.md, which leaves out objects without a type. */
interface DocumentedObject extends AnswerObject {
  readonly type?: string;
  /** The effect on the client's answer if the object has no usable id; absent if the object needs no id. */
  readonly withoutId?: string;
}

const accounts = {
  fields: shapes.accountFields,
  type: 'Account',
  withoutId: 'this element of the list is null',
};

export const endpoints = {
  persons: endpoint({
    path: '/persons',
    query: [],
    notFound: 'UPSTREAM_REJECTED',
    objects: {
      person: { fields: shapes.holderFields, type: 'Person', withoutId: '`Query.me` is null' },
      individual: {
        fields: shapes.individualFields,
        type: 'Individual',
        withoutId: '`Person.individual` is null',
        isNullIfEmpty: true,
      },
      address: {
        fields: shapes.addressFields,
        type: 'Address',
        withoutId: '`Person.address` is null',
        isNullIfEmpty: true,
      },
      'accounts[]': accounts,
    },
    answerOf: ({ person, individual, address, 'accounts[]': accounts }): Profile => ({
      kind: 'PERSON',
      holder: person,
      individual,
      address,
      accounts,
    }),
  }),
  companies: endpoint({
    path: '/companies',
    query: [],
    notFound: 'UPSTREAM_REJECTED',
    objects: {
      entity: { fields: shapes.holderFields, type: 'Company', withoutId: '`Query.me` is null' },
      'accounts[]': accounts,
    },
    answerOf: ({ entity, 'accounts[]': accounts }): Profile => ({
      kind: 'COMPANY',
      holder: entity,
      individual: null,
      address: null,
      accounts,
    }),
    otherNames: { '': ['token', 'entityType'] },
  }),
  transactions: endpoint({
    path: '/accounts/{accountId}/transactions',
    query: ['page', 'startDate', 'endDate'],
    notFound: 'NOT_FOUND',
    objects: {
      'data[]': {
        fields: shapes.transactionFields,
        items: statementRows,
        type: 'Transaction',
        withoutId: 'the `node` is null; its edge and cursor stand',
      },
      pagination: { fields: shapes.paginationFields },
    },
    answerOf: ({ 'data[]': data, pagination }, answer): StatementPage => {
      const rows = required(data ?? [], '/data', answer);
      const { totalItems, currentPage, itemsPerPage, totalPages } = required(
        pagination,
        '/pagination',
        answer,
      );
      return {
        totalItems,
        currentPage: numberOrNull(currentPage),
        itemsPerPage: numberOrNull(itemsPerPage),
        totalPages: numberOrNull(totalPages),
        rows,
      };
    },
  }),
};

function numberOrNull(value: Checked<number>): number | null {
  return typeof value === 'number' ? value : null;
}

function endpoint<
  const Path extends string,
  const Query extends string,
  const Objects extends AnswerObjects,
  T,
>(row: Row<Path, Query, Objects, T>) {
  const { objects, answerOf, otherNames = {} } = row;
  const readObjects = answerReader<Objects>(objects);
  return {
    ...row,
    otherNames,
    /** Reads an answer. Throws UPSTREAM_CONTRACT_VIOLATION if it is unusable. The observer gets the violations. */
    read: (utf8: Buffer, observer?: AnswerObserver, timeZone?: TimeZone | null): Parsed<T> => {
      const answer = new AnswerCheck(observer, timeZone);
      try {
        const value = answerOf(readObjects(utf8, answer), answer);
        return { value, bytes: memoryOf(utf8, answer) };
      } finally {
        for (const pointer of answer.violations) observer?.violation(pointer);
      }
    },
  };
}

/** The memory for an answer, for an object or a violation in it, and for a copied character, as measured. */
const [bytesPerAnswer, bytesPerObject, bytesPerCharacter] = [4096, 512, 2];

/** An estimate of the memory that an answer takes: its objects and its JSON, from which values are copied later. */
function memoryOf({ buffer }: Buffer, answer: AnswerCheck): number {
  const { objects, violations, length, gained, copiedBytes } = answer;
  const bytesOfObjects = bytesPerObject * (objects + violations.length) + copiedBytes;
  const characters = length + gained;
  return bytesPerAnswer + buffer.byteLength + bytesOfObjects + bytesPerCharacter * characters;
}

type Endpoints = typeof endpoints;

export type UpstreamRoute = keyof Endpoints;

export type AnswerOf<Route extends UpstreamRoute> = ReturnType<Endpoints[Route]['read']>['value'];

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The parameters of an endpoint. Path parameters are required; query parameters may be left out or null. */
export type ParametersOf<Route extends UpstreamRoute> = Readonly<
  Record<NamesIn<Endpoints[Route]['path']>, string> &
    Partial<Record<Endpoints[Route]['query'][number], string | number | null>>
>;
