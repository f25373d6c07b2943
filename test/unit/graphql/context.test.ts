// The context of an operation: when it reads an endpoint, and when it reuses an earlier read.
import { expect, test, vi } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import {
  type ContextParts,
  type GatewayRequest,
  OperationContext,
} from '../../../src/graphql/context.ts';
import { CallBudget } from '../../../src/upstream/client.ts';

const first = { accountId: 'a' };
const second = { accountId: 'b' };

function start(read = vi.fn((_call: unknown, route: string) => Promise.resolve(`from ${route}`))) {
  const parts = {
    callers: { read: () => ({ key: 'caller' }) },
    createBudget: () => new CallBudget(1),
    openCall: () => 'the call',
    upstream: { read },
  };
  const request = { head: {} };
  const context = new OperationContext(
    parts as unknown as ContextParts,
    request as unknown as GatewayRequest,
  );
  return { context, read };
}

test('an operation reads an endpoint once for the same parameters, even after an error', async () => {
  const { context, read } = start(
    vi.fn(() => Promise.reject(new GatewayError('UPSTREAM_TIMEOUT'))),
  );
  await context.admit();
  for (let times = 0; times < 2; times++) {
    await expect(context.read('transactions', first)).rejects.toThrow(GatewayError);
  }
  await expect(context.read('transactions', second)).rejects.toThrow(GatewayError);
  expect(read.mock.calls).toEqual([
    ['the call', 'transactions', first],
    ['the call', 'transactions', second],
  ]);
});

test('an operation does not repeat a read for the copy of its context that Apollo Server makes', async () => {
  const { context, read } = start();
  await context.admit();
  expect(await context.read('persons', {})).toBe('from persons');
  const prototype = Object.getPrototypeOf(context) as object;
  const copy = Object.assign(Object.create(prototype) as typeof context, context);
  expect(await copy.read('persons', {})).toBe('from persons');
  expect(await context.read('companies', {})).toBe('from companies');
  expect(read).toHaveBeenCalledTimes(2);
});

test('an operation cannot read before its caller is admitted', () => {
  expect(() => start().context.read('persons', {})).toThrow('before the caller was admitted');
});
