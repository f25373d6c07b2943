// The log on a terminal.
import { expect, test } from 'vitest';
import { createLogger } from '../../../src/telemetry/log.ts';
import { createReadableDestination } from '../../../src/telemetry/readable-log.ts';

const written: string[] = [];
const log = createLogger({
  level: 'info',
  destination: createReadableDestination({ write: (text) => written.push(text) }),
});

/** What a call of the log writes, without the time. */
function textOf(write: () => void): string {
  written.length = 0;
  write();
  const [text = ''] = written;
  expect(text).toMatch(/^\d\d:\d\d:\d\d /);
  return text.slice(9);
}

test('a line has its level, message and fields', () => {
  const fields = { url: 'http://127.0.0.1:4000', calls: 2, operation: 'two words', slices: [1] };
  expect(textOf(() => log.info(fields, 'listening'))).toBe(
    'info listening url=http://127.0.0.1:4000 calls=2 operation="two words" slices=[1]\n',
  );
  expect(textOf(() => log.writeInfo({ calls: 2 }, 'operation'))).toBe('info operation calls=2\n');
});

test('an error is shown with its stack', () => {
  expect(textOf(() => log.warn({ err: new TypeError('broken') }, 'failed'))).toMatch(
    /^warn failed\n {2}TypeError: broken\n {6}at /,
  );
});

test('secrets are redacted', () => {
  expect(textOf(() => log.info({ authorization: 'Bearer abc' }, 'x'))).toBe(
    'info x authorization=[redacted]\n',
  );
});

test('a control character of a client does not reach the terminal', () => {
  expect(textOf(() => log.info({ client: 'a\u001B[2Jb\u009B\n' }, 'x'))).not.toMatch(
    // eslint-disable-next-line no-control-regex
    /[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/,
  );
});
