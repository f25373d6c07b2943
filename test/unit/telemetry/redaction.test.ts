// The parts of a log line that are redacted, and lines that stay unchanged.
import { expect, test } from 'vitest';
import { createLogger, redact, redactTokens } from '../../../src/telemetry/log.ts';

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

const spacedJwt = `${base64url(' {"alg":"HS256"}')}.${base64url('{ "sub":"1"}')}.${'s'.repeat(43)}`;

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

test.each([
  ['a JWT in a message', `{"msg":"no ${jwt} here"}`, '{"msg":"no [redacted] here"}'],
  [
    'a JWT whose JSON starts with white space',
    `{"msg":"no ${spacedJwt} here"}`,
    '{"msg":"no [redacted] here"}',
  ],
  ['a truncated JWT', '{"msg":"eyJhbGciOiJSUzI1NiJ9…"}', '{"msg":"[redacted]…"}'],
  [
    'a bearer token of any kind',
    '{"msg":"Bearer abc.def, bye"}',
    '{"msg":"Bearer [redacted] bye"}',
  ],
  ['a field with a secret name', '{"token":"abc","a":1}', '{"token":"[redacted]","a":1}'],
  [
    'a field with a secret name in any letter case',
    '{"Authorization":"Basic abc"}',
    '{"Authorization":"[redacted]"}',
  ],
  [
    'a secret field at any depth',
    '{"a":{"b":{"cookie":"c=1"}}}',
    '{"a":{"b":{"cookie":"[redacted]"}}}',
  ],
  ['a secret field with a list', '{"authorization":["a","b"]}', '{"authorization":"[redacted]"}'],
  [
    'a secret field with a quote in its value',
    String.raw`{"secret":"a\"b","c":1}`,
    '{"secret":"[redacted]","c":1}',
  ],
  [
    'tokens after the escapes of JSON, which stay whole',
    JSON.stringify({ msg: `a\n${jwt}\t${spacedJwt}\u000b${spacedJwt}\nBearer abc` }),
    JSON.stringify({ msg: 'a\n[redacted]\t[redacted]\u000b[redacted]\nBearer [redacted]' }),
  ],
  [
    'tokens after a backslash',
    JSON.stringify({ msg: `\\${spacedJwt} \\n${spacedJwt}` }),
    JSON.stringify({ msg: String.raw`\[redacted] \[redacted]` }),
  ],
])('the log redacts %s', (_what, line, expected) => {
  expect(redact(line)).toBe(expected);
  expect(() => JSON.parse(expected) as unknown).not.toThrow();
});

test.each([
  '{"msg":"operation","operationName":"TokenOfMine"}',
  '{"codes":["UNAUTHENTICATED"],"msg":"the token has expired"}',
  '{"tokens":3}',
  `{"msg":"2.wnfu9csh8o.2n.k.244d74utbx4.1.mr05ddk1.0a0uivq and a-long-name.of-a.${'host'.repeat(10)}"}`,
])('the log does not change the line %s', (line) => {
  expect(redact(line)).toBe(line);
});

test('the log redacts the message of a line and the errors in the line', () => {
  const lines: string[] = [];
  const log = createLogger({ level: 'trace', destination: { write: (line) => lines.push(line) } });
  log.error({ err: new Error(`refused ${jwt}`, { cause: { headers: { token: 'abc' } } }) }, jwt);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/eyJ|abc/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', msg: '[redacted]' });
});

test('the log redacts the line of an operation, which has a level and a time like other lines', () => {
  const lines: string[] = [];
  const log = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } });
  log.writeInfo({ requestId: jwt, token: 'abc', absent: undefined }, 'operation');
  expect(lines).toEqual([expect.stringMatching(/^\{"level":"info","time":\d+,.*\}\n$/)]);
  const told = { requestId: '[redacted]', token: '[redacted]', msg: 'operation' };
  expect(JSON.parse(lines[0] ?? '')).toMatchObject(told);
});

test('a token in a text of a client is redacted after a backslash too', () => {
  expect(redactTokens(`\\${spacedJwt} \\n${spacedJwt}`)).toBe(String.raw`\[redacted] \n[redacted]`);
});

test('a text that a client has sent loses its tokens, and keeps what only looks like JSON', () => {
  const list = '"token":['.repeat(3);
  const text = `Variable "$f" got {${list}: "${jwt}"}; Bearer ${jwt}`;
  expect(redactTokens(text)).toBe(`Variable "$f" got {${list}: "[redacted]"}; Bearer [redacted]`);
});
