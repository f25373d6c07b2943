// Errors for wrong values from the service: their number in an answer is limited, and they have no stack trace.
import { execute, type ExecutionResult, parse } from 'graphql';
import { expect, test } from 'vitest';
import { contractViolation } from '../../../src/errors.ts';
import { Allowance } from '../../../src/graphql/limits/allowance.ts';
import { resolveField } from '../../../src/graphql/limits/result-memory.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { CallBudget } from '../../../src/upstream/client.ts';

const schema = createSchema();
const wrong = contractViolation('a value is wrong');

/** The result of graphql-js for 30 aliases of `accounts` with these fields. */
async function executeOn(accounts: readonly unknown[], fields: string): Promise<ExecutionResult> {
  const aliases = Array.from({ length: 30 }, (_, i) => `a${i}: accounts { ${fields} }`);
  const profile = { me: () => Promise.resolve({ accounts }) };
  const allowance = new Allowance(new CallBudget(1));
  const contextValue = { profile, allowance, keep: () => true };
  const document = parse(`{ ${aliases.join(' ')} }`);
  return execute({ schema, document, contextValue, fieldResolver: resolveField });
}

test.each<[string, readonly unknown[]]>([
  ['accounts', Array.from({ length: 500 }, () => wrong)],
  ['fields', Array.from({ length: 500 }, (_, i) => ({ id: `${i}`, bank: wrong, number: '1' }))],
])(
  'thousands of wrong %s cause only one error more than an answer lists',
  async (_name, accounts) => {
    const { errors, data } = await executeOn(accounts, 'bank number');
    expect(errors).toHaveLength(1001);
    const last = data?.['a29'] as readonly ({ bank: null; number: string } | null)[];
    expect(last).toHaveLength(500);
    for (const account of last) expect([null, { bank: null, number: '1' }]).toContainEqual(account);
  },
);

test('each execution counts its own errors', async () => {
  for (let times = 0; times < 3; times++) {
    const { errors } = await executeOn(Array<unknown>(30).fill(wrong), 'id');
    expect(errors).toHaveLength(900);
  }
});

test('a violation has no stack trace, while other errors have one', () => {
  expect(wrong.stack).not.toContain('\n');
  expect(new Error('other').stack).toContain('field-errors.test.ts');
});
