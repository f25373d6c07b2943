// The example web app in a browser window of a phone's size: its first screen, and its list of transactions while the
// statement changes, after errors, and after retries.
import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium, timeoutMs } from '../support/browser.ts';
import { useWebApp } from '../support/web-app.ts';
import {
  barriersOf,
  failure,
  idsOnPage,
  phone,
  plain,
  rows,
  scrollToEnd,
  scrollUntil,
  signIn,
} from '../support/web-page.ts';

/** Ana's first account, which has 95 transactions. */
const account = '79a4d1f3-49b2-4af8-b12d-1227cd0ebb86';
const statement = `/accounts/${account}/statement`;

describe.skipIf(!hasChromium)('the web app', () => {
  const { example, browser } = useWebApp();

  async function signInAs(name: string) {
    const opened = await browser.open(phone);
    await signIn(opened.page, example.url, name);
    return opened;
  }

  async function idsAtBank(): Promise<string[]> {
    return (await example.statementOf(account)).map(({ id }) => id);
  }

  const fault = (body: object) =>
    example.script('POST', '/faults', { match: { route: 'transactions' }, ...body });

  test('shows the holder, the accounts and the statement on a narrow screen, without accessibility barriers', async () => {
    await using opened = await signInAs('Ana Beatriz');
    const { page, complaints } = opened;
    await rows(page).first().waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Ana Beatriz');
    expect(await page.getByRole('banner').textContent()).toContain('CPF ***.456.789-**');
    expect(plain(await page.getByLabel('Contas').textContent())).toContain('R$ 1.523,40');
    const [first] = await rows(page).allTextContents();
    expect(plain(first)).toMatch(/Saída: Tarifa Pix.*-R\$ 0,9911:44/);
    const days = await page.getByRole('heading', { level: 3 }).allTextContents();
    expect(days.slice(0, 2)).toEqual([
      'terça-feira, 30 de junho de 2026',
      'sábado, 27 de junho de 2026',
    ]);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBe(phone.viewport.width);
    expect(await barriersOf(page)).toEqual([]);
    await opened.picture('web');
    expect(complaints).toEqual([]);
  });

  test('shows each transaction once and in order while others arrive during scrolling', async () => {
    const existing = await idsAtBank();
    await example.script('POST', `/accounts/${account}/read-hooks`, { arrivals: 3, skip: 1 });
    await using opened = await signInAs('Ana Beatriz');
    const { page, complaints } = opened;
    await scrollToEnd(page);
    expect(await idsOnPage(page)).toEqual(existing);
    await opened.picture('web-end');

    await example.script('DELETE', `/accounts/${account}/read-hooks`);
    const all = await idsAtBank();
    expect(all.length).toBeGreaterThan(existing.length + 10);
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await page.getByText(`${all.length - existing.length} novas transações`).waitFor();
    expect(await idsOnPage(page)).toEqual(all);
    expect(complaints).toEqual([]);
  });

  test('loads the list to its end even if the browser reports an old intersection together with a new one', async () => {
    await using opened = await browser.open(phone);
    const { page } = opened;
    await page.addInitScript(`
      const Observer = IntersectionObserver;
      globalThis.IntersectionObserver = class extends Observer {
        constructor(callback, options) {
          const withOlder = (entries) => [{ isIntersecting: false }, ...entries];
          super((entries) => callback(withOlder(entries)), options);
        }
      };
    `);
    await signIn(page, example.url, 'Ana Beatriz');
    await scrollToEnd(page);
    expect(await idsOnPage(page)).toEqual(await idsAtBank());
  });

  test('shows new transactions after a pull to refresh', async () => {
    await using opened = await signInAs('Ana Beatriz');
    const { page } = opened;
    await rows(page).first().waitFor();
    await example.script('POST', `/accounts/${account}/arrivals`, { count: 250 });
    await pullDown(page);
    await page.getByText('250 novas transações').waitFor();
    expect((await idsOnPage(page)).slice(0, 250)).toEqual((await idsAtBank()).slice(0, 250));
    await pullDown(page);
    await page.getByText('Nada de novo').waitFor();
  });

  test('shows a very large balance without rounding', async () => {
    await using opened = await signInAs('Carlos Eduardo');
    await rows(opened.page).first().waitFor();
    const accounts = await opened.page.getByLabel('Contas').textContent();
    expect(plain(accounts)).toContain('R$ 12.345.678.901.234.567,89');
  });

  test('shows the rest of the page if the statement fails, and can retry the statement', async () => {
    await fault({ kind: 'status', status: 500 });
    await using opened = await signInAs('Ana Beatriz');
    const { page } = opened;
    await failure(page, 'UPSTREAM_UNAVAILABLE').waitFor();
    expect(plain(await page.getByLabel('Contas').textContent())).toContain('R$ 1.523,40');
    await opened.picture('web-failure');
    await example.script('DELETE', '/faults');
    await page.getByRole('button', { name: 'Tentar de novo' }).click();
    await scrollToEnd(page);
    expect(await idsOnPage(page)).toEqual(await idsAtBank());
  });

  test('shows the slices before a failed slice, and can retry the failed slice', async () => {
    await fault({ kind: 'status', status: 500, match: { accountId: account, page: 2 } });
    await using opened = await browser.open(phone);
    const { page } = opened;
    let slices = 0;
    page.on('request', (request) => {
      slices += request.postData()?.includes('query Statement') === true ? 1 : 0;
    });
    await signIn(page, example.url, 'Ana Beatriz');
    await scrollUntil(page, () => failure(page, 'UPSTREAM_UNAVAILABLE').isVisible());
    expect(slices).toBe(3);
    expect(await idsOnPage(page)).toEqual((await idsAtBank()).slice(0, 40));
    await example.script('DELETE', '/faults');
    await page.getByRole('button', { name: 'Tentar de novo' }).click();
    await scrollToEnd(page);
    expect(await idsOnPage(page)).toEqual(await idsAtBank());
  });

  test('shows the rest of the list if values of some transactions, or a whole transaction, cannot be read', async () => {
    const existing = await example.statementOf(account);
    const wrong = (pointer: string, page: number) =>
      fault({ kind: 'wrongShape', pointer, value: false, match: { accountId: account, page } });
    await wrong('/data/3/amount', 0);
    await wrong('/data/5/status', 1);
    await wrong('/data/7/id', 2);
    await using opened = await signInAs('Ana Beatriz');
    const { page } = opened;
    await scrollToEnd(page);
    expect(await idsOnPage(page)).toEqual(existing.map(({ id }) => id).toSpliced(47, 1));
    expect(await rows(page).nth(3).textContent()).toContain('Valor indisponível');
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByText('1 transação não pôde ser lida e falta na lista.').waitFor();

    await example.script('POST', `/accounts/${account}/arrivals`, { count: 5 });
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await page.getByText('5 novas transações').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('shows the current status of the newest transactions after an update, and keeps the loaded list', async () => {
    await using opened = await signInAs('Ana Beatriz');
    const { page, complaints } = opened;
    await scrollToEnd(page);
    const payment = rows(page).nth(1);
    expect(await payment.textContent()).toContain('Em processamento');
    const transactions = (await example.statementOf(account)).map((row, index) =>
      index === 1 ? { ...row, status: 'DONE' } : row,
    );
    await example.script('PUT', statement, { transactions });
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await page.getByText('Nada de novo').waitFor();
    expect(await payment.getAttribute('data-status')).toBe('DONE');
    expect(await payment.textContent()).not.toContain('Em processamento');
    expect(await idsOnPage(page)).toEqual(await idsAtBank());
    expect(complaints).toEqual([]);
  });

  test('does not show a removed transaction after an update, and finds those that arrive later', async () => {
    await using opened = await signInAs('Ana Beatriz');
    const { page, complaints } = opened;
    await scrollToEnd(page);
    const removed = (await idsAtBank()).filter((_, index) => index === 0 || index === 7);
    await example.script('POST', `/accounts/${account}/removals`, { ids: removed });
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await expect.poll(() => idsOnPage(page), { timeout: timeoutMs }).toEqual(await idsAtBank());
    await example.script('POST', `/accounts/${account}/arrivals`, { count: 2 });
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await expect.poll(() => idsOnPage(page), { timeout: timeoutMs }).toEqual(await idsAtBank());
    expect(complaints).toEqual([]);
  });

  test('does not report that nothing is new if the update fails', async () => {
    await using opened = await signInAs('Ana Beatriz');
    const { page } = opened;
    await rows(page).first().waitFor();
    await fault({ kind: 'status', status: 500 });
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await failure(page, 'UPSTREAM_UNAVAILABLE').waitFor();
    const news = page.locator('.update').getByRole('status');
    await expect.poll(() => news.textContent(), { timeout: timeoutMs }).toBe('');
    await example.script('DELETE', '/faults');
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await page.getByText('Nada de novo').waitFor();
  });

  test('shows the failure of an update beside its button, and the list still goes on to its end', async () => {
    await using opened = await signInAs('Ana Beatriz');
    const { page } = opened;
    await rows(page).first().waitFor();
    await fault({ kind: 'status', status: 500 });
    await page.getByRole('button', { name: 'Atualizar' }).click();
    const notice = failure(page, 'UPSTREAM_UNAVAILABLE');
    await notice.waitFor();
    const { y = Infinity, height = 0 } = (await notice.boundingBox()) ?? {};
    expect(y + height).toBeLessThan(phone.viewport.height);
    expect(await barriersOf(page)).toEqual([]);
    await opened.picture('web-update-failure');
    await example.script('DELETE', '/faults');
    await example.script('POST', `/accounts/${account}/arrivals`, { count: 1 });
    await scrollToEnd(page);
    await page.evaluate('scrollTo(0, 0)');
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await page.getByText('1 nova transação').waitFor();
    expect(await idsOnPage(page)).toEqual(await idsAtBank());
  });

  test('can load a list with an update after it has failed to load, and does not report its transactions as new', async () => {
    await fault({ kind: 'status', status: 500 });
    await using opened = await signInAs('Ana Beatriz');
    const { page } = opened;
    await failure(page, 'UPSTREAM_UNAVAILABLE').waitFor();
    await example.script('DELETE', '/faults');
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await rows(page).first().waitFor();
    const news = page.locator('.update').getByRole('status');
    await expect.poll(() => news.textContent(), { timeout: timeoutMs }).toBe('');
  });

  test('reports only the new transactions if older ones are loaded during the update', async () => {
    await using opened = await browser.open(phone);
    const { page } = opened;
    const older = Promise.withResolvers<undefined>();
    let slices = 0;
    await page.route('**/graphql', async (route) => {
      const query = route.request().postData() ?? '';
      if (query.includes('query Statement') && ++slices === 2) await older.promise;
      if (query.includes('query NewSince')) {
        older.resolve(undefined);
        await rows(page).nth(39).waitFor();
      }
      await route.continue();
    });
    await signIn(page, example.url, 'Ana Beatriz');
    await scrollUntil(page, () => Promise.resolve(slices === 2));
    await example.script('POST', `/accounts/${account}/arrivals`, { count: 3 });
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await page.getByText('3 novas transações', { exact: true }).waitFor();
  });

  test('can retry after the delay in retryAfter', async () => {
    await fault({ kind: 'status', status: 429, retryAfter: 1 });
    await using opened = await signInAs('Ana Beatriz');
    const { page } = opened;
    await failure(page, 'RATE_LIMITED').waitFor();
    await example.script('DELETE', '/faults');
    await page.getByRole('button', { name: 'Tentar de novo', exact: true }).click();
    await rows(page).first().waitFor();
  });

  test('offers a button that signs in again at the bank if the service rejects the token', async () => {
    await fault({ kind: 'status', status: 401, match: {} });
    await using opened = await signInAs('Ana Beatriz');
    const { page } = opened;
    const button = failure(page, 'UNAUTHENTICATED').getByRole('button', { name: 'Entrar' });
    await button.waitFor();
    await example.script('DELETE', '/faults');
    await Promise.all([page.waitForRequest(/\/session\/sign-in\/aurora$/), button.click()]);
    await rows(page).first().waitFor();
  });

  test('keeps its place and goes on after its cursor has expired, and the customer does not notice', async () => {
    await example.script('PUT', statement, { transactions: 95, tieSizes: [95] });
    await using opened = await browser.open(phone);
    const { page, complaints } = opened;
    // Before the fourth slice, removes rows, among them the row of its cursor and all other rows that the cursor names.
    const lost = { ids: (await idsAtBank()).slice(25, 75) };
    let slices = 0;
    let expired = 0;
    await page.route('**/graphql', async (route) => {
      slices += isSlice(route) ? 1 : 0;
      if (slices === 4 && isSlice(route)) {
        await example.script('POST', `/accounts/${account}/removals`, lost);
      }
      const answer = await route.fetch();
      expired += (await answer.text()).includes('CURSOR_EXPIRED') ? 1 : 0;
      await route.fulfill({ response: answer });
    });
    const alerts = await countAlerts(page);
    await signIn(page, example.url, 'Ana Beatriz');
    await scrollToEnd(page);
    expect(await idsOnPage(page)).toEqual(await idsAtBank());
    expect(expired).toBe(1);
    expect(await alerts()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('goes on after the statement was unsettled at three reads, and the customer does not notice', async () => {
    await using opened = await browser.open(phone);
    const { page, complaints } = opened;
    let slices = 0;
    await page.route('**/graphql', async (route) => {
      slices += isSlice(route) ? 1 : 0;
      const isUnsettled = isSlice(route) && [1, 3, 4].includes(slices);
      await (isUnsettled ? route.fulfill({ json: unsettled }) : route.continue());
    });
    const alerts = await countAlerts(page);
    await signIn(page, example.url, 'Ana Beatriz');
    await scrollToEnd(page);
    expect(await idsOnPage(page)).toEqual(await idsAtBank());
    expect(slices).toBe(8);
    expect(await alerts()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('does not report that it is offline if the gateway cannot be reached through the proxy', async () => {
    await using opened = await browser.open(phone);
    const { page } = opened;
    await page.route('**/graphql', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
    await signIn(page, example.url, 'Ana Beatriz');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').getAttribute('data-code')).toBe('UPSTREAM_UNAVAILABLE');
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Tentar de novo' }).click();
    await rows(page).first().waitFor();
  });

  test('reports that it is offline, and can retry once it is online again', async () => {
    await using opened = await signInAs('Ana Beatriz');
    const { page } = opened;
    await rows(page).first().waitFor();
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await failure(page, 'OFFLINE').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Tentar de novo' }).click();
    await failure(page, 'OFFLINE').waitFor({ state: 'detached' });
    await scrollToEnd(page);
    expect(await idsOnPage(page)).toEqual(await idsAtBank());
  });
});

const unsettled = {
  data: { transactions: null },
  errors: [{ message: '', path: ['transactions'], extensions: { code: 'STATEMENT_UNSETTLED' } }],
};

function isSlice(route: Route): boolean {
  return route.request().postData()?.includes('query Statement') === true;
}

/** Counts the failures that the page shows from now on, even for a moment. */
async function countAlerts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(`
    globalThis.alerts = 0;
    new MutationObserver(() => {
      globalThis.alerts += document.querySelectorAll('[role="alert"]').length;
    }).observe(document, { childList: true, subtree: true });
  `);
  return () => page.evaluate('globalThis.alerts');
}

/** Swipes as a finger does: the page gets touch events, and no mouse events. */
async function pullDown(page: Page): Promise<void> {
  await page.evaluate('scrollTo(0, 0)');
  const devtools = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: y === undefined ? [] : [{ x: 180, y }],
    });
  await touch('touchStart', 300);
  for (const y of [330, 380, 430]) await touch('touchMove', y);
  await page.getByText('Solte para atualizar').waitFor();
  await touch('touchEnd');
  await devtools.detach();
}
