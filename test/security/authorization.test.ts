// The Authorization header without JWT_JWKS_URL: anything other than one well-formed, currently valid bearer JWT is
// rejected.
import { describe, expect, test } from 'vitest';
import { boundMemory, expectRefusal } from '../support/attack.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { type Answer, callerHeaders } from '../support/query.ts';
import { rawRequest, sendRawOnce } from '../support/raw.ts';
import { unsignedToken } from '../support/tokens.ts';

boundMemory();

const gateway = await gatewayOfFile();
const good = (await callerHeaders(gateway.bank)).authorization.slice('Bearer '.length);

const body = '{"query":"{ accounts { id } }"}';
const unauthenticated = { status: 401, code: 'UNAUTHENTICATED' };
const accepts = ['application/json', 'application/graphql-response+json'];

/** Sends these header lines unchanged, with a tenant. */
function askWith(lines: readonly string[], accept?: string): Promise<Answer> {
  const others = ['x-tenant-id: aurora', ...(accept === undefined ? [] : [`Accept: ${accept}`])];
  return sendRawOnce(gateway, rawRequest({ lines: [...lines, ...others], body }));
}

async function expectKeptOut(...lines: readonly string[]): Promise<void> {
  const isToken = /^authorization: bearer +\S/i.test(lines[0] ?? '');
  const challenge = isToken ? 'Bearer error="invalid_token"' : 'Bearer';
  for (const accept of accepts) {
    const answer = await expectRefusal(gateway, unauthenticated, () => askWith(lines, accept));
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
    expect(answer.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
  }
}

const claims = { sub: 'ana', exp: 4_000_000_000 };
const head = { alg: 'RS256', kid: 'a' };

/** A token with these strings or bytes as its payload and header, and with an invalid signature. */
function tokenOf(payload: string | Buffer, header: string | Buffer = JSON.stringify(head)): string {
  return [header, payload, 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
}

describe('the credentials of a request', () => {
  test.each<[string, () => readonly string[]]>([
    ['no header', () => []],
    ['an empty header', () => ['Authorization:']],
    ['the scheme alone', () => ['Authorization: Bearer']],
    ['the scheme and a space', () => ['Authorization: Bearer ']],
    ['a token without a scheme', () => [`Authorization: ${good}`]],
    ['the scheme Basic', () => ['Authorization: Basic YTpi']],
    ['the scheme Basic with a token', () => [`Authorization: Basic ${good}`]],
    ['the scheme Digest', () => ['Authorization: Digest username="a", realm="b"']],
    ['the scheme DPoP', () => [`Authorization: DPoP ${good}`]],
    ['the scheme Token', () => [`Authorization: Token ${good}`]],
    ['a longer scheme', () => [`Authorization: Bearerx ${good}`]],
    ['a colon after the scheme', () => [`Authorization: Bearer: ${good}`]],
    ['a parameter in place of the token', () => [`Authorization: Bearer token=${good}`]],
    ['a token in quotes', () => [`Authorization: Bearer "${good}"`]],
    ['a tab after the scheme', () => [`Authorization: Bearer\t${good}`]],
    ['a no-break space after the scheme', () => [`Authorization: Bearer\xa0${good}`]],
    [
      'a space within the token',
      () => [`Authorization: Bearer ${good.slice(0, 9)} ${good.slice(9)}`],
    ],
    ['two tokens', () => [`Authorization: Bearer ${good} ${good}`]],
    ['a list of tokens', () => [`Authorization: Bearer ${good}, Bearer ${good}`]],
    ['a list of tokens with an empty element', () => [`Authorization: Bearer ${good},`]],
    ['two headers', () => [`Authorization: Bearer ${good}`, `Authorization: Bearer ${good}`]],
    ['two headers, one empty', () => [`Authorization: Bearer ${good}`, 'Authorization:']],
    [
      'two headers, the wrong one first',
      () => ['authorization: x', `Authorization: Bearer ${good}`],
    ],
    ['two schemes', () => [`Authorization: Bearer ${good}`, 'Authorization: Basic YTpi']],
    ['bytes outside ASCII', () => [`Authorization: Bearer ${good}\xe9`]],
    ['letters beyond Latin-1', () => ['Authorization: Bearer \xd0\xb0.\xd0\xb0.\xd0\xb0']],
    ['another header of a similar name', () => [`X-Authorization: Bearer ${good}`]],
    ["the proxy's header", () => [`Proxy-Authorization: Bearer ${good}`]],
    ['an underscore for a dash', () => [`HTTP_AUTHORIZATION: Bearer ${good}`]],
    ['a cookie', () => [`Cookie: access_token=${good}; authorization=${good}`]],
  ])(
    'are rejected because they are not a single bearer Authorization header: %s',
    async (_name, lines) => {
      await expectKeptOut(...lines());
    },
  );

  test.each([
    ['a parameter of the URL', () => `POST /graphql?access_token=${good} HTTP/1.1`],
    [
      'a URL parameter with the name of the header',
      () => `POST /graphql?authorization=Bearer+${good} HTTP/1.1`,
    ],
  ])('are ignored in %s', async (_name, start) => {
    const request = () => rawRequest({ start: start(), lines: ['x-tenant-id: aurora'], body });
    await expectRefusal(gateway, unauthenticated, () => sendRawOnce(gateway, request()));
  });

  test('are ignored in trailers after the body', async () => {
    const framing = ['Transfer-Encoding: chunked', 'Trailer: Authorization'];
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n`;
    const trailers = `Authorization: Bearer ${good}\r\nx-tenant-id: aurora\r\n\r\n`;
    const request = rawRequest({ framing, body: chunks + trailers });
    await expectRefusal(gateway, unauthenticated, () => sendRawOnce(gateway, request));
  });

  test.each<[string, () => string]>([
    ['a carriage return', () => `Authorization: Bearer ${good}\rx: y`],
    ['a line feed', () => `Authorization: Bearer\n ${good}`],
    ['a folded line', () => `Authorization: Bearer\r\n ${good}`],
    ['a null byte', () => `Authorization: Bearer ${good}\0`],
    ['a control byte', () => `Authorization: Bearer \x01${good}`],
    ['a DEL', () => `Authorization: Bearer \x7f${good}`],
    ['a space before the colon', () => `Authorization : Bearer ${good}`],
    ['a name with a null byte', () => `Authoriza\0tion: Bearer ${good}`],
  ])('make the request malformed if their header has %s', async (_name, line) => {
    const malformed = { status: 400, code: 'BAD_REQUEST' };
    await expectRefusal(gateway, malformed, () => askWith([line()]));
  });
});

describe('a bearer token', () => {
  const seconds = Math.floor(Date.now() / 1000);
  const bomb = (open: string, close = '') => open.repeat(5000) + close.repeat(5000);

  test.each<[string, string]>([
    ['a word', 'token'],
    ['only dots', '..'],
    ['an API key', 'sk_live_0123456789abcdef'],
    ['two parts', 'e30.e30'],
    ['no signature', unsignedToken(claims, head)],
    ['no payload', 'eyJhbGciOiJSUzI1NiJ9..AAAA'],
    ['no header', `.${tokenOf('{}').split('.').slice(1).join('.')}`],
    ['four parts', `${tokenOf('{}')}.AAAA`],
    ['five parts, as an encrypted token has', `${tokenOf('{}')}.AAAA.AAAA`],
    ['padding', `${tokenOf('{}')}==`],
    ['the alphabet of base64', `${tokenOf('{}')}+/`],
    ['percent signs', tokenOf('{}').replaceAll('.', '%2E')],
    ['JSON', '{"alg":"none"}'],
    ['a header that is not JSON', tokenOf('{}', 'RS256')],
    ['a header that is a list', tokenOf('{}', '["RS256"]')],
    ['a header that is null', tokenOf('{}', 'null')],
    ['no algorithm', unsignedToken(claims, { kid: 'a' }, 'signature')],
    ['an empty algorithm', unsignedToken(claims, { alg: '' }, 'signature')],
    ['an algorithm that is a number', unsignedToken(claims, { alg: 256 }, 'signature')],
    ['an algorithm that is a list', unsignedToken(claims, { alg: ['RS256'] }, 'signature')],
    ['the algorithm none', unsignedToken(claims, { alg: 'none' }, 'signature')],
    ['the algorithm none and no signature', unsignedToken(claims, { alg: 'none' })],
    ['the algorithm nOnE', unsignedToken(claims, { alg: 'nOnE' }, 'signature')],
    ['the algorithm none with a space', unsignedToken(claims, { alg: 'none ' }, 'signature')],
    ['two algorithms, the last one none', tokenOf('{}', '{"alg":"RS256","alg":"none"}')],
    ['an unknown critical header', unsignedToken(claims, { ...head, crit: ['b64'] }, 'signature')],
    ['a payload that is not encoded', unsignedToken(claims, { ...head, b64: false }, 'signature')],
    ['a payload that is text', tokenOf('"claims"')],
    ['a payload that is a list', tokenOf('[{"sub":"ana"}]')],
    ['a payload that is a number', tokenOf('1')],
    ['a payload that is not UTF-8', tokenOf(Buffer.from('{"sub":"\xff"}', 'latin1'))],
    ['a payload after a BOM', tokenOf('\ufeff{}')],
    ['a payload with a comment', tokenOf('{}/**/')],
    ['nested arrays', tokenOf(bomb('['))],
    ['nested arrays, closed', tokenOf(bomb('[', ']'))],
    ['nested objects', tokenOf(bomb('{"":').slice(0, 9000))],
    ['a header of nested arrays', tokenOf('{}', bomb('['))],
    ['an exp in the past', tokenOf(JSON.stringify({ exp: seconds - 60 }))],
    ['an exp of 0', tokenOf('{"exp":0}')],
    ['a negative exp', tokenOf('{"exp":-1e15}')],
    ['two values of exp, the last one expired', tokenOf(`{"exp":${seconds + 60},"exp":1}`)],
    ['not valid yet', tokenOf(JSON.stringify({ nbf: seconds + 60 }))],
    ['never valid', tokenOf('{"nbf":1e300}')],
    ['an infinite exp', tokenOf('{"exp":1e999}')],
    ['an infinite nbf', tokenOf('{"nbf":-1e999}')],
    ['an exp that is a string', tokenOf(`{"exp":"${seconds + 60}"}`)],
    ['an exp that is null', tokenOf('{"exp":null}')],
    ['an exp that is true', tokenOf('{"exp":true}')],
    ['an exp within a list', tokenOf(`{"exp":[${seconds + 60}]}`)],
    ['an nbf that is a date', tokenOf('{"nbf":"2026-01-01T00:00:00Z"}')],
    ['12 KB that are not a token', 'x'.repeat(12_000)],
  ])(
    'is rejected because it is not a well-formed and currently valid JWT: %s',
    async (_name, token) => {
      await expectKeptOut(`Authorization: Bearer ${token}`);
    },
  );

  test.each([
    ['of 20 KB', 20_000],
    ['of 1 MB', 1_000_000],
    ['of 16 MB', 16_000_000],
  ])('in a header %s gets status 431', async (_name, bytes) => {
    const tooLarge = { status: 431, code: 'BAD_REQUEST' };
    const line = `Authorization: Bearer ${'x'.repeat(bytes)}`;
    await expectRefusal(gateway, tooLarge, () => askWith([line]));
  });
});
