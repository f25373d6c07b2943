// The record of one operation: what it reports to metrics, log and traces, and when.
import { getOperationAST, parse } from 'graphql';
import { beforeEach, describe, expect, test } from 'vitest';
import { createClients } from '../../../src/telemetry/clients.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { OperationRecord } from '../../../src/telemetry/operation-record.ts';
import { codeOf, type EndedOperation } from '../../../src/telemetry/ended-operation.ts';
import type { RecorderParts } from '../../../src/telemetry/telemetry.ts';
import type { Tracing } from '../../../src/telemetry/tracing.ts';
import type { CallEnd } from '../../../src/upstream/exchange/call.ts';
import { retainedBytes } from '../../support/memory.ts';

/** The reports to metrics, log and traces, in order. */
const told: unknown[] = [];
beforeEach(() => void (told.length = 0));

const log = createLogger({
  level: 'info',
  destination: { write: (line) => told.push(['log', JSON.parse(line)]) },
});

const metrics: RecorderParts['metrics'] = {
  begin: () => told.push(['begin']),
  drop: () => told.push(['drop']),
  end: ({ codes, status, durationMs, upstreamCalls: calls }) => {
    expect(durationMs).toBeGreaterThanOrEqual(0);
    told.push(['metrics', codeOf(codes), status, calls]);
  },
  slice: (...slice) => void told.push(['slice', ...slice]),
};

const tracing: Tracing = {
  begin: ({ headers }) => ({
    traceId: String(headers['traceparent']),
    begin: (route, page) => ({
      traceparent: `${route} ${String(page)}`,
      end: (call) => told.push(['span', call]),
    }),
    end: (operation) => told.push(['trace', operation]),
  }),
  stop: () => Promise.resolve(),
};

function answered(record: OperationRecord, codes: readonly string[] = []) {
  const node = getOperationAST(parse('query Mine { me { __typename } }')) ?? null;
  record.answered(node, 'f'.repeat(64), codes, 'compiled');
}

const ended: CallEnd = { outcome: 'ok', tries: 1, isShared: false, status: 200 };

function begin(changes: Partial<RecorderParts> = {}) {
  const clients = createClients([]);
  const parts = {
    log,
    metrics,
    tracing: null,
    clients,
    ...{ listsCalls: false, showsCalls: false },
    ...changes,
  };
  const headers = { traceparent: 'trace-7' };
  return new OperationRecord(parts, 'request-7', { httpVersion: '1.1', headers });
}

test('the name in a span does not keep the operation text in memory', () => {
  const nameOf = (padding: string) => {
    const record = begin({ tracing });
    const node =
      getOperationAST(parse(`query Operation_with_a_long_text { a } #${padding}`)) ?? null;
    record.answered(node, null, [], 'compiled');
    return record.operationName;
  };
  const before = retainedBytes();
  const names = Array.from({ length: 50 }, () => nameOf('x'.repeat(1_000_000)));
  expect(retainedBytes() - before).toBeLessThan(10_000_000);
  expect(new Set(names)).toEqual(new Set(['Operation_with_a_long_text']));
});

describe('an operation that has ended', () => {
  test('is counted once in the metrics and logged once', () => {
    const record = begin();
    answered(record);
    record.begin('persons');
    record.end(200);
    record.end(null);
    expect(told).toEqual([
      ['begin'],
      ['metrics', 'OK', 200, 1],
      ['log', expect.objectContaining({ operationHash: 'ffffffffffff', upstreamCalls: 1 })],
    ]);
  });

  test('is reported to the trace, and logged with the id of the trace', () => {
    const record = begin({ tracing });
    answered(record, ['NOT_FOUND', 'UPSTREAM_TIMEOUT']);
    record.end(200);
    const operation: Partial<EndedOperation> = {
      requestId: 'request-7',
      operationName: 'Mine',
      operationHash: 'ffffffffffff',
      operationKind: 'query',
      codes: ['NOT_FOUND', 'UPSTREAM_TIMEOUT'],
      status: 200,
      upstreamCalls: 0,
    };
    expect(told).toContainEqual(['trace', expect.objectContaining(operation)]);
    expect(told).toContainEqual(['log', expect.objectContaining({ traceId: 'trace-7' })]);
  });

  test('has a log line that lists each outcome and reason of its shifted slices once', () => {
    const record = begin();
    answered(record);
    for (const reason of ['moved', 'moved', 'during'] as const)
      record.slice('shifted', reason, 0, 1);
    record.end(200);
    expect(told).toContainEqual(['slice', 'shifted', 'during', 0, 1]);
    const slices = ['shifted:moved', 'shifted:during'];
    expect(told).toContainEqual(['log', expect.objectContaining({ slices })]);
  });

  test('counts as CLIENT_GONE if the client disconnected, even if there are other codes', () => {
    const record = begin();
    answered(record, ['UPSTREAM_TIMEOUT']);
    record.end(null);
    expect(told).toContainEqual(['metrics', 'CLIENT_GONE', null, 0]);
    expect(told).toContainEqual([
      'log',
      expect.objectContaining({ codes: ['CLIENT_GONE'], status: null, operationName: 'Mine' }),
    ]);
  });
});

describe('a request', () => {
  test.each([
    [400, 'BAD_REQUEST'],
    [405, 'BAD_REQUEST'],
    [500, 'INTERNAL_SERVER_ERROR'],
  ])('that has no operation and is answered with %d counts as %s', (status, code) => {
    begin().end(status);
    expect(told).toContainEqual(['metrics', code, status, 0]);
  });

  test.each([200, 204])(
    'that has no operation and is answered with %d is not counted',
    (status) => {
      begin({ tracing }).end(status);
      expect(told).toEqual([['begin'], ['drop']]);
    },
  );

  test('that is refused counts under the code of the refusal, even if its operation is already known', () => {
    const record = begin();
    answered(record);
    record.refuse('INTERNAL_SERVER_ERROR');
    record.end(500);
    expect(told).toContainEqual(['metrics', 'INTERNAL_SERVER_ERROR', 500, 0]);
  });
});

describe('a call', () => {
  test('is only counted if neither traces nor answers report calls', () => {
    const record = begin();
    expect(record.begin('persons')).toBeUndefined();
    expect(record.upstreamCalls).toBe(1);
    expect(record.listedCalls).toBeNull();
  });

  test('is listed in the answer once the call has ended, if answers report calls', () => {
    const record = begin({ listsCalls: true, showsCalls: true });
    const [first, second] = [record.begin('transactions', 2), record.begin('persons')];
    expect(record.listedCalls).toBeNull();
    second?.end({ outcome: 'UPSTREAM_TIMEOUT', tries: 1, isShared: false });
    first?.end(ended);
    const ms = expect.any(Number) as number;
    expect(record.listedCalls).toEqual([
      { route: 'persons', outcome: 'UPSTREAM_TIMEOUT', tries: 1, ms },
      { route: 'transactions', page: 2, outcome: 'ok', status: 200, tries: 1, ms },
    ]);
    expect(first).not.toHaveProperty('traceparent');
  });

  test('has a span and sends the traceparent of that span if tracing is on', () => {
    const record = begin({ tracing });
    const call = record.begin('transactions', 2);
    expect(call?.traceparent).toBe('transactions 2');
    call?.end(ended);
    expect(told).toContainEqual(['span', ended]);
    expect(record.listedCalls).toBeNull();
  });
});
