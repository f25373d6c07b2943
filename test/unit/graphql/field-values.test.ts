// The field values of lists that the schema does not have yet: each counts without further code.
import { concatAST, execute, parse } from 'graphql';
import { expect, it } from 'vitest';
import { Allowance } from '../../../src/graphql/limits/allowance.ts';
import { countedLists } from '../../../src/graphql/resolvers/index.ts';
import { createSchema, readTypeDefs } from '../../../src/graphql/schema.ts';
import { CallBudget } from '../../../src/upstream/client.ts';

const more = parse(`
  type Voucher { id: ID!  parts: [VoucherPart]  names: [String] }
  type VoucherPart { daily: Decimal }
  extend type Account { vouchers: [Voucher] }
`);
const schema = createSchema(concatAST([readTypeDefs(), more]));

const list = <T>(length: number, item: T) => Array.from({ length }, () => item);
const limit = { daily: '1.50' };

async function answerOf(account: object, selection: string) {
  const document = parse(
    `{ account(id: "5f6c1a52-7f57-4d39-9f2c-6a1f9d0c7e12") { ${selection} } }`,
  );
  const profile = { account: () => Promise.resolve(account) };
  const allowance = new Allowance(new CallBudget(1));
  const contextValue = { profile, allowance, keep: () => true };
  const { data, errors = [] } = await execute({ schema, document, contextValue });
  return { account: data?.['account'], errors };
}

it.each([
  ['a list', 'vouchers { id __typename }', { vouchers: list(25_000, { id: 'a' }) }, 'vouchers'],
  [
    'a list within a list, whose field counts too',
    'vouchers { parts { daily } }',
    { vouchers: [{ parts: list(49_998, limit) }] },
    'vouchers.0.parts',
  ],
  [
    'a list of scalars',
    'vouchers { names }',
    { vouchers: [{ names: list(49_999, 'Ana') }] },
    'vouchers.0.names',
  ],
])('the limit of 50,000 values counts %s', async (_name, selection, account, path) => {
  expect((await answerOf(account, selection)).errors).toEqual([]);
  const longer = { ...account, vouchers: [...account.vouchers, account.vouchers[0]] };
  const { errors } = await answerOf(longer, selection);
  const [error] = errors;
  expect(error?.extensions).toEqual({ code: 'OPERATION_TOO_COMPLEX' });
  expect(error?.path?.join('.')).toBe(`account.${path}`);
});

it('the lists that are counted before they are read are fields of the schema', () => {
  for (const name of countedLists) {
    const [type = '', field = ''] = name.split('.');
    expect(schema.getType(type)?.toConfig()).toHaveProperty(`fields.${field}`);
  }
});
