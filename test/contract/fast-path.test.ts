// Which requests take the fast path, how the log shows this, and what happens if a call fails or the fast path itself
// throws an error.
import { readFileSync } from 'node:fs';
import type { GraphQLObjectType, ValidationRule } from 'graphql';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import type { FaultKind } from '../../src/sandbox/faults/faults.ts';
import type { FallbackReason } from '../../src/telemetry/ended-operation.ts';
import { holderOf } from '../support/bank.ts';
import { scrape } from '../support/exposition.ts';
import { type LogLine, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type Answer, ask, callerHeaders, codesOf, firstHolder, query } from '../support/query.ts';

/** The numbers of fast-path answers, of compilations and of validations, and the defect that a test injects. */
const fast = vi.hoisted(() => ({
  answers: 0,
  compiled: 0,
  validated: 0,
  defect: 'none',
}));
vi.mock(import('../../src/graphql/compiled/compile.ts'), async (importOriginal) => {
  const original = await importOriginal();
  const compileOperation: typeof original.compileOperation = (...parts) => {
    fast.compiled++;
    if (fast.defect === 'compiler') throw new TypeError('a defect of the compiler');
    const plan = original.compileOperation(...parts);
    const load: typeof plan.load = (run) => {
      if (fast.defect === 'plan') throw new TypeError('a defect of the plan');
      plan.load(run);
    };
    const write: typeof plan.write = (run) => {
      const data = plan.write(run);
      fast.answers++;
      return data;
    };
    return { ...plan, load, write };
  };
  return { ...original, compileOperation };
});
vi.mock(import('../../src/graphql/limits/limits.ts'), async (importOriginal) => {
  const original = await importOriginal();
  const documentRules: typeof original.documentRules = (settings) => {
    const rules = original.documentRules(settings);
    const count: ValidationRule = () => {
      fast.validated++;
      return {};
    };
    return { ...rules, validationRules: [...rules.validationRules, count] };
  };
  return { ...original, documentRules };
});

let gateway: TestGateway;
beforeEach(async () => {
  Object.assign(fast, { answers: 0, compiled: 0, validated: 0, defect: 'none' });
  gateway = await startTestGateway({ EXECUTOR: 'compiled' });
  return () => gateway.close();
});

const document = 'query Fast { accounts { id } }';
const manyVariables = ['a', 'b', 'c', 'd', 'e'];
const manySettings = `query (${manyVariables.map((name) => `$${name}: Boolean!`).join(' ')}) {
  accounts { id ${manyVariables.map((name) => `${name}: bank @include(if: $${name})`).join(' ')} }
}`;
const settingOf = (bits: number) =>
  Object.fromEntries(manyVariables.map((name, i) => [name, (bits & (1 << i)) !== 0]));

test('an operation goes through Apollo Server the first time, and then takes the fast path over POST and GET', async () => {
  await query(gateway, document);
  expect(fast).toMatchObject({ compiled: 0, answers: 0 });
  await query(gateway, document);
  const headers = await callerHeaders(gateway.bank);
  const url = `${gateway.url}/graphql?query=${encodeURIComponent(document)}`;
  expect((await ask(url, { headers })).errors).toBeUndefined();
  const withType = { ...headers, 'content-type': 'application/json' };
  expect((await ask(url, { headers: withType })).errors).toBeUndefined();
  expect(fast).toMatchObject({ compiled: 1, answers: 3 });
});

test('an operation that was answered with an error is not compiled', async () => {
  gateway.bank.addFault({ kind: 'status', status: 403 });
  for (let times = 0; times < 3; times++) {
    expect(codesOf(await query(gateway, document))).toEqual(['FORBIDDEN']);
  }
  expect(fast.compiled).toBe(0);
});

test('an operation takes the fast path for a repeated combination of @include values, even after many other combinations', async () => {
  for (let bits = 0; bits < 32; bits++)
    await query(gateway, manySettings, { variables: settingOf(bits) });
  expect(fast).toMatchObject({ compiled: 0, answers: 0 });
  for (const bits of [31, 31, 20, 20])
    await query(gateway, manySettings, { variables: settingOf(bits) });
  expect(fast).toMatchObject({ compiled: 2, answers: 4 });
  // The cache keeps only the latest 16 combinations of a document. This combination is no longer among them, so it is
  // compiled only at the second of these requests.
  for (let times = 0; times < 3; times++)
    await query(gateway, manySettings, { variables: settingOf(0) });
  expect(fast).toMatchObject({ compiled: 3, answers: 6 });
});

