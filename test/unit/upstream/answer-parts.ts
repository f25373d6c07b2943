// Answers of the service with changed parts, and the expected violation.
import { expect } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';

/** JSON in which a string such as "§1.50§" is replaced by the JSON between the signs. */
export function json(value: unknown): string {
  return JSON.stringify(value).replace(/"§(.*?)§"/g, '$1');
}

export function without(object: object, ...keys: string[]): object {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

export function expectViolation(value: unknown, where: string): void {
  expect(value).toBeInstanceOf(GatewayError);
  expect(value).toMatchObject({ code: 'UPSTREAM_CONTRACT_VIOLATION' });
  expect((value as GatewayError).message).toContain(where);
}
