// docs/paging.md lists exactly the families of twins that the exhaustive check knows.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { families } from './findings.ts';

test('docs/paging.md has a line for each family of twins, and no others', () => {
  const text = readFileSync(new URL('../../docs/paging.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split('## What cannot be seen');
  const [list = ''] = section.split('\n## ');
  const names = [...list.matchAll(/^- \*\*(.+):\*\*/gm)].map(([, name]) => name);
  expect(names.toSorted()).toEqual(Object.values(families).toSorted());
});
