// Operations manifests: how they are parsed, which problems are reported, and how the settings report these problems.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ManifestError, parseManifest } from '../../../src/settings/operations-manifest.ts';
import { parseSettings } from '../../../src/settings/settings.ts';
import { listed, manifestOf, newFolder, put, sha256 } from '../../support/manifest.ts';
import { linesOf } from '../../support/settings.ts';

const body = '{ accounts { id } }';
const head = { format: 'apollo-persisted-query-manifest', version: 1 };

function problemOf(text: string): string {
  try {
    parseManifest(text);
    return 'none';
  } catch (error) {
    if (error instanceof ManifestError) return error.message;
    throw error;
  }
}

test('parseManifest returns the operations with their ids and ignores other properties', () => {
  const one = { ...listed('One', body), clientName: 'web' };
  const other = listed('Other', '{ me { __typename } }', 'other-1');
  const operations = parseManifest(manifestOf(one, other));
  expect([...operations.values()]).toEqual([
    { id: sha256(body), name: 'One', body },
    { id: 'other-1', name: 'Other', body: '{ me { __typename } }' },
  ]);
});

test('parseManifest accepts empty manifests, a byte order mark, and an operation that is listed twice', () => {
  expect(parseManifest(manifestOf()).size).toBe(0);
  expect(parseManifest('{}').size).toBe(0);
  expect(parseManifest(`\ufeff${manifestOf(listed('One', body))}`).size).toBe(1);
  expect(parseManifest(manifestOf(listed('One', body), listed('One', body))).size).toBe(1);
});

test('parseManifest accepts an object of operation texts by id, and names an anonymous operation after its id', () => {
  const text = 'query Accounts { accounts { id } }';
  const operations = parseManifest(JSON.stringify({ 'id-1': text, 'id-2': body }));
  expect([...operations.values()]).toEqual([
    { id: 'id-1', name: 'Accounts', body: text },
    { id: 'id-2', name: 'id-2', body },
  ]);
});

describe('parseManifest', () => {
  test.each([
    ['{"id-1": ""}', 'id-1.body is not a text'],
    ['{"id-1": "{ me }", "id-2": 7}', 'its format is not apollo-persisted-query-manifest'],
    [
      JSON.stringify({ [sha256('a')]: body }),
      `${sha256('a')}.id is a SHA-256, but not that of its body`,
    ],
    ['', 'it is not JSON'],
    ['{"format": "apollo-persisted', 'it is not JSON'],
    ['[]', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    ['{"operations": []}', 'its format is not apollo-persisted-query-manifest'],
    [JSON.stringify({ ...head, version: 2, operations: [] }), 'its version is not 1'],
    [JSON.stringify({ ...head, version: '1', operations: [] }), 'its version is not 1'],
    [JSON.stringify({ ...head, version: '1' }), 'its version is not 1'],
    ['{"format": "other", "version": "1"}', 'its format is not apollo-persisted-query-manifest'],
    [JSON.stringify(head), 'it has no list of operations'],
    [JSON.stringify({ ...head, operations: { a: body } }), 'it has no list of operations'],
    [manifestOf([]), 'operations[0] is not an object'],
    [manifestOf(listed('One', body), { name: 'Two', body }), 'operations[1].id is not a text'],
    [manifestOf({ ...listed('One', body), id: 7 }), 'operations[0].id is not a text'],
    [manifestOf({ ...listed('One', body), name: '' }), 'operations[0].name is not a text'],
    [manifestOf({ ...listed('One', body), body: null }), 'operations[0].body is not a text'],
    [
      manifestOf(listed('One', body, 'a'), listed('Two', '{ a }', 'a')),
      "operations[1].id is another operation's too",
    ],
    [
      manifestOf(listed('One', body, sha256('another'))),
      'operations[0].id is a SHA-256, but not that of its body',
    ],
  ])("rejects the text '%s' with the error: %s", (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });
});

describe('the settings', () => {
  test('accept a manifest, with and without OPERATIONS_ONLY', () => {
    const path = put(newFolder(), manifestOf(listed('One', body)));
    const env = { OPERATIONS_MANIFEST: path, OPERATIONS_ONLY: 'true' };
    expect(parseSettings(env)).toMatchObject({ operationsManifest: path, operationsOnly: true });
    expect(parseSettings({ OPERATIONS_MANIFEST: path })).toMatchObject({ operationsOnly: false });
  });

  test('report an invalid manifest together with other invalid settings', () => {
    const path = put(newFolder(), '{"operations":[]}');
    expect(linesOf({ OPERATIONS_MANIFEST: path, PORT: 'x' })).toEqual([
      expect.stringMatching(/^PORT: /),
      'OPERATIONS_MANIFEST: its format is not apollo-persisted-query-manifest, ' +
        'expected an Apollo persisted-query manifest',
    ]);
  });

  test('report a manifest that does not exist or is not a file', () => {
    const folder = newFolder();
    for (const path of [join(folder, 'nothing.json'), folder]) {
      expect(linesOf({ OPERATIONS_MANIFEST: path, OPERATIONS_ONLY: 'true' })).toEqual([
        expect.stringMatching(/^OPERATIONS_MANIFEST: .+, expected the path of a file$/),
      ]);
    }
  });

  test('report OPERATIONS_ONLY without a manifest', () => {
    expect(linesOf({ OPERATIONS_ONLY: 'true' })).toEqual([
      'OPERATIONS_ONLY: on without OPERATIONS_MANIFEST, expected that one as well',
    ]);
  });
});
