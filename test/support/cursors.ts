// Encodes any cursor as the gateway does.
import type { Cursor, NamedRows } from '../../src/statement/cursor.ts';
import { CursorWriter } from '../../src/statement/cursor-text.ts';

export function cursorText(
  scope: string,
  { total, size, key, index, createdAtMs, newer, older, isReordered }: Cursor,
): string {
  const writer = new CursorWriter(scope, total, size, 1, isReordered);
  writer.add(key, index, createdAtMs, namesOf(newer), namesOf(older));
  const [start = 0, end = 0] = writer.finish().places;
  return writer.text.slice(start + 1, end - 1);
}

function namesOf(names: NamedRows) {
  return { ...names, from: 0, step: 1, count: names.fingerprints.length } as const;
}