test('an operation too large for a plan is still answered, and its compilation is attempted only once', async () => {
  const aliases = Array.from({ length: 29 }, (_, i) => `a${i}: accounts { ...F }`).join(' ');
  const row =
    'id amount credit signedAmount status externalStatus category beneficiaryName type createdAt';
  const slice = `nodes { ${row} } edges { cursor node { ${row} } } pageInfo { endCursor } totalCount`;
  const own = `id bank agency number balance status isEscrow transactions(first: 1) { ${slice} }`;
  const large = `{ ${aliases} } fragment F on Account { ${own} }`;
  for (let times = 0; times < 3; times++) {
    expect((await query(gateway, large)).data?.['a28']).toHaveLength(4);
  }
  expect(fast).toMatchObject({ compiled: 1, answers: 0 });
});

test('the fast path passes the context to a resolver, and awaits a promise or a list of promises that a resolver returns', async () => {
  const schema = createSchema();
  const fieldsOf = (name: string) => (schema.getType(name) as GraphQLObjectType).getFields();
  const { accounts } = fieldsOf('Query');
  const { agency } = fieldsOf('Account');
  if (accounts?.resolve === undefined || agency === undefined) throw new Error('another schema');
  const readAccounts = accounts.resolve;
  accounts.resolve = async (...given) =>
    ((await readAccounts(...given)) as object[]).map((account) => Promise.resolve(account));
  agency.resolve = ({ bank }: { bank: string }, _args, context: object) =>
    Promise.resolve(`${bank} ${'profile' in context}`);
  await using other = await startTestGateway({ EXECUTOR: 'compiled' }, { schema });
  const text = '{ accounts { bank agency } }';
  const first = await query(other, text);
  expect(first.errors).toBeUndefined();
  expect(first.text).toContain('{"bank":"301","agency":"301 true"}');
  expect((await query(other, text)).data).toEqual(first.data);
  expect(fast.answers).toBe(1);
});

describe('with other resolvers, the fast path answers as graphql-js does', () => {
  const text = `{ me { ... on Person { individual { nationality } } } accounts { agency } }`;

  /** Replaces the resolver of a field, and returns the first and the second answer to the operation. */
  async function answersWith(type: string, name: string, resolve: () => unknown) {
    const schema = createSchema();
    const field = (schema.getType(type) as GraphQLObjectType).getFields()[name];
    if (field === undefined) throw new Error('another schema');
    field.resolve = resolve;
    await using other = await startTestGateway({ EXECUTOR: 'compiled' }, { schema });
    return [await query(other, text), await query(other, text)] as const;
  }

  test('also below a field without a resolver', async () => {
    const resolve = () => Promise.resolve('BRAZILIAN');
    const [first, second] = await answersWith('Individual', 'nationality', resolve);
    expect(first.text).toContain('"individual":{"nationality":"BRAZILIAN"}');
    expect(second.data).toEqual(first.data);
    expect(fast.answers).toBe(1);
  });

  test('also if serialization changes a value; graphql-js then answers', async () => {
    const [first, second] = await answersWith('Account', 'agency', () => 7);
    expect(first.text).toContain('"agency":"7"');
    expect(second.data).toEqual(first.data);
    expect(fast).toMatchObject({ compiled: 1, answers: 0 });
  });

  test('also if a list contains a rejected promise; graphql-js then answers', async () => {
    let isFailing = false;
    const resolve = () => {
      const items = [Promise.resolve({ agency: '1' })];
      if (isFailing) items.push(Promise.reject(new GatewayError('NOT_FOUND')));
      isFailing = true;
      return items;
    };
    const [first, second] = await answersWith('Query', 'accounts', resolve);
    expect(first.errors).toBeUndefined();
    expect(second.errors).toMatchObject([{ path: ['accounts', 1] }]);
    expect(second.data).toMatchObject({ accounts: [{ agency: '1' }, null] });
  });
});

