// A kept connection that the service has closed: the request is sent again on a new connection, and the two requests
// count as one attempt. In all other cases, a request is sent again only as a retry.
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { createRandom } from '../../../src/sandbox/random.ts';
import { partsOf, type PartsSettings, textReads } from './parts.ts';
import { serve } from './server.ts';

/** Handlers for requests on a used connection and on a new one. */
interface Behaviour {
  readonly onKept?: RequestListener;
  readonly onNew?: RequestListener;
}

const good: RequestListener = ({ url }, response) => {
  response.setHeader('content-type', 'application/json').end(`"${url}"`);
};
const reset: RequestListener = ({ socket }) => socket.resetAndDestroy();
const close: RequestListener = ({ socket }) => socket.end();

async function start({ onKept = good, onNew = good }: Behaviour, settings: PartsSettings = {}) {
  const used = new WeakSet<Socket>();
  const server = await serve((request, response) => {
    const isKept = used.has(request.socket);
    used.add(request.socket);
    (isKept ? onKept : onNew)(request, response);
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const heard: string[] = [];
  const observer = {
    resent: () => heard.push('resent'),
    retry: () => heard.push('retry'),
    exchange: (_route: string, outcome: string) => heard.push(outcome),
  };
  const parts = partsOf(server.origin, { ...settings, observer });
  const pauseAfter = vi.spyOn(parts.retries, 'pauseAfter');
  return { server, parts, read: textReads(parts), heard, pauseAfter };
}

describe('a reused connection that breaks before any byte of the answer', () => {
  it.each([
    ['reset', reset],
    ['closed', close],
  ])('costs no attempt and no retry if it is %s', async (_how, onKept) => {
    const { server, read, heard, pauseAfter } = await start({ onKept }, { retries: 0 });
    for (const path of ['/1', '/2', '/3']) {
      expect(await read({ path })).toBe(`"${path}"`);
      await turn();
    }
    expect(server.paths).toEqual(['/1', '/2', '/2', '/3', '/3']);
    expect(heard).toEqual(['ok', 'resent', 'ok', 'resent', 'ok']);
    expect(pauseAfter).not.toHaveBeenCalled();
  });

  it('is replaced by a new connection, not by another open one', async () => {
    const { server, read, heard } = await start({ onKept: reset }, { retries: 0, connections: 8 });
    const paths = Array.from({ length: 8 }, (_, n) => `/${n}`);
    await Promise.all(paths.map((path) => read({ path })));
    await turn();
    const answers = await Promise.all(paths.map((path) => read({ path })));
    expect(answers).toEqual(paths.map((path) => `"${path}"`));
    expect(heard.filter((what) => what === 'resent')).toHaveLength(8);
    expect(server.requests).toHaveLength(24);
  });

  it('causes one further request, and this request fails if the new connection breaks too', async () => {
    let isDown = false;
    const onNew: RequestListener = (request, response) =>
      (isDown ? reset : good)(request, response);
    const { server, read, heard } = await start({ onKept: reset, onNew }, { retries: 0 });
    await read();
    isDown = true;
    await turn();
    await expect(read()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(server.requests).toHaveLength(3);
    expect(heard).toEqual(['ok', 'resent', 'unreachable']);
  });

  it('does not double the requests to a service that resets half of them', async () => {
    const either: RequestListener = (request, response) =>
      (request.url === '/bad' ? reset : good)(request, response);
    const { server, read } = await start(
      { onNew: either, onKept: either },
      { retries: 0, connections: 4 },
    );
    for (let n = 0; n < 500; n++) {
      await read({ path: '/good' });
      await read({ path: '/bad' }).catch(() => undefined);
    }
    // At first, the client may resend one request for each connection, and then one more for every 50 answers.
    const extra = server.requests.length - 1000;
    expect(extra).toBeGreaterThan(0);
    expect(extra).toBeLessThanOrEqual(4 + 500 / 50);
  });

  it('does not fail the request that is queued for it', async () => {
    // The service resets each connection right after its answer. At that time the next request is already queued for
    // the connection, but not sent.
    const { read, pauseAfter } = await start(
      {
        onNew: ({ socket, url }, response) => {
          response.setHeader('content-type', 'application/json');
          response.end(`"${url}"`, () => socket.resetAndDestroy());
        },
      },
      { retries: 0, connections: 1 },
    );
    const paths = Array.from({ length: 50 }, (_, n) => `/${n}`);
    const answers = await Promise.all(paths.map((path) => read({ path })));
    expect(answers).toEqual(paths.map((path) => `"${path}"`));
    expect(pauseAfter).not.toHaveBeenCalled();
  });

  it('fails no call if a service closes idle connections without notice', async () => {
    // The service closes connections at about the time at which the next request is sent, so that the request may
    // arrive too late.
    const random = createRandom('idle');
    const { server, read, pauseAfter } = await start(
      {
        onNew: closeWhenIdle,
        onKept: closeWhenIdle,
      },
      { retries: 0 },
    );
    function closeWhenIdle(...[{ socket, url }, response]: Parameters<RequestListener>): void {
      response.setHeader('content-type', 'application/json').end(`"${url}"`);
      const isReset = random.next() < 0.5;
      const end = () => (isReset ? socket.resetAndDestroy() : socket.destroy());
      setTimeout(end, random.integer(1, 4)).unref();
    }
    let answered = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let n = 0; n < 100; n++) {
          if ((await read()) === '"/x"') answered++;
          await sleep(random.integer(1, 4));
        }
      }),
    );
    expect(answered).toBe(800);
    expect(pauseAfter).not.toHaveBeenCalled();
    // With fewer connections, the service would close too few of them for this test.
    expect(server.connections()).toBeGreaterThan(100);
  });

  it('does not extend the deadline of the call', async () => {
    const waits: (() => void)[] = [];
    const onKept: RequestListener = ({ socket }) => waits.push(() => socket.resetAndDestroy());
    const { server, read } = await start({ onKept, onNew: good }, { retries: 0, timeoutMs: 300 });
    await read();
    await turn();
    const slow = read().catch((error: unknown) => error);
    await vi.waitFor(() => expect(waits).toHaveLength(1));
    expect(await slow).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    waits[0]?.();
    await turn();
    expect(server.requests).toHaveLength(2);
  });

  it('causes no further request for a call that was aborted', async () => {
    const left = new GatewayError('OVERLOADED');
    const leaving = new AbortController();
    const onKept: RequestListener = ({ socket }) => {
      leaving.abort(left);
      socket.resetAndDestroy();
    };
    const { server, read } = await start({ onKept });
    await read();
    await turn();
    await expect(read({ signal: leaving.signal })).rejects.toBe(left);
    expect(await read({ path: '/next' })).toBe('"/next"');
    expect(server.paths).toEqual(['/x', '/x', '/next']);
  });
});

