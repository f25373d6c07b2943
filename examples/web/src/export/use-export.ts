// A running export: reads the period, writes the file, can be canceled, and continues after a failure.
import type { ApolloClient } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { balanceDocument, exportDocument } from '../documents.ts';
import { type Failure, failureBy, failureOf, sliceFailureOf } from '../failure.ts';
import { SliceError } from '../slice.ts';
import { askedFor, type Period, createSelection } from '../statement/period.ts';
import type { Text } from '../text/pt.ts';
import { createFile, type ExportedFile, type ExportFormat } from './file.ts';
import type { OfxAccount } from './ofx.ts';
import { createWalk, type Slice, type Walk } from './walk.ts';

export interface ExportRequest {
  readonly account: OfxAccount;
  readonly period: Period;
  readonly timeZone: string;
  readonly format: ExportFormat;
  readonly text: Text;
}

export type ExportState =
  | { readonly phase: 'choosing'; readonly wasCanceled: boolean }
  | { readonly phase: 'reading'; readonly read: number; readonly total: number }
  | { readonly phase: 'failed'; readonly failure: Failure }
  | { readonly phase: 'done'; readonly file: ExportedFile; readonly url: string };

export interface Export {
  readonly state: ExportState;
  readonly start: (request: ExportRequest) => void;
  /** Continues from the last cursor and keeps the rows that were read. */
  readonly resume: () => void;
  /** Cancels the export: discards the rows that were read, and saves no file. */
  readonly cancel: () => void;
}

/** The state that an export needs to continue. */
interface Job {
  readonly request: ExportRequest;
  readonly walk: Walk;
  readonly stop: AbortController;
}

/** Runs one export at a time, and aborts it when the component is unmounted. */
export function useExport(): Export {
  const client = useApolloClient();
  const [state, setState] = useState<ExportState>({ phase: 'choosing', wasCanceled: false });
  const job = useRef<Job | null>(null);

  const run = async ({ request, walk, stop: { signal } }: Job) => {
    try {
      const { lines, unreadable } = await walk.run(signal);
      const ofPeriod = createSelection(request.period, request.timeZone)(lines);
      const balance = request.format === 'ofx' ? await readBalance(client, request, signal) : null;
      signal.throwIfAborted();
      const file = createFile({
        ...request,
        lines: ofPeriod.rows,
        unreadable: unreadable + ofPeriod.undated,
        balance,
      });
      setState({ phase: 'done', file, url: URL.createObjectURL(file.content) });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof SliceError)) reportError(error);
      const failure = error instanceof SliceError ? error.failure : failureBy('UNKNOWN');
      setState({ phase: 'failed', failure });
    }
  };

  const start = (request: ExportRequest) => {
    const walk = createWalk({
      readSlice: (after, signal) => readSlice(client, request, after, signal),
      wait,
      onProgress: (read, total) => setState({ phase: 'reading', read, total }),
    });
    job.current = { request, walk, stop: new AbortController() };
    setState({ phase: 'reading', read: 0, total: 0 });
    void run(job.current);
  };

  const resume = () => {
    if (job.current === null) return;
    setState({ phase: 'reading', read: 0, total: 0 });
    void run(job.current);
  };

  const cancel = () => {
    job.current?.stop.abort();
    job.current = null;
    setState({ phase: 'choosing', wasCanceled: true });
  };

  useResumeOnline(state, resume);
  useEffect(() => () => job.current?.stop.abort(), []);
  const url = state.phase === 'done' ? state.url : null;
  useEffect(() => (url === null ? undefined : () => URL.revokeObjectURL(url)), [url]);
  return { state, start, resume, cancel };
}

/** If an export failed because the device was offline, continues it as soon as the device is online. */
function useResumeOnline(state: ExportState, resume: () => void): void {
  const isWaiting = state.phase === 'failed' && state.failure.code === 'OFFLINE';
  const goOn = useEffectEvent(resume);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const listener = new AbortController();
    addEventListener('online', goOn, { signal: listener.signal });
    return () => listener.abort();
  }, [isWaiting]);
}

/** Answers are not cached: the screen does not show them, and thousands of rows would stay in memory. */
function uncached(signal: AbortSignal) {
  return {
    fetchPolicy: 'no-cache',
    errorPolicy: 'all',
    context: { queryDeduplication: false, fetchOptions: { signal } },
  } as const;
}

async function readSlice(
  client: ApolloClient,
  { account, period }: ExportRequest,
  after: string | null,
  signal: AbortSignal,
): Promise<Slice> {
  const variables = { accountId: account.id, ...askedFor(period), after };
  const { data, error } = await client.query({
    query: exportDocument,
    variables,
    ...uncached(signal),
  });
  signal.throwIfAborted();
  const slice = data?.transactions;
  if (!slice) throw new SliceError(failureOf(error) ?? failureBy('UNKNOWN'));
  return { rows: slice.nodes, totalCount: slice.totalCount, ...slice.pageInfo };
}

/** The balance after the last row was read. LEDGERBAL is required, so there is no OFX file without it. */
async function readBalance(
  client: ApolloClient,
  { account }: ExportRequest,
  signal: AbortSignal,
): Promise<string> {
  const variables = { accountId: account.id };
  const { data, error } = await client.query({
    query: balanceDocument,
    variables,
    ...uncached(signal),
  });
  signal.throwIfAborted();
  const balance = data?.account?.balance;
  if (!balance) throw new SliceError(sliceFailureOf(error) ?? failureBy('NO_BALANCE'));
  return balance;
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
