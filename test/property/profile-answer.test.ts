// The gateway reads the same values from a profile as a parser of the whole JSON, even if the answer is mutated.
import { expect, test } from 'vitest';
import { endpoints } from '../../src/upstream/endpoints.ts';
import type { FieldTable } from '../../src/upstream/shape/field-types.ts';
import {
  accountFields,
  addressFields,
  holderFields,
  individualFields,
  type Profile,
} from '../../src/upstream/shape/shapes.ts';
import { membersOf, modelOf, wrong } from '../support/answer-model.ts';
import { companyTextWith, personText } from '../support/profiles.ts';
import { holds } from '../support/properties.ts';
import { mutated, shownIn } from './json-mutations.ts';

const kinds = {
  PERSON: { ...endpoints.persons, holder: 'person', text: personText },
  COMPANY: { ...endpoints.companies, holder: 'entity', text: companyTextWith('eyJ.secret.token') },
};

/** The parts of a profile, each in the form that `shownIn` returns. */
function read(kind: keyof typeof kinds, text: string): unknown {
  let profile: Profile;
  try {
    profile = kinds[kind].read(Buffer.from(text)).value;
  } catch {
    return wrong;
  }
  const { holder, individual, address, accounts } = profile;
  return {
    parts: [holder, individual, address].map(shownIn),
    accounts: Array.isArray(accounts) ? accounts.map(shownIn) : accounts && wrong,
  };
}

/** The expected result of `read`, computed from the parsed JSON. */
function model(kind: keyof typeof kinds, text: string): unknown {
  const body = membersOf(text);
  if (body === undefined) return wrong;
  const part = (table: FieldTable, sent: unknown) => {
    const found = modelOf(table, sent);
    return [found, found];
  };
  const { [kinds[kind].holder]: holder, individual, address, accounts = null } = body;
  const isPerson = kind === 'PERSON';
  return {
    parts: [
      part(holderFields, holder),
      part(individualFields, isPerson ? individual : null),
      part(addressFields, isPerson ? address : null),
    ],
    accounts: Array.isArray(accounts)
      ? accounts.map((one: unknown) => part(accountFields, one ?? wrong))
      : accounts && wrong,
  };
}

test.each(['PERSON', 'COMPANY'] as const)(
  'a profile of a %s has the same values as its parsed JSON',
  async (kind) => {
    let usable = 0;
    await holds(mutated([kinds[kind].text, '{}']), (text) => {
      const expected = model(kind, text);
      expect(read(kind, text)).toEqual(expected);
      if (expected !== wrong) usable++;
      return Promise.resolve();
    });
    expect(usable).toBeGreaterThan(0);
  },
);
