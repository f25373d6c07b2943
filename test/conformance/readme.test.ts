// The README has fewer than 150 lines. A gateway over the sandbox bank answers its query, and that of docs/tutorial.md,
// as shown, and the CPU times in the README are those of the last comparison.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Comparison } from '../../bench/compare.ts';
import { ratiosOf } from '../../bench/report/tables.ts';
import { describeBank, introductionTo } from '../../src/sandbox/describe.ts';
import { startTestGateway } from '../support/gateway.ts';
import { query } from '../support/query.ts';

const readme = readFileSync('README.md', 'utf8');
const tutorial = readFileSync('docs/tutorial.md', 'utf8');

test('the README has fewer than 150 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThan(150);
});

test('the query of the README is answered as shown, with one call to the service', async () => {
  await using gateway = await startTestGateway();
  const answer = await query(gateway, blockOf(readme, 'graphql'));
  expect({ data: answer.data }).toEqual(JSON.parse(blockOf(readme, 'json')));
  expect(gateway.bank.calls()).toHaveLength(1);
});

test('the printed command is answered as shown in the tutorial', async () => {
  await using gateway = await startTestGateway();
  const settings = { explorer: true, operationsOnly: false };
  const introduction = introductionTo(await describeBank(gateway.bank), gateway.url, settings);
  const [, body = ''] = /-d '(.+)'/.exec(introduction) ?? [];
  const { data } = await query(gateway, (JSON.parse(body) as { query: string }).query);
  expect({ data }).toEqual(JSON.parse(blockOf(tutorial, 'json')));
});

test('the CPU times in the README are those of the last comparison', () => {
  const [, row = ''] = /^\| CPU time of 20 transactions .*?\|(.*)\|$/m.exec(readme) ?? [];
  const results = readFileSync('bench/results/compare.json', 'utf8');
  const ratios = new Map(
    ratiosOf(JSON.parse(results) as Comparison).map(({ name, workloads }) => [name, workloads]),
  );
  const measured = ['account-bff', 'rest', null, 'hive-gateway'].map((name) =>
    name === null ? 'not measured' : ratios.get(name)?.page.toFixed(2),
  );
  expect(row.split('|').map((cell) => cell.trim())).toEqual(measured);
});

function blockOf(page: string, language: string): string {
  return RegExp(`\`\`\`${language}\\n([^]+?)\`\`\``).exec(page)?.[1] ?? '';
}
