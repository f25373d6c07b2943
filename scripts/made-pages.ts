// Pages that are generated, wholly or in part, from code or data: `npm run docs` writes them, `npm run check:docs` compares them.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { architecturePage } from './architecture.ts';
import { help, readArguments } from './arguments.ts';
import { boundsPage, limitsPage } from './limits.ts';
import { mappingPage } from './mapping-page.ts';
import { schemaPage } from './schema-page.ts';
import { thirdPartyPage } from './third-party.ts';

const root = new URL('../', import.meta.url);
const pages = {
  'docs/schema.md': schemaPage,
  'docs/mapping.md': mappingPage,
  'docs/architecture.md': architecturePage,
  'docs/limits.md': limitsPage,
  'docs/bounds.md': boundsPage,
  'THIRD-PARTY.md': thirdPartyPage,
};
const options = { check: { type: 'boolean', default: false }, help } as const;
const { values } = readArguments('npm run docs -- [--check]', () => parseArgs({ options }));
for (const [path, make] of Object.entries(pages)) {
  const url = new URL(path, root);
  const config = await resolveConfig(url);
  const text = await format(make(), { ...config, filepath: path });
  if (!values.check) writeFileSync(url, text);
  else if (readFileSync(url, 'utf8') !== text) {
    console.error(`${path} is not what it is made of: npm run docs`);
    process.exitCode = 1;
  }
}
