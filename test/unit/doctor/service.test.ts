// The doctor's calls to the service: the gateway's limits, and what is sent again.
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openService } from '../../../doctor/service.ts';
import { parseSettings } from '../../../src/settings/settings.ts';

/** Starts a service whose request number `n`, from 1, is answered by `answer`. */
async function serviceWith(
  answer: (n: number, response: ServerResponse) => void,
  timeoutMs = 5000,
) {
  let requests = 0;
  const listener: RequestListener = (_request, response) => answer(++requests, response);
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const upstreamUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  const settings = { ...parseSettings({}), upstreamUrl, timeoutMs };
  const counts: number[] = [];
  const caller = { authorization: 'Bearer t', tenant: 'x' };
  const service = openService(settings, caller, (count) => counts.push(count));
  onTestFinished(() => service[Symbol.asyncDispose]());
  return { service, counts, requests: () => requests };
}

/** A service that closes the connections of the requests with these numbers, the first being 1. */
const losing = (...lost: number[]) =>
  serviceWith((n, response) => {
    if (lost.includes(n)) response.destroy();
    else response.end('{}');
  });

test('a request is sent again if its connection fails', async () => {
  const { service, counts } = await losing(1, 3);
  expect((await service.get('/persons')).status).toBe(200);
  expect((await service.get('/companies')).status).toBe(200);
  expect(counts).toEqual([1, 2]);
});

test('a request without an answer has no status, but a reason', async () => {
  const { service } = await losing(2, 3, 4);
  await service.get('/persons');
  expect(await service.get('/companies')).toMatchObject({
    status: 'no answer',
    reason: expect.stringMatching(/UND_ERR_SOCKET|ECONNRESET/) as string,
  });
  expect((await service.get('/companies')).status).toBe(200);
  expect(service.durationsMs).toHaveLength(2);
});

test('a request without an answer in time is not sent again', async () => {
  const { service, requests } = await serviceWith(() => undefined, 500);
  expect(await service.get('/persons')).toMatchObject({
    status: 'no answer',
    reason: 'there was no complete answer in time',
  });
  expect(requests()).toBeLessThan(2);
});

test('a request that is limited is sent again after Retry-After, twice at most', async () => {
  const { service, requests } = await serviceWith((n, response) => {
    response.writeHead(n < 3 ? 429 : 200, { 'retry-after': '1' }).end('{}');
  });
  const startMs = performance.now();
  expect((await service.get('/persons')).status).toBe(200);
  expect(performance.now() - startMs).toBeGreaterThan(1990);
  expect(requests()).toBe(3);
  const limited = await serviceWith((_n, response) => void response.writeHead(429).end());
  expect((await limited.service.get('/persons')).status).toBe(429);
  expect(limited.requests()).toBe(3);
});

test.each<[string, (response: ServerResponse) => void, object]>([
  ['a redirect', (response) => response.writeHead(302, { location: '/' }).end(), { status: 302 }],
  [
    'another media type',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    { status: 'unusable', reason: 'the content type is not JSON' },
  ],
  [
    'an encoding',
    (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    { status: 'unusable', reason: 'the body is encoded' },
  ],
  [
    'invalid UTF-8',
    (response) => response.end(Buffer.from('{"\xe9"', 'latin1')),
    { status: 'unusable', reason: 'the body is not UTF-8' },
  ],
  [
    'a body that is too large',
    (response) => response.end(' '.repeat(4_200_000)),
    { status: 'unusable', reason: 'the body is too large' },
  ],
  [
    'many interim answers',
    (response) => {
      for (let sent = 0; sent < 200; sent++)
        response.writeEarlyHints({ link: '</x>; rel=preload' });
      response.end('{}');
    },
    { status: 'unusable', reason: 'there are too many interim answers' },
  ],
  [
    'headers that are too long',
    (response) => response.writeHead(200, { 'x-long': 'x'.repeat(17_000) }).end('{}'),
    { status: 'no answer', reason: expect.stringContaining('UND_ERR_HEADERS_OVERFLOW') as string },
  ],
])('an answer with %s is judged as by the gateway', async (_, answer, expected) => {
  const { service } = await serviceWith((_n, response) => answer(response));
  expect(await service.get('/persons')).toMatchObject({ body: null, ...expected });
});
