// The fast path gives the same answers as graphql-js, for random operations and random answers of the service.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createSchema } from '../../src/graphql/schema.ts';
import type { Fault, FaultKind } from '../../src/sandbox/faults/faults.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { companyTextWith, personText } from '../support/profiles.ts';
import { holds } from '../support/properties.ts';
import { type Answer, callerHeaders, query } from '../support/query.ts';
import { askSlice } from '../support/slices.ts';
import { statementText } from '../support/statements.ts';
import { type Names, type Operation, operations } from './operation-model.ts';

/** The number of answers by the fast path. */
const fast = vi.hoisted(() => ({ answers: 0 }));
vi.mock(import('../../src/graphql/compiled/fast-path.ts'), async (importOriginal) => {
  const original = await importOriginal();
  const createFastPath: typeof original.createFastPath = (parts) => {
    const fastPath = original.createFastPath(parts);
    return {
      ...fastPath,
      async answer(...asked) {
        const bytes = await fastPath.answer(...asked);
        if (bytes !== null) fast.answers++;
        return bytes;
      },
    };
  };
  return { ...original, createFastPath };
});

const env = {
  // In production, answers do not contain the durations of calls, which would differ between the two gateways.
  NODE_ENV: 'production',
  LOG_LEVEL: 'error',
  SHUTDOWN_DELAY_MS: '0',
  UPSTREAM_RETRIES: '0',
  ...{ MAX_ALIASES: '1000', MAX_DEPTH: '100', MAX_TOKENS: '100000', MAX_UPSTREAM_CALLS: '1000' },
};

let compiled: TestGateway;
let graphqlJs: TestGateway;
let callers: readonly Readonly<Record<string, string>>[];
let names: Names;
beforeAll(async () => {
  compiled = await startTestGateway({ ...env, EXECUTOR: 'compiled' });
  const { bank } = compiled;
  graphqlJs = await startTestGateway({ ...env, EXECUTOR: 'graphql-js' }, { bank });
  const person = bank.addHolder({
    kind: 'PERSON',
    accounts: [{ transactions: 45 }, { transactions: 3 }, { transactions: 0 }],
  });
  const company = bank.addHolder({ kind: 'COMPANY', accounts: [{ transactions: 22 }] });
  callers = await Promise.all([person, company].map((holder) => callerHeaders(bank, holder)));
  const [id = ''] = person.accounts;
  const { cursor } = await askSlice(compiled, id, { first: 7 }, callers[0]);
  names = {
    accounts: [...person.accounts, id.toUpperCase(), ...company.accounts, nobodys, 'no id'],
    cursors: [cursor(0), cursor(-1), 'no cursor'],
  };
});
afterAll(async () => {
  await graphqlJs.close();
  await compiled.close();
});

const nobodys = '00000000-0000-0000-0000-000000000000';

const values = ['null', '42', '-5', '0', '""', '"x"', '"DONE"', 'true', '{}', '[]', '[null]'];
const oddValues = [
  ...['1e999', '1.50e1', '-0.00', '12345678901234567890.10', '"caf\\u00e9 \\"q\\" \\\\ \\/"'],
  ...[
    '"\\ud800"',
    '"\u007f1"',
    '"\\u0061"',
    '"\u2028é😀"',
    '"2026-02-30T00:00:00Z"',
    '{"a":[1.0,{}]}',
  ],
];

const personPointers = [
  ...[
    '',
    '/person',
    '/person/id',
    '/person/name',
    '/person/hasPin',
    '/individual',
    '/address/city',
  ],
  ...['/individual/income', '/individual/birthDate', '/individual/documentDateIssue'],
];
const accountPointers = [
  ...['/accounts', '/accounts/0', '/accounts/0/id', '/accounts/0/balance', '/accounts/1/isEscrow'],
  ...['/accounts/0/investmentAccount', '/accounts/1/bank'],
];
const pagePointers = [
  ...['', '/data', '/data/0', '/data/1', '/data/0/id', '/data/0/amount', '/data/1/credit'],
  ...['/data/0/status', '/data/1/type', '/data/0/category', '/data/0/createdAt'],
  ...['/pagination', '/pagination/totalItems', '/pagination/currentPage'],
];

/** A fault that changes or removes one value in the service's answer, often with an invalid result. */
const wrongValue: fc.Arbitrary<Fault> = fc.oneof(
  wrongAt('persons', [...personPointers, ...accountPointers]),
  wrongAt('companies', ['/entity', '/entity/id', '/entity/document', ...accountPointers]),
  wrongAt('transactions', pagePointers),
);

