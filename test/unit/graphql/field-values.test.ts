// The field values of lists that the schema does not have yet: each counts without further code.
import { concatAST, execute, parse } from 'graphql';
import { expect, it } from 'vitest';
import { Allowance } from '../../../src/graphql/limits/allowance.ts';
import { countedLists } from '../../../src/graphql/resolvers/index.ts';
import { createSchema, readTypeDefs } from '../../../src/graphql/schema.ts';
import { CallBudget } from '../../../src/upstream/client.ts';

const more = parse(`
  type Card { id: ID!  limits: [Limit]  names: [String] }
  type Limit { daily: Decimal }
  extend type Account { cards: [Card] }
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
  ['a list', 'cards { id __typename }', { cards: list(25_000, { id: 'a' }) }, 'cards'],
  [
    'a list within a list, whose field counts too',
    'cards { limits { daily } }',
    { cards: [{ limits: list(49_998, limit) }] },
    'cards.0.limits',
  ],
  [
    'a list of scalars',
    'cards { names }',
    { cards: [{ names: list(49_999, 'Ana') }] },
    'cards.0.names',
  ],
])('the limit of 50,000 values counts %s', async (_name, selection, account, path) => {
  expect((await answerOf(account, selection)).errors).toEqual([]);
  const longer = { ...account, cards: [...account.cards, account.cards[0]] };
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
