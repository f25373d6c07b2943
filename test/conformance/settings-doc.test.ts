// docs/settings.md and src/settings agree on names, defaults, meanings and messages for invalid values.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseSettings, settingNames, type Settings } from '../../src/settings/settings.ts';
import { linesOf } from '../support/settings.ts';

/** A row of the tables in docs/settings.md. */
interface Row {
  readonly variable: string;
  /** The default outside production, and the default in production if it is different. */
  readonly defaults: readonly string[];
  readonly hasNone: boolean;
  readonly takes: string;
  /** Without links and quotes. */
  readonly meaning: string;
}

/** No setting accepts this value, except those that accept any text. */
const invalid = '?!é';

const rows = readRows();
const keys = readKeys();
const production = { NODE_ENV: 'production', UPSTREAM_URL: 'https://bank.example' };

test('docs/settings.md has one row for every setting, and no other rows', () => {
  expect(rows.map(({ variable }) => variable).sort()).toEqual([...keys.keys()].sort());
});

test('docs/settings.md has no default for a setting if and only if its default in the source is null', () => {
  const settings = parseSettings({});
  const expected = rows.filter(({ defaults }) => defaults.length === 0);
  expect(expected.map(({ variable }) => variable)).toEqual(
    rows.map(({ variable }) => variable).filter((name) => valueOf(settings, name) === null),
  );
});

test.each(settingNames)(
  'the meaning of $variable begins with the words of --help',
  ({ variable, meaning }) => {
    const documented = rows.find((row) => row.variable === variable)?.meaning ?? '';
    expect(documented.slice(0, meaning.length)).toBe(meaning);
    expect(documented.slice(meaning.length)).toMatch(/^(?:$|\W)/);
  },
);

describe('the default', () => {
  test.each(rows.filter(({ defaults }) => defaults.length > 0))(
    'of $variable is $defaults',
    ({ variable, defaults: [usual, inProduction = usual], hasNone }) => {
      expect(parseSettings({ [variable]: usual })).toEqual(parseSettings({}));
      if (hasNone) expect(valueOf(parseSettings(production), variable)).toEqual([]);
      else {
        const written = { ...production, [variable]: inProduction };
        expect(parseSettings(written)).toEqual(parseSettings(production));
      }
    },
  );
});

describe('an invalid value', () => {
  test.each(rows.filter(({ takes }) => takes !== 'any text'))(
    'of $variable is reported with the text "expected $takes"',
    ({ variable, takes }) => {
      expect(linesOf({ [variable]: invalid })).toEqual([
        expect.stringMatching(
          RegExp(`^${variable}: ("\\?!é"|its value) cannot be used, expected `),
        ),
      ]);
      expect(linesOf({ [variable]: invalid })[0]?.endsWith(`, expected ${takes}`)).toBe(true);
    },
  );

  test('is impossible for variables that accept any text', () => {
    const free = rows.filter(({ takes }) => takes === 'any text');
    const env = Object.fromEntries(free.map(({ variable }) => [variable, invalid]));
    expect(linesOf(env)).toEqual([]);
  });

  test('is reported as in the example of docs/settings.md', () => {
    const [, env = '', lines] = /\$ (.+) npm start\n([^]+?)```/.exec(readPage()) ?? [];
    const pairs = env.split(' ').map((pair) => pair.split('=') as [string, string]);
    expect(lines?.trim().split('\n')).toEqual(linesOf(Object.fromEntries(pairs)));
  });
});

test('every setting is used outside src/settings', () => {
  const sources = globSync('src/**/*.ts').filter((name) => !/settings\/|generated/.test(name));
  const code = sources.map((name) => readFileSync(name, 'utf8')).join('\n');
  const isUsed = (key: string) => RegExp(`\\b${key}\\b`).test(code);
  expect([...keys.values()].filter((key) => !isUsed(key))).toEqual([]);
});

function readPage(): string {
  return readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');
}

function readRows(): Row[] {
  const lines = readPage().matchAll(/^\| `([A-Z_]+)` *\| (.+?) *\| (.+?) *\| (.+?) *\|$/gm);
  return [...lines].map(([, variable = '', byDefault = '', takes = '', meaning = '']) => ({
    variable,
    defaults: [...byDefault.matchAll(/`([^`]+)`/g)].map(([, value = '']) => value),
    hasNone: byDefault.includes('none'),
    takes,
    meaning: meaning.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', ''),
  }));
}

/** Maps each environment variable to its key in `Settings`: the name of the variable in camel case. */
function readKeys(): ReadonlyMap<string, string> {
  const declared = Object.keys(parseSettings({})).filter((key) => key !== 'isProduction');
  return new Map(declared.map((key) => [key.replace(/[A-Z]/g, '_$&').toUpperCase(), key]));
}

function valueOf(settings: Settings, variable: string): unknown {
  return new Map<string, unknown>(Object.entries(settings)).get(keys.get(variable) ?? '');
}
