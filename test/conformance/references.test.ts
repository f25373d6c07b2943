// Files and folders that documentation or a comment names exist in this repository, except for the names in `foreign`
// and in CHANGELOG.md. Every relative link in documentation has a target.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const exclude = (name: string) => /node_modules|^\.cache|(?:^|\/)(?:dist|results)$/.test(name);
const files = globSync(['**/*', '.ci/*'], { exclude });
const isBuilt = (name: string) => /\/(?:built|generated|released)\//.test(name);
const pages = files.filter((name) => name.endsWith('.md') && !isBuilt(name));
const sources = files.filter((name) => /\.(?:tsx?|js|ya?ml|graphql)$/.test(name) && !isBuilt(name));

/**
 * Names that only look like files of the repository: products, examples, and files that commands or other tools create.
 */
const foreign = new Set([
  ...['Node.js', 'big.js', 'sha.js', 'process.env', 'http/body.ts'],
  ...['copy.graphql', 'supergraph.graphql', 'cosmo-execution.json', 'gateway.config.ts'],
  'embeddable-sandbox.umd.production.min.js',
]);

test.each(pages)('every relative link in %s leads to an existing target', (page) => {
  const targets = linksOf(proseOf(page)).filter((link) => !/^[a-z]+:/.test(link));
  expect(targets.filter((link) => !leadsSomewhere(link, page))).toEqual([]);
});

test('the files and folders named in comments and documentation exist, except for the names in `foreign` and in CHANGELOG.md', () => {
  // A changelog also names files of earlier versions.
  const named = [...pages, ...sources].filter((name) => name !== 'CHANGELOG.md');
  const missing = named.flatMap((name) =>
    namesIn(proseOf(name))
      .filter((ref) => !foreign.has(ref) && !exists(ref, name))
      .map((ref) => `${name}: ${ref}`),
  );
  expect(named.length).toBeGreaterThan(500);
  expect(missing).toEqual([]);
});

/** The text of a page outside fenced code, or the comments of a source file. */
function proseOf(name: string): string {
  const text = readFileSync(name, 'utf8');
  if (name.endsWith('.md')) return text.replace(/^```[^]*?^```/gm, '');
  return (text.match(/\/\*[^]*?\*\/|(?<!:)\/\/ .*$|^\s*# .*$/gm) ?? []).join('\n');
}

/** Names with a file extension, and paths below a folder of the repository. */
function namesIn(prose: string): string[] {
  const fileNames =
    /(?<![\w/.:@*-])(?:\.{1,2}\/)*(?:[\w.-]+\/)*\w[\w.-]*\.(?:md|tsx?|m?js|graphql|json|ya?ml|cfg|lua|sh|svg|env)\b(?![\w-]|\.\w)/g;
  const paths =
    /(?<![\w/.-])(?:src|doctor|test|docs|bench|deploy|schema|scripts|examples|explorer)\/[\w./-]*\w/g;
  const text = prose.replace(/([\w/.-]*)\{([\w/.-]+(?:,[\w/.-]+)+)\}([\w/.-]*)/g, expanded);
  return [...(text.match(fileNames) ?? []), ...(text.match(paths) ?? [])];
}

/** Expands alternatives in braces, which stand for several files. */
function expanded(_all: string, before: string, choices: string, after: string): string {
  return choices
    .split(',')
    .map((choice) => before + choice + after)
    .join(' ');
}

/** Whether a path exists, relative to the root or to the folder of `name`, or as the end of a file's path. */
function exists(ref: string, name: string): boolean {
  const end = normalize(ref).replace(/^(?:\.\.\/)+/, '');
  return (
    existsSync(ref) ||
    existsSync(join(dirname(name), ref)) ||
    files.some((file) => file.endsWith(`/${end}`))
  );
}

/** Targets of links and pictures outside code. */
function linksOf(prose: string): string[] {
  const text = prose.replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

function leadsSomewhere(link: string, page: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
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