test.each(['{ _service { sdl } }', '{ _entities(representations: []) { __typename } }'])(
  'the query %s never takes the fast path, but is validated only once',
  async (text) => {
    for (let times = 0; times < 3; times++) {
      expect((await query(gateway, text)).errors).toBeUndefined();
    }
    expect(fast).toMatchObject({ compiled: 0, validated: 1 });
  },
);

describe('while the service fails', () => {
  const failures: readonly FaultKind[] = [
    { kind: 'status', status: 403 },
    { kind: 'status', status: 404 },
    { kind: 'status', status: 429, retryAfter: 7 },
    { kind: 'status', status: 500 },
    { kind: 'status', status: 503 },
    { kind: 'reset' },
    { kind: 'cutBody' },
    { kind: 'brokenJson' },
    { kind: 'hang' },
  ];

  test.each(failures)(
    'the fast path answers as graphql-js does if one root field fails: %j',
    async (failure) => {
      const env = {
        ...{ NODE_ENV: 'production', SHUTDOWN_DELAY_MS: '0' },
        ...{ UPSTREAM_TIMEOUT_MS: failure.kind === 'hang' ? '300' : '5000', UPSTREAM_RETRIES: '0' },
      };
      await using compiled = await startTestGateway({ ...env, EXECUTOR: 'compiled' });
      const { bank } = compiled;
      await using graphqlJs = await startTestGateway({ ...env, EXECUTOR: 'graphql-js' }, { bank });
      const [id = ''] = firstHolder(bank).accounts;
      const text = `query Page($id: ID!) { accounts { id }
        rows: transactions(accountId: $id) { totalCount } rows: transactions(accountId: $id) { nodes { id } } }`;
      const ask = (to: TestGateway) =>
        query(to, text, { variables: { id }, headers: { 'x-request-id': 'one' } });
      for (const to of [compiled, compiled, graphqlJs]) await ask(to);
      expect(fast.answers).toBe(1);
      bank.addFault({ ...failure, match: { route: 'transactions' } });
      const fromLines = [compiled.log.length, graphqlJs.log.length] as const;
      const [answer, expected] = [await ask(compiled), await ask(graphqlJs)];
      expect(fast.answers).toBe(2);
      expect(answer.text).toBe(expected.text);
      expect(answer.errors).toMatchObject([{ path: ['rows'] }]);
      const withoutTimes = (line: LogLine) => ({
        ...line,
        ...{ time: 0, durationMs: 0, upstream: [], executor: '', fallback: '' },
        failures: (line['failures'] as object[]).map((failure) => ({ ...failure, ms: 0 })),
      });
      expect(compiled.log.slice(fromLines[0]).map(withoutTimes)).toEqual(
        graphqlJs.log.slice(fromLines[1]).map(withoutTimes),
      );
      const headersOf = ({ headers }: Answer) => ({ ...Object.fromEntries(headers), date: '' });
      expect(headersOf(answer)).toEqual(headersOf(expected));
    },
  );

  test('if several root fields fail, graphql-js answers', async () => {
    await query(gateway, document);
    await query(gateway, document);
    const two = '{ first: accounts { id } second: accounts { bank } }';
    for (let times = 0; times < 2; times++) await query(gateway, two);
    expect(fast.answers).toBe(2);
    gateway.bank.addFault({ kind: 'status', status: 403 });
    expect(codesOf(await query(gateway, two))).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    expect(fast.answers).toBe(2);
  });
});

test('if several root fields fail while a call is in progress, graphql-js answers within the same limit on calls', async () => {
  await using limited = await startTestGateway({
    EXECUTOR: 'compiled',
    // One call for the profile, and one for each account.
    MAX_UPSTREAM_CALLS: '5',
  });
  const [id = ''] = firstHolder(limited.bank).accounts;
  const text = `query ($x: ID!, $y: ID!) { accounts { transactions(first: 1) { nodes { id } } }
    x: transactions(accountId: $x) { totalCount } y: transactions(accountId: $y) { totalCount } }`;
  for (let times = 0; times < 2; times++)
    await query(limited, text, { variables: { x: id, y: id } });
  expect(fast.answers).toBe(1);
  const answer = await query(limited, text, { variables: { x: 'bad', y: 'bad' } });
  expect(codesOf(answer)).toEqual(['BAD_USER_INPUT', 'BAD_USER_INPUT']);
});

