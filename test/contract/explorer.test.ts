// The pages and files of both explorers over HTTP: contents, the security headers of /explorer, and EXPLORER=off. The
// example operations are valid.
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SampleCaller } from '../../src/graphql/sandbox-page.ts';
import { createSchema } from '../../src/graphql/schema.ts';
import { expectSafeHeaders } from '../support/attack.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { ask } from '../support/query.ts';
import { openSocket, rawRequest, sendRawOnce } from '../support/raw.ts';

const accept = 'text/html';

const sampleCallers: readonly SampleCaller[] = [
  { name: '</script><b>"$&', tenant: 'aurora', token: 'x.y.z', accounts: ['a'] },
];

let gateway: TestGateway;
let filledIn: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  filledIn = await startTestGateway({}, { bank: gateway.bank, sampleCallers });
});
afterAll(async () => {
  await filledIn.close();
  await gateway.close();
});

const open = (path: string, init: RequestInit = {}) => ask(`${gateway.url}${path}`, init);

/** The URLs of the scripts and styles that the page refers to. */
async function assetsOfPage(): Promise<string[]> {
  const { text } = await open('/explorer');
  return [...text.matchAll(/(?:src|href)="(\/explorer\/[^"]+)"/g)].map(([, path = '']) => path);
}

describe('the page at /explorer', () => {
  test.each(['/explorer', '/explorer/', '/explorer?query={x}'])('is served at %s', async (path) => {
    const answer = await open(encodeURI(path));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expectSafeHeaders(answer);
  });

  test('has a content security policy that allows no other origin, and forbids eval and frames', async () => {
    const [script = ''] = await assetsOfPage();
    for (const path of ['/explorer', script]) {
      const { headers } = await open(path);
      const policy = headers.get('content-security-policy') ?? '';
      const directives = new Map(
        policy.split('; ').map((text) => [text.split(' ')[0], text.split(' ').slice(1).join(' ')]),
      );
      expect(Object.fromEntries(directives)).toEqual({
        'default-src': "'none'",
        'script-src': "'self'",
        'worker-src': "'self'",
        // Monaco needs inline styles.
        'style-src': "'self' 'unsafe-inline'",
        'font-src': "'self' data:",
        'img-src': "'self' data:",
        'connect-src': "'self'",
        'base-uri': "'none'",
        'form-action': "'none'",
        'frame-ancestors': "'none'",
      });
      expect(headers.get('referrer-policy')).toBe('same-origin');
    }
  });

  test('refers to no other origin, and its only inline script is JSON data', async () => {
    const { text } = await open('/explorer');
    expect(text).not.toMatch(/https?:/);
    const inline = [...text.matchAll(/<script(?![^>]* src=)([^>]*)>/g)].map(([, given]) => given);
    expect(inline).toEqual([' id="callers" type="application/json"']);
  });

  test('lists no callers if the gateway has no sample callers', async () => {
    const { text } = await open('/explorer');
    expect(/id="callers"[^>]*>([^<]*)</.exec(text)?.[1]).toBe('[]');
  });

  test('lists the given callers, even if their names have special characters', async () => {
    const { text } = await ask(`${filledIn.url}/explorer`);
    const [, json = ''] = /id="callers"[^>]*>([^<]*)<\/script>/.exec(text) ?? [];
    expect(JSON.parse(json)).toEqual(sampleCallers);
  });
});

