// The services for walks: the planner over a statement in memory, without HTTP and timers, or the gateway over the
// sandbox bank.
import { PageNumbering } from '../../src/statement/page-numbering.ts';
import type { PageSource } from '../../src/statement/pages.ts';
import type { Slice, SliceArguments, Statements } from '../../src/statement/statement.ts';
import { CallBudget, type UpstreamCall } from '../../src/upstream/client.ts';
import type { TestGateway } from '../support/gateway.ts';
import { firstHolder } from '../support/query.ts';
import { createWalker, SliceError, type SliceQuery } from '../support/walker.ts';
import type { SliceAnswer } from './judge.ts';
import { type Entry, idOf, pageOf, serialOf, statementOf, type Statement } from './statement.ts';
import { rowId } from '../support/statement-model.ts';

/** The interface of a service for walks. */
export interface Service {
  statement: Statement;
  /** The pages that the last call has read. */
  pages: number[];
  /** The statement as each of these reads showed it. */
  reads: Statement[];
  /** The states that the last call has read, in order. */
  states: Statement[];
  /** Called before each read is answered, with the number of earlier reads of the call. */
  onRead: (earlier: number) => void;
  /** If the service shuffles ties, returns the statement as the next read shows it. */
  shown: ((statement: Statement) => Statement) | undefined;
  slice(args: SliceArguments): Promise<GivenSlice | Refusal>;
}

/** A slice with its first and last cursor. */
export interface GivenSlice extends SliceAnswer {
  readonly startCursor: string | null;
  readonly endCursor: string | null;
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
  const numbering = new PageNumbering(0);
  const service: Service = {
    ...idle(start),
    async slice(args) {
      [service.pages, service.reads, service.states] = [[], [], []];
      const call = { budget: new CallBudget(maxCalls) } as UpstreamCall;
      const upstream: PageSource['upstream'] = {
        read(_call, _route, parameters) {
          const page = Number(parameters.page);
          call.budget.take();
          return Promise.resolve(pageOf(read(service, page), page));
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
  return { statement, pages: [], reads: [], states: [], onRead: () => undefined, shown: undefined };
}

function read(service: Service, page: number): Statement {
  service.onRead(service.pages.length);
  service.pages.push(page);
  if (service.states.at(-1) !== service.statement) service.states.push(service.statement);
  const shown = service.shown?.(service.statement) ?? service.statement;
  service.reads.push(shown);
  return shown;
}

export function answerOf({ edges, pageInfo, totalCount }: Slice): GivenSlice {
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo;
  return {
    serials: edges.map((edge) => serialOf(rowId(edge) ?? '')),
    ...{ hasNext: hasNextPage, hasPrevious: hasPreviousPage, total: totalCount },
    ...{ startCursor, endCursor },
  };
}

export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  throw error;
}

/**
 * Creates a service that calls the gateway over HTTP. At each read, the gateway's sandbox bank serves the current
 * statement of the service.
 */
export async function createHttpService(
  gateway: TestGateway,
): Promise<AsyncDisposable & { readonly service: Service }> {
  const { bank } = gateway;
  const { id, tenant } = firstHolder(bank);
  const account = bank.addAccount(id, { tenant, transactions: 0 });
  const walker = await createWalker(gateway);
  const service: Service = {
    ...idle(statementOf('posted', [], 20)),
    async slice({ first, after, last, before }) {
      [service.pages, service.reads, service.states] = [[], [], []];
      try {
        const query = last === undefined ? { first, after } : { last, before };
        const { ids, totalCount, hasNextPage, hasPreviousPage, ...cursors } = await walker.slice(
          account,
          query as SliceQuery,
        );
        const pageInfo = { hasNext: hasNextPage, hasPrevious: hasPreviousPage };
        return { serials: ids.map(serialOf), total: totalCount, ...pageInfo, ...cursors };
      } catch (error) {
        if (error instanceof SliceError) return { error: error.code };
        throw error;
      }
    },
  };
  let sent: readonly Entry[] = [];
  const hook = bank.onStatementRead({
    accountId: account,
    run({ page }) {
      const { live, size } = read(service, page ?? 0);
      bank.configure({ pageSize: size }, account);
      if (live === sent) return;
      sent = live;
      bank.setStatement(
        account,
        live.map(({ serial, at }) => ({ id: idOf(serial), createdAt: new Date(at).toISOString() })),
      );
    },
  });
  return {
    service,
    async [Symbol.asyncDispose]() {
      hook[Symbol.dispose]();
      await walker[Symbol.asyncDispose]();
    },
  };
}
