// The services for walks: a statement in memory, read by the planner alone or, over HTTP, by a gateway.
import { PageNumbering } from '../../src/statement/page-numbering.ts';
import type { PageSource } from '../../src/statement/pages.ts';
import type { Slice, SliceArguments, Statements } from '../../src/statement/statement.ts';
import { CallBudget, UpstreamStatusError, type UpstreamCall } from '../../src/upstream/client.ts';
import { startTestGateway } from '../support/gateway.ts';
import { startRestService } from '../support/rest-service.ts';
import { createWalker, SliceError, type SliceQuery } from '../support/walker.ts';
import type { SliceAnswer } from './judge.ts';
import {
  type Entry,
  pageOf,
  type Sent,
  sentPage,
  serialOf,
  statementOf,
  type Statement,
  textOf,
} from './statement.ts';

/** How a service differs from an ideal one. */
export interface Manner {
  /** The number of the first page; 0 by default. */
  readonly base?: 0 | 1;
  /** The statement as a read shows it; with ties in another order, for example. */
  readonly shown?: (statement: Statement, read: Read) => Statement;
  /** What is sent instead of the page; a number is the status of an answer without a page. */
  readonly sends?: (sent: Sent, read: Read) => Sent | number;
  /** Whether ties change places, so that a row may be on two pages. */
  readonly reorders?: true;
  /** Whether a row is on no page, although it is counted. */
  readonly isHidden?: (entry: Entry) => boolean;
}

export interface Read {
  /** Counted from 0. */
  readonly page: number;
  /** The number of earlier reads since the walk began. */
  readonly nth: number;
  readonly statement: Statement;
  /** The states of the statement so far, earliest first. */
  readonly past: readonly Statement[];
  /** The number of reads that are not answered yet, including this one. */
  readonly underWay: number;
}

/** The interface of a service for walks. */
export interface Service {
  statement: Statement;
  manner: Manner;
  past: Statement[];
  /** The pages that the last call has read. */
  pages: number[];
  /** The states that the last call has read, in order. */
  states: Statement[];
  /** Called before each read is answered, with the number of earlier reads of the call. */
  onRead: (earlier: number) => void;
  /** The number of reads since the walk began, and of those that are not answered yet. */
  answered: number;
  underWay: number;
  slice(args: SliceArguments): Promise<GivenSlice | Refusal>;
}

/** A slice with its first and last cursor. */
export interface GivenSlice extends SliceAnswer {
  readonly startCursor: string | null;
  readonly endCursor: string | null;
  /** What identifies each row for a client (`keyOf`). */
  readonly keys: readonly string[];
}

export interface Refusal {
  readonly error: string;
}

/** The class `Statements` of src/statement, or of another copy of the planner. */
export type StatementsClass = typeof Statements;

const accountId = '5f6c1a52-7f57-4d39-9f2c-6a1f9d0c7e11';

/** The maximum number of upstream calls of a slice, like MAX_UPSTREAM_CALLS for an operation. */
const maxCalls = 50;

/** Creates a service that runs a planner over a statement in memory. */
export function createVirtualService(Statements: StatementsClass, start: Statement): Service {
  let numbering: PageNumbering | undefined;
  const service: Service = {
    ...idle(start),
    async slice(args) {
      begin(service);
      const { base = 0 } = service.manner;
      numbering ??= new PageNumbering(base);
      const call = { budget: new CallBudget(maxCalls) } as UpstreamCall;
      const upstream: PageSource['upstream'] = {
        async read(_call, _route, parameters) {
          call.budget.take();
          service.underWay++;
          const sent = answer(service, Number(parameters.page) - base);
          await Promise.resolve();
          service.underWay--;
          if (typeof sent === 'number') throw new UpstreamStatusError(sent, null, 'NOT_FOUND', 0);
          return pageOf(sent);
        },
      };
      const statements = new Statements({ upstream, call, numbering });
      try {
        return answerOf(await statements.slice(accountId, args, false));
      } catch (error) {
        return { error: codeOf(error) };
      }
    },
  };
  return service;
}

function idle(statement: Statement): Omit<Service, 'slice'> {
  return {
    ...{ statement, manner: {}, past: [statement], answered: 0, underWay: 0 },
    ...{ pages: [], states: [], onRead: () => undefined },
  };
}

function begin(service: Service): void {
  [service.pages, service.states] = [[], []];
}

/** Answers a read of a page, counted from 0. */
export function answer(service: Service, page: number): Sent | number {
  service.onRead(service.pages.length);
  service.pages.push(page);
  const { statement, past, underWay, manner } = service;
  if (service.states.at(-1) !== statement) service.states.push(statement);
  const read = { page, nth: service.answered++, statement, past, underWay };
  const shown = manner.shown?.(statement, read) ?? statement;
  const sent = sentPage(shown, page);
  return manner.sends?.(sent, read) ?? sent;
}

export function answerOf({ edges, pageInfo, totalCount }: Slice): GivenSlice {
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo;
  const rows = edges.map(({ node }) => ('id' in node ? node : { id: '', amount: null }));
  return {
    serials: rows.map(({ id }) => serialOf(id)),
    keys: rows.map(({ id, amount }) => `${serialOf(id)} ${parseInt(String(amount))}`),
    ...{ hasNext: hasNextPage, hasPrevious: hasPreviousPage, total: totalCount },
    ...{ startCursor, endCursor },
  };
}

/** Two rows with the same key are one transaction for a client. */
export function keyOf({ serial, name = serial, amount = serial }: Entry): string {
  return `${name} ${amount}`;
}

export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  throw error;
}

/** Creates a service that calls a gateway with these settings over HTTP; the gateway calls the service over HTTP. */
export async function createHttpService(
  env: Readonly<Record<string, string>> = {},
): Promise<AsyncDisposable & { readonly service: Service }> {
  await using started = new AsyncDisposableStack();
  const rest = started.use(
    await startRestService((page) => {
      service.underWay++;
      const sent = answer(service, page - (service.manner.base ?? 0));
      service.underWay--;
      return typeof sent === 'number' ? { status: sent } : { status: 200, text: textOf(sent) };
    }),
  );
  const gateway = started.use(await startTestGateway({ UPSTREAM_URL: rest.url, ...env }));
  const walker = started.use(await createWalker(gateway));
  const service: Service = {
    ...idle(statementOf('posted', [], 20)),
    async slice({ first, after, last, before }) {
      begin(service);
      try {
        const query = last === undefined ? { first, after } : { last, before };
        const { ids, amounts, totalCount, hasNextPage, hasPreviousPage, ...cursors } =
          await walker.slice(accountId, query as SliceQuery);
        const serials = ids.map(serialOf);
        const keys = serials.map((serial, n) => `${serial} ${parseInt(amounts[n] ?? '')}`);
        const pageInfo = { hasNext: hasNextPage, hasPrevious: hasPreviousPage };
        return { serials, keys, total: totalCount, ...pageInfo, ...cursors };
      } catch (error) {
        if (error instanceof SliceError) return { error: error.code };
        throw error;
      }
    },
  };
  const open = started.move();
  return { service, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
