// What is cut out of a line of the log, and what stays.
import { expect, test } from 'vitest';
import { createLogger } from '../../../src/telemetry/log/log.ts';
import { redact } from '../../../src/telemetry/log/redaction.ts';

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

test.each([
  ['a JWT in a message', `{"msg":"no ${jwt} here"}`, '{"msg":"no [redacted] here"}'],
  ['a JWT that was cut short', '{"msg":"eyJhbGciOiJSUzI1NiJ9…"}', '{"msg":"[redacted]…"}'],
  [
    'a bearer token of any kind',
    '{"msg":"Bearer abc.def, bye"}',
    '{"msg":"Bearer [redacted] bye"}',
  ],
  ['a field by its name', '{"token":"abc","a":1}', '{"token":"[redacted]","a":1}'],
  ['in any case', '{"Authorization":"Basic abc"}', '{"Authorization":"[redacted]"}'],
  ['at any depth', '{"a":{"b":{"cookie":"c=1"}}}', '{"a":{"b":{"cookie":"[redacted]"}}}'],
  ['in a list', '{"authorization":["a","b"]}', '{"authorization":"[redacted]"}'],
  ['with a quote in it', String.raw`{"secret":"a\"b","c":1}`, '{"secret":"[redacted]","c":1}'],
])('%s is removed', (_what, line, expected) => {
  expect(redact(line)).toBe(expected);
  expect(() => JSON.parse(expected) as unknown).not.toThrow();
});

test.each([
  '{"msg":"operation","operationName":"TokenOfMine"}',
  '{"codes":["UNAUTHENTICATED"],"msg":"the token has expired"}',
  '{"tokens":3}',
])('%s is kept', (line) => {
  expect(redact(line)).toBe(line);
});

test('every line of a logger is redacted, errors included', () => {
  const lines: string[] = [];
  const log = createLogger({ level: 'trace', destination: { write: (line) => lines.push(line) } });
  log.error({ err: new Error(`refused ${jwt}`, { cause: { headers: { token: 'abc' } } }) }, jwt);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/eyJ|abc/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', msg: '[redacted]' });
});

test('so is a line that is written as text', () => {
  const lines: string[] = [];
  const log = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } });
  log.writeInfo(`"requestId":"${jwt}","token":"abc"`, 'operation');
  expect(lines).toEqual([expect.stringMatching(/^\{"level":"info","time":\d+,.*\}\n$/)]);
  const told = { requestId: '[redacted]', token: '[redacted]', msg: 'operation' };
  expect(JSON.parse(lines[0] ?? '')).toMatchObject(told);
});
