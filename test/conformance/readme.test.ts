// The README is accurate: its answers are those of a gateway over the sandbox bank, and its links have targets.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { startTestGateway } from '../support/gateway.ts';
import { query } from '../support/query.ts';

const root = new URL('../../', import.meta.url);
const readme = readPage('README.md');

test('the README has under 150 lines', () => {
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

test('the second slice starts where the first ends', () => {
  const [, end] = /"endCursor": "([^"]+)"/.exec(readme) ?? [];
  expect(readme).toContain(`{ "after": "${end ?? ''}" }`);
});

const pages = [
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'src/README.md',
  'examples/web/README.md',
  ...globSync('docs/*.md'),
];

test.each(pages)('every link of %s has a target', (page) => {
  const targets = linksOf(readPage(page)).filter((link) => !/^[a-z]+:/.test(link));
  const broken = targets.filter((link) => !leadsSomewhere(link, page));
  expect(broken).toEqual([]);
});

test('every page that the code names exists', () => {
  const exclude = (name: string) => /node_modules|generated|(^|\/)dist$/.test(name);
  const known = new Set(globSync('**/*.md', { exclude }).map((path) => basename(path)));
  const sources = globSync('**/*.{ts,tsx,js}', { exclude });
  const missing = sources.flatMap((path) =>
    [...readPage(path).matchAll(/[\w-]+\.md\b/g)]
      .filter(([page]) => !known.has(page))
      .map(([page]) => `${path}: ${page}`),
  );
  expect(sources.length).toBeGreaterThan(400);
  expect(missing).toEqual([]);
});

function readPage(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

function blocksOf(language: string): string[] {
  const blocks = readme.matchAll(RegExp(`\`\`\`${language}\\n([^]+?)\`\`\``, 'g'));
  return [...blocks].map(([, text = '']) => text);
}

/** Targets of links and pictures outside code. */
function linksOf(text: string): string[] {
  const prose = text.replace(/^```[^]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

function leadsSomewhere(link: string, page: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? new URL(page, root) : new URL(path, new URL(page, root));
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
}

/** The anchors that GitHub generates for a page's headings. */
function anchorsOf(text: string): string[] {
  const headings = text.matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}