describe('the log', () => {
  /** For each logged operation, its fallback reason, or its executor if it has no fallback reason. */
  const executors = ({ log }: TestGateway) =>
    log.flatMap(({ msg, executor, fallback }) =>
      msg === 'operation' ? [fallback === null ? executor : fallback] : [],
    );

  const conditional = 'query ($on: Boolean = false) { accounts { id bank @include(if: $on) } }';

  /** Every reason: TypeScript reports a missing one. */
  const reasons: Readonly<Record<FallbackReason, true>> = {
    setting: true,
    unknown: true,
    unanswered: true,
    unsupported: true,
    router: true,
    rejected: true,
    error: true,
    too_long: true,
    defect: true,
  };

  test('can name exactly the fallback reasons that docs/observability.md lists', () => {
    const page = readFileSync('docs/observability.md', 'utf8');
    const [, section = ''] = page.split('\n## Why graphql-js answered\n');
    const [table = ''] = section.split('\n## ');
    const rows = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
    expect(rows).toEqual(Object.keys(reasons));
  });

  test('names the executor "compiled" if the fast path answered', async () => {
    for (let times = 0; times < 2; times++) await query(gateway, document);
    expect(executors(gateway)).toEqual(['unknown', 'compiled']);
  });

  test.each<[FallbackReason, string, Parameters<typeof query>[2]]>([
    ['unanswered', conditional, { variables: { on: true } }],
    ['router', '{ _service { sdl } }', {}],
    ['unsupported', '{ __schema { queryType { name } } }', {}],
    ['rejected', document, { headers: { authorization: 'Bearer x' } }],
    ['rejected', conditional, { variables: { on: 'no boolean' } }],
  ])('names the fallback reason "%s" for the query %s', async (reason, text, changes) => {
    for (let times = 0; times < 2; times++) await query(gateway, text);
    await query(gateway, text, changes);
    expect(executors(gateway).at(-1)).toBe(reason);
  });

  test('names the fallback reason "error" if several root fields fail, and "defect" if the plan throws', async () => {
    const two = '{ first: accounts { id } second: accounts { bank } }';
    for (let times = 0; times < 2; times++) await query(gateway, two);
    gateway.bank.addFault({ kind: 'status', status: 403 });
    await query(gateway, two);
    fast.defect = 'plan';
    await query(gateway, two);
    expect(executors(gateway).slice(2)).toEqual(['error', 'defect']);
  });

  test('names the fallback reason "setting" if EXECUTOR is graphql-js', async () => {
    await using other = await startTestGateway({ EXECUTOR: 'graphql-js' });
    for (let times = 0; times < 2; times++) await query(other, document);
    expect(executors(other)).toEqual(['setting', 'setting']);
  });

  test('names no executor and no fallback reason for a request whose body is not an operation', async () => {
    await ask(`${gateway.url}/graphql`, { method: 'POST', body: 'x' });
    expect(gateway.log.at(-1)).toMatchObject({ executor: null, fallback: null });
  });
});

describe('a defect of the fast path', () => {
  test('is not reported in the log for an invalid row from the service', async () => {
    const [accountId = ''] = holderOf(gateway.bank, 'PERSON').accounts;
    const text = `{ transactions(accountId: "${accountId}") { nodes { id } edges { node { id } } } }`;
    await query(gateway, text);
    gateway.bank.addFault({ kind: 'wrongShape', pointer: '/data/0/id', value: 1 });
    const answer = await query(gateway, text);
    expect(codesOf(answer)).toContain('UPSTREAM_CONTRACT_VIOLATION');
    expect(gateway.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test.each(['compiler', 'plan'] as const)(
    '(in the %s) is logged and counted, and graphql-js answers instead',
    async (defect) => {
      fast.defect = defect;
      for (let times = 0; times < 2; times++) {
        const answer = await query(gateway, document, {
          headers: { 'x-request-id': `time-${times}` },
        });
        expect(answer.data?.['accounts']).toHaveLength(4);
      }
      const errors = gateway.log.filter(({ level }) => level === 'error');
      expect(errors).toMatchObject([{ requestId: 'time-1', err: { type: 'TypeError' } }]);
      const { total } = await scrape(gateway);
      expect(total('account_bff_fast_path_failures_total')).toBe(1);
    },
  );
});