describe('a call', () => {
  it.each<[string, RequestListener]>([
    ['a reused connection breaks after the first byte', ({ socket }) => socket.end('H')],
    ['the service sends bytes that are not HTTP', ({ socket }) => socket.end('SSH-2.0-x\r\n')],
    [
      'the service sends an informational answer without a final one',
      ({ socket }) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n'),
    ],
  ])('is sent again only as a retry if %s', async (_what, onKept) => {
    const { server, read, heard } = await start({ onKept }, { retries: 0 });
    await read();
    await turn();
    await expect(read()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(server.requests).toHaveLength(2);
    expect(heard).toEqual(['ok', 'unreachable']);
  });

  it('uses one attempt for each new connection that breaks at once', async () => {
    const { server, read, heard } = await start({ onNew: reset }, { retries: 1 });
    await expect(read()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(server.requests).toHaveLength(2);
    expect(heard).toEqual(['unreachable', 'retry', 'unreachable']);
  });

  it('is sent again only as a retry if a new connection breaks, even if an earlier call was served', async () => {
    let answers = 0;
    // The service closes the first connection after its answer, and the gateway detects this. Every later connection is
    // reset at its first request.
    const onNew: RequestListener = (request, response) => {
      if (answers++ > 0) reset(request, response);
      else good(request, response.setHeader('connection', 'close'));
    };
    const { server, read, heard } = await start({ onNew }, { retries: 0 });
    await read();
    await vi.waitFor(() => expect(server.open()).toBe(0));
    await expect(read()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(server.requests).toHaveLength(2);
    expect(heard).toEqual(['ok', 'unreachable']);
  });
});
