// The text of any cursor, as the gateway writes it.
import { type Cursor, CursorWriter } from '../../src/statement/cursor.ts';

export function cursorText(scope: string, { total, size, ...row }: Cursor): string {
  const writer = new CursorWriter(scope, total, size, 1);
  writer.add(row);
  const { text, places } = writer.written;
  const [start = 0, end = 0] = places;
  return text.slice(start + 1, end - 1);
}