describe('the page at /', () => {
  test('leads to both explorers, and has no script', async () => {
    for (const path of ['/', '/?from=mail']) {
      const answer = await open(path, { headers: { accept } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.text.match(/href="\/\w+"/g)).toEqual(['href="/explorer"', 'href="/graphql"']);
      expect(answer.text).not.toContain('<script');
      expect(answer.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src/,
      );
      expectSafeHeaders(answer);
    }
  });

  test('is only for browsers: other clients get the 404 that names the endpoint', async () => {
    const { status, text } = await open('/');
    expect(status).toBe(404);
    expect(text).toContain('/graphql');
  });
});

describe('the files of /explorer', () => {
  test('are compressed for clients that accept Brotli, and are otherwise sent uncompressed with the same content', async () => {
    const paths = await assetsOfPage();
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      const [small, plain, refused] = await Promise.all(
        ['gzip, br', 'identity', 'br;q=0, gzip'].map((codings) =>
          open(path, { headers: { 'accept-encoding': codings } }),
        ),
      );
      expect(small?.headers.get('content-encoding')).toBe('br');
      expect(plain?.headers.get('content-encoding')).toBeNull();
      expect(refused?.headers.get('content-encoding')).toBeNull();
      expect(small?.text).toBe(plain?.text);
      expect(small?.headers.get('content-type')).toMatch(/^text\/(?:css|javascript)/);
      if (small !== undefined) expectSafeHeaders(small);
      expect((await open(path.replace('/assets/', '/others/'))).status).toBe(404);
    }
  });

  test.each([
    '/explorer/assets/',
    '/explorer/assets/none.js',
    '/explorer/assets/../index.html',
    '/explorer/assets/..%2findex.html',
    '/explorer/assets/%2e%2e/%2e%2e/package.json',
    '/explorer/assets//etc/passwd',
    '/explorer/licences.md',
    '/explorer/index.html',
    '/explorers',
    '/explore',
  ])('do not include %s', async (path) => {
    const answer = await sendRawOnce(
      gateway,
      rawRequest({ start: `GET ${path} HTTP/1.1`, framing: [] }),
    );
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('json');
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('cannot be requested with %s', async (method) => {
    for (const path of ['/explorer', ...(await assetsOfPage())]) {
      const answer = await open(path, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
    }
  });
});

describe('Apollo Sandbox at /graphql', () => {
  test('explains the two required headers, and fills in placeholders for their values', async () => {
    const { text } = await open('/graphql', { headers: { accept } });
    expect(text).toContain('"authorization":"Bearer YOUR_TOKEN","x-tenant-id":"YOUR_TENANT"');
    expect(text).toContain('the institution that the holder is a customer of');
    expect(text).toContain('"runTelemetry":false');
  });

  test('fills in the headers of the sandbox bank’s first caller', async () => {
    const { text } = await ask(`${filledIn.url}/graphql`, { headers: { accept } });
    expect(text).toContain('"authorization":"Bearer x.y.z","x-tenant-id":"aurora"');
    expect(text).not.toContain('</script><b>');
  });
});

test('files that are requested a hundred times at once are in memory once', async () => {
  const name = globSync('explorer/built/assets/editor.api-*.js.br')[0]?.replace(/^.*\/|\.br$/g, '');
  const request = rawRequest({ start: `GET /explorer/assets/${name} HTTP/1.1` });
  const sockets = await Promise.all(Array.from({ length: 100 }, () => openSocket(gateway)));
  const before = process.memoryUsage().arrayBuffers;
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  }, 1);
  await Promise.all(
    sockets.map((socket) => {
      socket.write(request);
      // The answer is left unread.
      return once(socket, 'readable');
    }),
  );
  clearInterval(watching);
  for (const socket of sockets) socket.destroy();
  // The file has 1.8 MB, and 0.4 MB in Brotli.
  expect(most - before).toBeLessThan(30_000_000);
});

test('with EXPLORER=off, neither explorer nor the page at / is served', async () => {
  await using closed = await startTestGateway(
    { EXPLORER: 'off' },
    { bank: gateway.bank, sampleCallers },
  );
  const paths = ['/', '/explorer', ...(await assetsOfPage()), '/graphql'];
  for (const path of paths) {
    const answer = await ask(`${closed.url}${path}`, { headers: { accept } });
    expect([path, answer.status >= 400]).toEqual([path, true]);
    expect(answer.text).not.toContain('x.y.z');
  }
});

test.each(globSync('explorer/src/operations/*.graphql'))(
  'the example operation %s is valid against the schema',
  (path) => {
    expect(validate(createSchema(), parse(readFileSync(path, 'utf8')))).toEqual([]);
  },
);
