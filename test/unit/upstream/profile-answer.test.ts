// A profile: every field is read as documented. A wrong value affects its field, a wrong id affects its object, and
// more than 1,000 wrong values affect the list of accounts.
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import type { Account, Profile } from '../../../src/upstream/shape/shapes.ts';
import { readProfile } from '../../support/service-answers.ts';
import { expectViolation, json, without } from './answer-parts.ts';

const holder = {
  id: 'H-1',
  email: 'ana@example.com',
  emailConfirmation: true,
  phone: '+5511999990000',
  phoneConfirmation: false,
  name: 'Ana Conceição',
  document: '01234567890',
  status: 'ACTIVE',
  onboardingStep: 'DONE',
  hasPin: true,
};
const individual = {
  id: 'I-1',
  birthDate: '1990-05-17T00:00:00.000Z',
  motherName: 'Rita',
  fatherName: 'José',
  income: '§8500.00§',
  nationality: 'BRASILEIRA',
  publiclyExposedPerson: false,
  documentType: 'CNH',
  documentNumber: '0099',
  documentUf: 'SP',
  documentIssuing: 'DETRAN',
  documentDateIssue: '2015-01-02T00:00:00.000Z',
  documentExpiration: '2030-01-02T00:00:00-03:00',
};
const address = {
  id: 'A-1',
  zipCode: '01310100',
  state: 'SP',
  city: 'São Paulo',
  neighborhood: 'Bela Vista',
  street: 'Avenida Paulista',
  number: '1000',
  complement: 'ap 1',
};
const account = {
  id: '0b7d6a52-3c1e-4f0a-8b9d-7e6c5d4f3a21',
  bank: '001',
  agency: '0001',
  number: '123456',
  balance: '§1523.40§',
  status: 'APPROVED',
  isEscrow: false,
  investmentAccount: null,
};
const person = { person: holder, individual, address, accounts: [account] };
const company = {
  token: 'eyJ.secret.token',
  entityType: 'COMPANY',
  entity: holder,
  accounts: [account],
};

const expectedPerson = {
  kind: 'PERSON',
  holder,
  individual: { ...individual, birthDate: '1990-05-17', income: '8500.00' },
  address,
  accounts: [{ ...account, balance: '1523.40' }],
};

/** The parts of a person's answer, each with the property of the parsed profile that contains the part. */
const parts = { person: 'holder', individual: 'individual', address: 'address' } as const;
type Part = keyof typeof parts;
const fields = (Object.keys(parts) as Part[]).flatMap((part) =>
  Object.entries(person[part]).map(([key, good]) => ({ part, key, good: good })),
);
const otherTypes = ['text', 42, true, {}, []];
function wrongValues(good: unknown): unknown[] {
  const isNumber = typeof good === 'string' && good.startsWith('§');
  const type = isNumber ? 'number' : typeof good;
  return otherTypes.filter((value) => typeof value !== type);
}

describe('reading the profile of a person', () => {
  it('returns every field, with birthDate as a date and numbers as decimals', () => {
    expect(readProfile('PERSON', json(person))).toMatchObject(expectedPerson);
  });

  it.each(fields.filter(({ key }) => key !== 'id'))(
    'returns null for $part/$key if it is missing or null',
    ({ part, key }) => {
      for (const nothing of [undefined, null]) {
        const sent = { ...person, [part]: { ...person[part], [key]: nothing } };
        const expected = { ...expectedPerson[parts[part]], [key]: null };
        expect(readProfile('PERSON', json(sent))).toMatchObject({
          ...expectedPerson,
          [parts[part]]: expected,
        });
      }
    },
  );

  it.each(
    fields
      .filter(({ key }) => key !== 'id')
      .flatMap((field) => wrongValues(field.good).map((value) => ({ ...field, value }))),
  )('reports a violation only at $part/$key for the value $value', ({ part, key, value }) => {
    const sent = { ...person, [part]: { ...person[part], [key]: value } };
    const { [parts[part]]: read, ...others } = readProfile('PERSON', json(sent));
    const { [key as 'id']: spoilt, ...rest } = read as { id: unknown };
    expectViolation(spoilt, `/${part}/${key} `);
    expect(others).toMatchObject(without(expectedPerson, parts[part]));
    expect(rest).toMatchObject(without(expectedPerson[parts[part]], key));
  });

  it.each([
    ['birthDate', '1990-02-30'],
    ['birthDate', '1990-05-17T00:00:00'],
    ['documentDateIssue', '2015-01-02'],
    ['documentExpiration', '2030-13-02T00:00:00Z'],
    ['income', '§1e200§'],
  ])('reports a violation at individual/%s for the value %s', (key, value) => {
    const sent = { ...person, individual: { ...individual, [key]: value } };
    const read = readProfile('PERSON', json(sent)).individual as unknown as Record<string, unknown>;
    expectViolation(read[key], `/individual/${key} `);
    expect(read.motherName).toBe('Rita');
  });

  it.each(Object.keys(parts) as Part[])(
    'reports %s as a violation if its id is invalid',
    (part) => {
      for (const id of [undefined, null, 42, '', '\ud800']) {
        const { [parts[part]]: read, ...others } = readProfile(
          'PERSON',
          json({ ...person, [part]: { ...person[part], id } }),
        );
        expectViolation(read, `/${part}/id `);
        expect(others).toMatchObject(without(expectedPerson, parts[part]));
      }
    },
  );

  it.each(Object.keys(parts) as Part[])(
    'accepts a missing %s but reports a violation if it is not an object',
    (part) => {
      for (const nothing of [undefined, null]) {
        expect(readProfile('PERSON', json({ ...person, [part]: nothing }))[parts[part]]).toBeNull();
      }
      for (const value of ['x', 1, true, []]) {
        const read = readProfile('PERSON', json({ ...person, [part]: value }));
        expectViolation(read[parts[part]], `/${part} `);
      }
    },
  );

  it.each(['', 'x', '[]', 'null', '7'])('throws if the body is %j', (text) => {
    expect(() => readProfile('PERSON', text)).toThrow(GatewayError);
  });
});

