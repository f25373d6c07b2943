// What a client sees of an error and what is logged, tested with a real Apollo Server and failing resolvers.
import { HeaderMap } from '@apollo/server';
import { beforeEach, expect, test } from 'vitest';
import { contractViolation, GatewayError } from '../../../src/errors.ts';
import { createAdmission } from '../../../src/graphql/operation/operation-admission.ts';
import type { GatewayContext } from '../../../src/graphql/context.ts';
import { Allowance } from '../../../src/graphql/limits/allowance.ts';
import { OperationCache } from '../../../src/graphql/operation/operation-cache.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { createGraphQLServer } from '../../../src/graphql/server.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import { CallBudget } from '../../../src/upstream/client.ts';

const lines: string[] = [];
beforeEach(() => void (lines.length = 0));

const log = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } });
const limits = { maxDepth: 15, maxAliases: 30, maxTokens: 5000 };
const schema = createSchema();
const server = await createGraphQLServer({
  ...limits,
  schema,
  operations: new OperationCache(),
  admit: createAdmission(schema, 1000),
  introspection: true,
  explorer: false,
  fastPath: null,
  sampleCallers: [],
  log,
});

/**
 * Runs `{ accounts { id } }`. The list of accounts comes from `accounts`; `admit` admits or rejects the caller. Returns
 * the status and the first error.
 */
async function run(
  accounts: () => unknown,
  admit = () => Promise.resolve(),
  answered: () => void = () => undefined,
) {
  const record = { answered, uses: () => undefined, listedCalls: null };
  const context = {
    request: { id: 'request-7', record, register: null, head: { headers: {} } },
    admit,
    allowance: new Allowance(new CallBudget(1)),
    keep: () => true,
    profile: {
      me: () =>
        Promise.resolve()
          .then(accounts)
          .then((list) => ({ accounts: list })),
    },
  };
  const answer = await server.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: 'POST',
      headers: new HeaderMap([['apollo-require-preflight', 'true']]),
      search: '',
      body: { query: '{ accounts { id } }' },
    },
    context: () => Promise.resolve(context as unknown as GatewayContext),
  });
  if (answer.body.kind !== 'complete') throw new Error('an answer in parts');
  const body = JSON.parse(answer.body.string) as { errors: Record<string, unknown>[] };
  return { status: answer.status ?? 200, error: body.errors[0] };
}

function fail(error: unknown): () => never {
  return () => {
    throw error;
  };
}

const masked = {
  message: 'The gateway failed.',
  extensions: { code: 'INTERNAL_SERVER_ERROR' },
};

test.each([
  ['an Error', fail(new Error('secret', { cause: new Error('deep secret') }))],
  ['a rejection', () => Promise.reject(new TypeError('secret'))],
  ['a thrown value that is not an Error', fail('secret')],
  ['a returned Error', () => new Error('secret')],
  [
    'an Error with a code',
    fail(Object.assign(new Error('secret'), { extensions: { code: 'SECRET' } })),
  ],
  [
    'a GatewayError with INTERNAL_SERVER_ERROR',
    fail(
      new GatewayError('INTERNAL_SERVER_ERROR', { message: 'secret', cause: new Error('secret') }),
    ),
  ],
  ['a value of the wrong type', () => 'secret'],
  ['an id that is an object', () => [{ id: { secret: 1 } }]],
])('%s is masked for the client and logged with the request id', async (_name, accounts) => {
  const { status, error } = await run(accounts);
  expect(status).toBe(200);
  expect(error).toMatchObject(masked);
  expect(JSON.stringify(error)).not.toContain('secret');
  expect(error).not.toHaveProperty(['extensions', 'stacktrace']);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', requestId: 'request-7' });
});

test('a masked error at several places of an answer is logged once', async () => {
  const error = new Error('shared');
  await run(() => [error, error, new Error('other')]);
  expect(lines).toHaveLength(2);
});

test('a defect in the plugin is masked for the client and logged with the request id', async () => {
  const { status, error } = await run(() => [], undefined, fail(new Error('secret')));
  expect(status).toBe(500);
  expect(error).toMatchObject(masked);
  const logged = lines.map((line) => JSON.parse(line) as object);
  expect(logged).toContainEqual(
    expect.objectContaining({
      requestId: 'request-7',
      err: expect.objectContaining({ message: 'secret' }) as unknown,
    }),
  );
});

test('the cause of a masked error is logged', async () => {
  await run(fail(new Error('outer', { cause: new Error('inner') })));
  expect(lines.join()).toContain('inner');
});

test.each([
  ['thrown', fail(new GatewayError('RATE_LIMITED', { retryAfter: 7, cause: new Error('secret') }))],
  ['returned', () => new GatewayError('RATE_LIMITED', { retryAfter: 7 })],
])(
  'a GatewayError that is %s reaches the client with its message and extensions, and is not logged',
  async (_name, accounts) => {
    const { status, error } = await run(accounts);
    expect(status).toBe(200);
    expect(error).toEqual({
      message: 'Too many requests.',
      locations: [{ line: 1, column: 3 }],
      path: ['accounts'],
      extensions: { code: 'RATE_LIMITED', retryAfter: 7 },
    });
    expect(lines).toEqual([]);
  },
);

test('an error in a list has the path of its own element', async () => {
  const { error } = await run(() => [{ id: '1' }, contractViolation('accounts/1 is null')]);
  expect(error).toMatchObject({ path: ['accounts', 1] });
});

test.each([
  [new GatewayError('UNAUTHENTICATED'), 401, 'UNAUTHENTICATED'],
  [new GatewayError('UPSTREAM_UNAVAILABLE'), 503, 'UPSTREAM_UNAVAILABLE'],
  [new Error('secret'), 500, 'INTERNAL_SERVER_ERROR'],
])(
  'an operation whose caller is rejected with "%s" is answered with status %d',
  async (refusal, status, code) => {
    const answer = await run(
      () => [],
      () => Promise.reject(refusal),
    );
    expect(answer.status).toBe(status);
    expect(answer.error).toMatchObject({ extensions: { code } });
    expect(JSON.stringify(answer.error)).not.toContain('secret');
    expect(lines).toHaveLength(status === 500 ? 1 : 0);
  },
);
