// The log on a terminal: the same lines as text for a person, and errors with their stack.
import type { DestinationStream } from 'pino';

/** A destination that turns each JSON line of the log into text for `terminal`. */
export function createReadableDestination(terminal: {
  write(text: string): unknown;
}): DestinationStream {
  return { write: (line) => void terminal.write(readable(line)) };
}

/** `12:50:56 info listening url=http://127.0.0.1:4000`, in local time. */
function readable(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
  return printable([clock, level, msg, ...pairs].join(' ')) + stackOf(err) + '\n';
}

function textOf(value: unknown): string {
  return typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value);
}

function stackOf(err: unknown): string {
  if (err === undefined) return '';
  const { stack } = err as { readonly stack?: unknown };
  const lines = typeof stack === 'string' ? stack.split('\n') : [JSON.stringify(err)];
  return lines.map((line) => `\n  ${printable(line)}`).join('');
}

/** Without control characters: a client can put them in a logged value, and they would control the terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\u{fffd}');
}
