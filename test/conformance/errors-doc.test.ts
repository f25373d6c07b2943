// docs/errors.md has an entry for every code of src/errors.ts, with its status and an example that has the code.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ErrorCode, errorKinds } from '../../src/errors.ts';

interface Entry {
  readonly code: ErrorCode;
  readonly text: string;
}

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
const codes = Object.keys(errorKinds);
const entries = page.split(/^#{2,3} /m).flatMap(readEntry);

test('every code has one entry, and nothing else has', () => {
  expect(entries.map(({ code }) => code).sort()).toEqual(codes.sort());
  expect(page.match(/^### /gm)).toHaveLength(codes.length);
});

test('every code is in one row of what to do', () => {
  const [, rows = ''] = /## Which to try again([^]+?)\n## /.exec(page) ?? [];
  expect(rows.match(/[A-Z]+_[A-Z_]+|FORBIDDEN|UNAUTHENTICATED|OVERLOADED/g)?.sort()).toEqual(codes);
});

describe.each(entries)('the entry of $code', ({ code, text }) => {
  test('has its status before execution', () => {
    const [, status] = /before execution, status (\d{3})/i.exec(text) ?? [];
    // Under execution it is always 200, so that a code without another one has none in its entry.
    expect(Number(status ?? 200)).toBe(errorKinds[code].status);
  });

  test('says what a client should do, and shows an answer with the code', () => {
    expect(text).toContain('\n**The client** ');
    const [, json = ''] = /```json\n([^]+?)```/.exec(text) ?? [];
    const { errors, data } = JSON.parse(json) as Example;
    expect(errors.map(({ extensions }) => extensions.code)).toEqual([code]);
    expect(errors.map(({ path }) => path !== undefined)).toEqual([data !== undefined]);
  });

  test('says that it is not given yet only where nothing in src gives it', () => {
    const isGiven = globSync('src/**/*.ts')
      .filter((name) => !name.endsWith('src/errors.ts') && !name.includes('sandbox'))
      .some((name) => readFileSync(name, 'utf8').includes(`'${code}'`));
    const isLimit = code === 'RATE_LIMITED';
    expect(isLimit || /not given yet/i.test(text) === !isGiven).toBe(true);
  });
});

/** An answer with one error. */
interface Example {
  readonly errors: readonly { extensions: { code: string }; path?: readonly unknown[] }[];
  readonly data?: unknown;
}

function readEntry(section: string): Entry[] {
  const [, title = '', text = ''] = /^(\w+)\n([^]*)$/.exec(section) ?? [];
  return Object.hasOwn(errorKinds, title) ? [{ code: title as ErrorCode, text }] : [];
}