function wrongAt(
  route: 'persons' | 'companies' | 'transactions',
  pointers: readonly string[],
): fc.Arbitrary<Fault> {
  const raw = fc.constantFrom(...values, ...oddValues, null);
  return fc.tuple(fc.constantFrom(...pointers), raw).map(([pointer, text]) => ({
    kind: 'wrongShape',
    pointer,
    match: { route },
    ...(text === null ? { remove: true as const } : { raw: text }),
  }));
}

const failures: readonly FaultKind[] = [
  { kind: 'status', status: 404 },
  { kind: 'status', status: 401 },
  { kind: 'status', status: 429, retryAfter: 7 },
  { kind: 'status', status: 204 },
  { kind: 'status', status: 500 },
  { kind: 'html' },
  { kind: 'brokenJson' },
  { kind: 'redirect' },
  { kind: 'encoding' },
  { kind: 'cutBody' },
  { kind: 'nested', depth: 20_000 },
  { kind: 'status', status: 200, body: '' },
];
const routes = ['persons', 'companies', 'transactions'] as const;
const failure: fc.Arbitrary<Fault> = fc
  .record({ failed: fc.constantFrom(...failures), route: fc.constantFrom(...routes) })
  .map(({ failed, route }) => ({ ...failed, match: { route } }));

/** Answers with unusual values and unusual white space. */
const otherAnswer: fc.Arbitrary<Fault> = fc.constantFrom<Fault>(
  { kind: 'status', status: 200, body: personText, match: { route: 'persons' } },
  { kind: 'status', status: 200, body: companyTextWith('t'), match: { route: 'companies' } },
  { kind: 'status', status: 200, body: statementText, match: { route: 'transactions' } },
);

const faults = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  { weight: 6, arbitrary: fc.array(wrongValue, { minLength: 1, maxLength: 2 }) },
  { weight: 2, arbitrary: fc.array(otherAnswer, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.tuple(failure) },
);

test('the fast path answers every operation as graphql-js does', async () => {
  const operation = operations(createSchema(), names);
  const isKnown = fc.boolean();
  const cases = fc.record({ operation, faults, isKnown, headers: fc.constantFrom(...callers) });
  let withoutErrors = 0;
  let number = 0;
  await holds(cases, async ({ operation: made, faults: active, isKnown, headers }) => {
    // The number makes the operation text unique, so that it has no plan yet.
    const operation = { ...made, query: `${made.query} #${number++}` };
    compiled.bank.clearFaults();
    // Then the plan is compiled while the service has no faults.
    for (let request = 0; isKnown && request < 2; request++) {
      await ask(compiled, operation, headers);
    }
    for (const fault of active) compiled.bank.addFault(fault);
    const before = fast.answers;
    const first = await ask(compiled, operation, headers);
    const second = await ask(graphqlJs, operation, headers);
    expect(outcomeOf(first)).toEqual(outcomeOf(second));
    // The first request goes through Apollo Server, and the next one too if the operation cache is nearly full.
    for (let request = 2; request <= 3; request++) {
      const again = await ask(compiled, operation, headers);
      expect(outcomeOf(again)).toEqual(outcomeOf(second));
    }
    if (first.errors !== undefined || operation.variables['on'] === null) return;
    // Without errors, and without conditions that may cause an error, the fast path must have answered.
    expect(fast.answers).toBeGreaterThan(before);
    withoutErrors++;
  });
  expect([...compiled.log, ...graphqlJs.log]).toEqual([]);
  expect(withoutErrors).toBeGreaterThan(0);
});

function ask(
  gateway: TestGateway,
  { query: document, variables }: Operation,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  return query(gateway, document, { variables, headers });
}

/**
 * The whole answer. Errors are sorted, because fields may finish in any order. Strings are encoded again, because the
 * fast path copies the escapes of the service, and graphql-js replaces those that are not needed.
 */
function outcomeOf({ status, text, data, errors = [] }: Answer): unknown {
  if (errors.length === 0) return { status, text: text.replace(/"(?:[^"\\]|\\.)*"/g, encodeAgain) };
  const sorted = errors.map((error) => JSON.stringify(error)).sort();
  return { status, data: JSON.stringify(data), errors: sorted };
}

function encodeAgain(string: string): string {
  return JSON.stringify(JSON.parse(string));
}
