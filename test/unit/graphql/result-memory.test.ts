// The memory for the results of graphql-js: what counts, and the answer if there is too little.
import { execute, parse } from 'graphql';
import { expect, test } from 'vitest';
import { contractViolation } from '../../../src/errors.ts';
import { Allowance } from '../../../src/graphql/limits/allowance.ts';
import { boundMemory, resolveField } from '../../../src/graphql/limits/result-memory.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { CallBudget } from '../../../src/upstream/client.ts';

const schema = createSchema();

/** Executes an operation that may keep `maxBytes`. */
async function executeWith(maxBytes: number, account: object, fields: string) {
  let kept = 0;
  const keep = (bytes: number) => {
    if (kept + bytes > maxBytes) return false;
    kept += bytes;
    return true;
  };
  const profile = { me: () => Promise.resolve({ accounts: [account] }) };
  const allowance = new Allowance(new CallBudget(1));
  const contextValue = { profile, allowance, keep };
  const document = parse(`{ accounts { ${fields} } }`);
  const executed = execute({ schema, document, contextValue, fieldResolver: resolveField });
  const { data = null, errors = [] } = await executed;
  const result = { errors: errors.map((error) => error.toJSON()), data };
  return { kept, result: boundMemory(result, allowance) };
}

const unavailable = {
  errors: [
    {
      message: 'The account service cannot be reached.',
      extensions: { code: 'UPSTREAM_UNAVAILABLE' },
    },
  ],
  data: null,
};

test.each([
  ['strings by their length, under each alias', { id: 'a', bank: 'x'.repeat(1000) }, 4160],
  ['other values', { bank: true }, 160],
  ['objects', { bank: {} }, 640],
  ['errors', { bank: contractViolation('is wrong') }, 4736],
])('counts %s', async (_name, account, bytes) => {
  expect((await executeWith(10_000, account, 'bank other: bank')).kept).toBe(bytes);
});

test.each(['bank', 'id'])('drops the result if too little memory is left for %s', async (name) => {
  const account = { id: 'a', bank: 'b' };
  const { result } = await executeWith(100, account, `isEscrow ${name}`);
  expect(result).toEqual(unavailable);
});

test('fails a field if too little memory is left for the error of its value', async () => {
  const account = { bank: contractViolation('is wrong') };
  const { result } = await executeWith(100, account, 'bank');
  expect(result.errors).toMatchObject([{ message: unavailable.errors[0]?.message }]);
});
