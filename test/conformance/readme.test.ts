// The README has fewer than 150 lines, and a gateway over the sandbox bank answers its queries as shown.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { query } from '../support/query.ts';

const readme = readFileSync('README.md', 'utf8');

test('the README has fewer than 150 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThan(150);
});

test('the queries of the README are answered as shown, each with one call to the service', async () => {
  const [profile = '', walk = ''] = blocksOf('graphql');
  const [, after] = /`\{ "after": "([^"]+)" \}`/.exec(readme) ?? [];
  await using gateway = await startTestGateway();
  const shown = blocksOf('json').map((text) => JSON.parse(text) as unknown);

  const answers: unknown[] = [];
  for (const [document, variables] of [[profile], [walk], [walk, { after }]] as const) {
    gateway.bank.resetCalls();
    const { text } = await query(gateway, document, { variables: variables ?? {} });
    const { extensions, ...answer } = JSON.parse(text) as Record<string, unknown>;
    expect(extensions).toMatchObject({ upstream: [{ outcome: 'ok' }] });
    answers.push(answer);
    expect(gateway.bank.calls()).toHaveLength(1);
  }
  expect(answers).toEqual(shown);
});

test('the second slice of the README starts where the first ends', () => {
  const [, end] = /"endCursor": "([^"]+)"/.exec(readme) ?? [];
  expect(readme).toContain(`{ "after": "${end ?? ''}" }`);
});

function blocksOf(language: string): string[] {
  const blocks = readme.matchAll(RegExp(`\`\`\`${language}\\n([^]+?)\`\`\``, 'g'));
  return [...blocks].map(([, text = '']) => text);
}
