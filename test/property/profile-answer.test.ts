// The profile scanner reads the same profile as JSON.parse and the checks, or returns null, so that the gateway uses
// JSON.parse.
import { expect, test } from 'vitest';
import {
  accountFields,
  addressFields,
  type HolderKind,
  holderFields,
  individualFields,
  type Profile,
} from '../../src/upstream/shape/shapes.ts';
import { parseProfile, scanProfile } from '../../src/upstream/answers/profile-answer.ts';
import { companyTextWith, personText } from '../support/profiles.ts';
import { holds } from '../support/properties.ts';
import { compact, jsonIn, mutated, valuesIn } from './json-mutations.ts';

/** The text without exponents, which the scanner leaves to JSON.parse. */
const plainly = (text: string) => text.replaceAll('1e3', '1000');
const texts: Readonly<Record<HolderKind, string>> = {
  PERSON: plainly(personText),
  COMPANY: plainly(companyTextWith('eyJ.secret.token')),
};

const shown = {
  holder: Object.keys(holderFields),
  individual: Object.keys(individualFields),
  address: Object.keys(addressFields),
  account: Object.keys(accountFields),
};

type Look = (object: object, fields: readonly string[]) => unknown;

/** The content of a profile, with `look` applied to each of its objects. */
function lookAt({ kind, holder, individual, address, accounts }: Profile, look: Look): unknown {
  const orNull = (part: object | null, fields: readonly string[]) => part && look(part, fields);
  return {
    kind,
    holder: orNull(holder, shown.holder),
    individual: orNull(individual, shown.individual),
    address: orNull(address, shown.address),
    accounts:
      accounts === null || accounts instanceof Error
        ? accounts
        : accounts.map((account) => orNull(account, shown.account)),
  };
}

test.each(['PERSON', 'COMPANY'] as const)(
  'the scanner reads the same profile of a %s as JSON.parse',
  async (kind) => {
    let scanned = 0;
    await holds(mutated([texts[kind], '{}']), (text) => {
      const profile = scanProfile(kind, Buffer.from(text));
      if (profile !== null) {
        scanned++;
        const parsed = parseProfile(kind, text);
        expect(lookAt(profile, valuesIn)).toEqual(lookAt(parsed, valuesIn));
        expect(lookAt(profile, jsonIn)).toEqual(lookAt(parsed, jsonIn));
      }
      return Promise.resolve();
    });
    expect(scanned).toBeGreaterThan(0);
  },
);

test.each(['PERSON', 'COMPANY'] as const)(
  'the scanner can read an ordinary profile of a %s',
  (kind) => {
    const text = texts[kind];
    for (const one of [
      text,
      compact(text),
      text.replaceAll('"id"', '"tags": [{"a": [1, {}]}, []], "id"'),
      text.replaceAll(/"(?:phone|bank|city)": "[^"]+",/g, ''),
      text.replaceAll('true', 'null'),
      text.replace(/"accounts": \[[^]*\]/, '"accounts": []'),
      '{}',
    ]) {
      expect(scanProfile(kind, Buffer.from(one)), one).not.toBeNull();
    }
  },
);

test('the scanner leaves a profile with deep nesting or exponents to JSON.parse', () => {
  const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
  for (const text of [personText, texts.PERSON.replace('"rate": 0.10', `"rate": ${deep}`)]) {
    expect(scanProfile('PERSON', Buffer.from(text))).toBeNull();
  }
});
