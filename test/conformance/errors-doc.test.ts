// docs/errors.md has an entry for every code of src/errors.ts, with an example and the status before execution (unless
// this status is 200). Every code is in one row of "When to retry".
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ErrorCode, errorKinds } from '../../src/errors.ts';
import { answerWith } from '../support/bank.ts';
import { startTestGateway } from '../support/gateway.ts';
import { callerHeaders, post } from '../support/query.ts';

interface Entry {
  readonly code: ErrorCode;
  readonly text: string;
}

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
const codes = Object.keys(errorKinds);
const entries = page.split(/^#{2,3} /m).flatMap(readEntry);

test('docs/errors.md has one entry for every code, and no other entries', () => {
  expect(entries.map(({ code }) => code).sort()).toEqual(codes.sort());
  expect(page.match(/^### /gm)).toHaveLength(codes.length);
});

test('every error code is in exactly one row of "When to retry" in docs/errors.md', () => {
  const [, rows = ''] = /## When to retry([^]+?)\n## /.exec(page) ?? [];
  expect(rows.match(/[A-Z]+_[A-Z_]+|FORBIDDEN|UNAUTHENTICATED|OVERLOADED/g)?.sort()).toEqual(codes);
});

describe.each(entries)('the entry of $code in docs/errors.md', ({ code, text }) => {
  test('states the status before execution, unless it is 200', () => {
    const [, status] = /before execution, status (\d{3})/i.exec(text) ?? [];
    // An entry without a status is for errors during execution, for which the status is always 200.
    expect(Number(status ?? 200)).toBe(errorKinds[code].status);
  });

  test('states what a client should do, and shows an answer with the code', () => {
    expect(text).toContain('\n**The client** ');
    const { errors, data } = exampleOf(text);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual([code]);
    expect(errors.map(({ path }) => path !== undefined)).toEqual([data !== undefined]);
  });

  test('is for a code that src uses', () => {
    const users = globSync('src/**/*.ts')
      .filter((name) => !name.endsWith('src/errors.ts') && !name.includes('sandbox'))
      .filter((name) => readFileSync(name, 'utf8').includes(`'${code}'`));
    expect(users).not.toEqual([]);
  });
});

/** For each code whose example has another message than src/errors.ts, a request that causes this error. */
const provoked: Partial<Record<ErrorCode, Provocation>> = {
  UNAUTHENTICATED: { claims: { exp: 1 } },
  FORBIDDEN: { headers: { 'x-tenant-id': 'another' } },
  BAD_REQUEST: { body: [] },
  GRAPHQL_PARSE_FAILED: { query: '{ me { ' },
  GRAPHQL_VALIDATION_FAILED: { query: 'mutation { pay }' },
  BAD_USER_INPUT: {
    query: `{
  accounts { id }
  transactions(accountId: "5f0c1f3e-8a57-4c3b-9d54-2f6f0f4f5a11", first: 101) { totalCount }
}`,
  },
  OPERATION_TOO_COMPLEX: {
    query: `{ ${Array.from({ length: 31 }, (_, index) => `a${index}: __typename`).join(' ')} }`,
  },
  UPSTREAM_CONTRACT_VIOLATION: {
    query: `{
  accounts { number balance }
}`,
    profile: JSON.stringify({
      accounts: [
        { id: '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2001', balance: 1 },
        { id: '0b6c1b4e-6f0d-4a53-9a0c-6a1d2f7f2002', balance: '1' },
      ],
    }),
  },
};

interface Provocation {
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The body with which the service answers the request for the profile. */
  readonly profile?: string;
}

describe('the example message', () => {
  test.each(entries.filter(({ code }) => !Object.hasOwn(provoked, code)))(
    'for $code is the message of that code in src/errors.ts',
    ({ code, text }) => {
      expect(exampleOf(text).errors[0]?.message).toBe(errorKinds[code].message);
    },
  );

  test.each(Object.entries(provoked))(
    'for %s is that of a real answer',
    async (code, provocation) => {
      const { query = '{ me { __typename } }', headers, claims, profile, body } = provocation;
      await using gateway = await startTestGateway({ JWT_TENANT_CLAIM: 'tenant' });
      if (profile !== undefined) answerWith(gateway.bank, { route: 'persons' }, profile);
      const caller = await callerHeaders(gateway.bank, undefined, claims);
      const answer = await post(gateway, JSON.stringify(body ?? { query }), {
        headers: { ...caller, ...headers },
      });
      const { text = '' } = entries.find((entry) => entry.code === code) ?? {};
      expect(answer.errors).toEqual(exampleOf(text).errors);
    },
  );
});

function exampleOf(text: string): Example {
  const [, json = ''] = /```json\n([^]+?)```/.exec(text) ?? [];
  return JSON.parse(json) as Example;
}

/** An answer as an example shows it. */
interface Example {
  readonly errors: readonly {
    readonly message: string;
    readonly extensions: { readonly code: string };
    readonly path?: readonly unknown[];
  }[];
  readonly data?: unknown;
}

function readEntry(section: string): Entry[] {
  const [, title = '', text = ''] = /^(\w+)\n([^]*)$/.exec(section) ?? [];
  return Object.hasOwn(errorKinds, title) ? [{ code: title as ErrorCode, text }] : [];
}
