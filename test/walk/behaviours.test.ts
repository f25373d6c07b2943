// Walks over services as they are: never worse than reading the pages, and within the limit on calls.
import { describe, expect, test } from 'vitest';
import { Statements } from '../../src/statement/statement.ts';
import { services } from './behaviours.ts';
import { breaches, compare } from './shares.ts';

const { RUNS, SEED = '1' } = process.env;
const walks = RUNS === undefined ? 20 : Math.ceil(Number(RUNS) / 40);

describe('walks over a service', () => {
  test.each(services)('$name', async (category) => {
    const comparison = await compare(Statements, category, walks, SEED);
    // To replay a walk by its number: npm run walks -- --replay 'service#number'.
    expect(breaches(comparison, walks), JSON.stringify([...comparison.examples])).toEqual([]);
  });
});
