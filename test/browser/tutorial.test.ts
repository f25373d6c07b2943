// The page of docs/tutorial.md, as it stands there, in a browser.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { hasChromium, startBrowser } from '../support/browser.ts';
import { startTestGateway } from '../support/gateway.ts';
import { callerHeaders } from '../support/query.ts';

const tutorial = readFileSync('docs/tutorial.md', 'utf8');
const [, page = ''] = /```html\n([^]+?)```/.exec(tutorial) ?? [];
const [, account = ''] = /ACCOUNT=(\S+)/.exec(tutorial) ?? [];

describe.skipIf(!hasChromium)('the page of the tutorial', () => {
  test('shows each transaction once while others arrive, and the balance with its digits', async () => {
    await using gateway = await startTestGateway();
    const { authorization } = await callerHeaders(gateway.bank);
    await using served = await serve(
      page
        .replace('http://127.0.0.1:4000', gateway.url)
        .replace('TOKEN', authorization.slice('Bearer '.length)),
    );
    const ids = gateway.bank.statement(account).map(({ id }) => id);
    await using browser = await startBrowser();
    await using opened = await browser.open();
    await opened.page.goto(served.url);
    const rows = opened.page.locator('li');
    const more = opened.page.getByRole('button', { name: 'More' });
    await rows.nth(19).waitFor();
    const shown = await rows.allTextContents();
    gateway.bank.arrive(account, 3);
    for (let count = 40; await more.isVisible(); count += 20) {
      await more.click();
      await rows.nth(Math.min(count, ids.length) - 1).waitFor();
    }
    expect(await rows.count()).toBe(ids.length);
    expect((await rows.allTextContents()).slice(0, 20)).toEqual(shown);
    expect(await opened.page.locator('h1').textContent()).toBe('R$\u00A01.523,40');
    expect(opened.complaints.filter((text) => !text.includes('status of 404'))).toEqual([]);
  });
});

/** Serves a page on localhost, an origin that the gateway allows outside production. */
async function serve(html: string) {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(html);
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