describe('reading the profile of a company', () => {
  it('returns the entity as the holder, and does not return the token', () => {
    const read = readProfile('COMPANY', json(company));
    expect(read).toMatchObject({
      ...expectedPerson,
      kind: 'COMPANY',
      individual: null,
      address: null,
    });
    expect(JSON.stringify(read)).not.toContain('secret');
  });

  it('reports a wrong name of the entity at /entity/name', () => {
    const read = readProfile('COMPANY', json({ ...company, entity: { ...holder, name: 1 } }));
    expectViolation((read.holder as typeof holder).name, '/entity/name ');
  });

  it('throws for a body that is not JSON, without a cause that could quote the token', () => {
    const text = json(company).slice(0, -1);
    try {
      readProfile('COMPANY', text);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'UPSTREAM_CONTRACT_VIOLATION', cause: undefined });
    }
  });
});

function accountsOf(accounts: unknown): Profile['accounts'] {
  return readProfile('PERSON', json({ ...person, accounts })).accounts;
}

function accountOf(changes: object): Account {
  const [read] = accountsOf([{ ...account, ...changes }]) as Account[];
  return read as Account;
}

describe('accounts', () => {
  it('may be missing, but are a violation if they are not a list', () => {
    expect(accountsOf(undefined)).toBeNull();
    expect(accountsOf(null)).toBeNull();
    for (const value of [{}, 'x', 1, true]) expectViolation(accountsOf(value), '/accounts ');
  });

  it('are kept if other accounts are violations', () => {
    const read = accountsOf([null, 'x', [], 7, { ...account, id: null }, account]) as unknown[];
    [0, 1, 2, 3].forEach((index) => expectViolation(read[index], `/accounts/${index} `));
    expectViolation(read[4], '/accounts/4/id ');
    expect(read[5]).toMatchObject({ ...account, balance: '1523.40' });
  });

  it.each(
    Object.entries(account)
      .filter(([key]) => key !== 'id')
      .flatMap(([key, good]) => {
        const wrong = good === null ? ['x', 1, true, []] : wrongValues(good);
        return wrong.map((value) => [key, value] as const);
      }),
  )('have a violation only at %s if its value is %j', (key, value) => {
    const { [key as 'bank']: spoilt, ...rest } = accountOf({ [key]: value });
    expectViolation(spoilt, `/accounts/0/${key} `);
    expect(rest).toMatchObject(without({ ...account, balance: '1523.40' }, key));
  });

  it.each(['-12.50', '0.00', '123456789012345678901234567890.12'])(
    'keep the balance %s as sent',
    (balance) => {
      expect(accountOf({ balance: `§${balance}§` }).balance).toBe(balance);
    },
  );
});

describe('a list of accounts', () => {
  const wrong = { ...account, bank: 1, agency: 1, number: 1, status: 1 };
  const read = (accounts: unknown[]) =>
    readProfile('PERSON', json({ ...person, accounts })).accounts;

  it('is kept if it has at most 1,000 wrong values', () => {
    expect(read(Array(1000).fill(null))).toHaveLength(1000);
    expect(read(Array(250).fill(wrong))).toHaveLength(250);
    expect(read([...Array<unknown>(250).fill(wrong), account])).toHaveLength(251);
  });

  it('is a single violation if it has more than 1,000 wrong values', () => {
    expectViolation(read(Array(1001).fill(null)), '/accounts has more than 1000 wrong values');
    expectViolation(read([...Array<unknown>(250).fill(wrong), null]), '/accounts has more than');
  });

  it('is a single violation if it has more than 5,000 accounts', () => {
    expect(read(Array(5000).fill(account))).toHaveLength(5000);
    expectViolation(read(Array(5001).fill(account)), '/accounts has more than 5000 items');
  });

  it('may be repeated until the answer has more than 20,000 wrong values', () => {
    const profile = (times: number) =>
      readProfile('PERSON', `{${'"accounts":1,'.repeat(times)}"accounts":[]}`);
    expect(profile(20_000).accounts).toEqual([]);
    expect(() => profile(20_001)).toThrow('the body has more than 20000 wrong values');
  });
});

describe('investmentAccount', () => {
  it('is returned with its numbers at any depth as decimals with every digit', () => {
    const sent = {
      amount: '§12.50§',
      text: '12.50',
      nothing: null,
      list: ['§1e3§', ['§-0§', true], { balance: '§371.30§' }],
    };
    expect(accountOf({ investmentAccount: sent }).investmentAccount).toEqual({
      amount: '12.50',
      text: '12.50',
      nothing: null,
      list: ['1000', ['-0', true], { balance: '371.30' }],
    });
  });

  it('is returned with its own account', () => {
    const sent = [{ n: '§1.0§' }, null, { n: '§3.0§' }].map((investmentAccount) => ({
      ...account,
      investmentAccount,
    }));
    const read = accountsOf(sent) as Account[];
    expect(read.map(({ investmentAccount }) => investmentAccount)).toEqual([
      { n: '1.0' },
      null,
      { n: '3.0' },
    ]);
  });

  it('keeps a string that starts with the character DEL', () => {
    expect(accountOf({ investmentAccount: { balance: '\x7f1' } }).investmentAccount).toEqual({
      balance: '\x7f1',
    });
  });

  it('keeps keys such as __proto__, and does not change Object.prototype', () => {
    const text = json({ ...person, accounts: [{ ...account, investmentAccount: '§HERE§' }] });
    const sent = '{"__proto__":{"x":1.0},"constructor":"c","toString":{"__proto__":2.00}}';
    const [read] = readProfile(
      'PERSON',
      text.replace('HERE', () => sent),
    ).accounts as Account[];
    expect(JSON.stringify(read?.investmentAccount)).toBe(
      '{"__proto__":{"x":"1.0"},"constructor":"c","toString":{"__proto__":"2.00"}}',
    );
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it.each([
    ['a number with too large an exponent', '{"n":[1e200]}'],
    ['more than a hundred levels', '{"a":'.repeat(101) + '1' + '}'.repeat(101)],
    ['too many levels for the parser', `{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`],
  ])('is the only violation if it has %s', (_what, sent) => {
    const text = json({ ...person, accounts: [{ ...account, investmentAccount: '§HERE§' }] });
    const { accounts, ...others } = readProfile(
      'PERSON',
      text.replace('HERE', () => sent),
    );
    expect(others).toMatchObject(without(expectedPerson, 'accounts'));
    const [read] = accounts as Account[];
    expectViolation(read?.investmentAccount, '/accounts/0/investmentAccount ');
    expect(read).toMatchObject({ ...account, balance: '1523.40', investmentAccount: {} });
  });

  it('is a violation if the exponents of a profile expand to more than a million characters', () => {
    const sent = (count: number) => ({ n: Array<string>(count).fill('§1e99§') });
    const accountWith = (count: number) => ({ ...account, investmentAccount: sent(count) });
    const [one, other] = accountsOf([accountWith(9000), accountWith(1000)]) as Account[];
    expect([one?.investmentAccount, other?.investmentAccount]).toMatchObject([
      { n: {} },
      { n: {} },
    ]);
    const [still, spoilt] = accountsOf([accountWith(9000), accountWith(3000)]) as Account[];
    expect(still?.investmentAccount).toMatchObject({ n: {} });
    expectViolation(spoilt?.investmentAccount, '/accounts/1/investmentAccount holds too many');
  });

  it('may have a hundred levels', () => {
    const text = json({ ...person, accounts: [{ ...account, investmentAccount: '§HERE§' }] });
    const sent = '{"a":'.repeat(100) + '1.0' + '}'.repeat(100);
    const [read] = readProfile(
      'PERSON',
      text.replace('HERE', () => sent),
    ).accounts as Account[];
    expect(JSON.stringify(read?.investmentAccount)).toBe(sent.replace('1.0', '"1.0"'));
  });
});
