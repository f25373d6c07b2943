// The example web app with a statement of 5,000 transactions: what is in the document, and what a slice adds to it. The
// CPU time is measured by bench/web-app.ts.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium, timeoutMs } from '../support/browser.ts';
import { useWebApp } from '../support/web-app.ts';
import { barriersOf, idsOnPage, phone, rows, signIn } from '../support/web-page.ts';

/** Ana's second account, which has 5,000 transactions. */
const account = 'a36e5c47-59f2-4aa1-8343-b3a0a7762a1e';
const balance = 'R$ 84.210,00';
/** The most rows that the document may have at any time. */
const mostRows = 400;

describe.skipIf(!hasChromium)('with a long statement the web app', () => {
  const { example, browser } = useWebApp();

  async function openLongStatement() {
    const opened = await browser.open(phone);
    const { page } = opened;
    await signIn(page, example.url, 'Ana Beatriz');
    await page.getByLabel('Contas').getByRole('button', { name: balance }).click();
    await rows(page).nth(19).waitFor();
    return opened;
  }

  async function openWhole() {
    const opened = await openLongStatement();
    const { page } = opened;
    await page.getByRole('button', { name: 'Somar entradas e saídas' }).click();
    await page.getByRole('region', { name: 'Entradas e saídas' }).waitFor();
    return opened;
  }

  test('shows each transaction once and in order, and has only those near the viewport in the document', async () => {
    const all = (await example.statementOf(account)).map(({ id }) => id);
    await using opened = await openWhole();
    const { page, complaints } = opened;
    const days = await page.locator('.day').count();
    const { seen, most } = await scrollThrough(page);
    expect(seen).toEqual(all);
    expect(most).toBeLessThanOrEqual(mostRows);
    await page.getByText('Fim do extrato').waitFor();
    expect(await page.getByRole('heading', { level: 3 }).count()).toBe(days);
    expect(await barriersOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('adds only the rows of a slice to the document when it arrives', async () => {
    await using opened = await openLongStatement();
    const { page } = opened;
    let first = 100;
    let slices = 0;
    await page.route('**/graphql', async (route) => {
      const body = route.request().postDataJSON() as Asked;
      if (body.operationName === 'Statement') {
        slices += 1;
        body.variables.first = first;
      }
      await route.continue({ postData: JSON.stringify(body) });
    });
    await loadUntil(page, () => slices >= 12);
    first = 20;
    // Of the last long slice, days far below were not rendered until the page was scrolled to them.
    await loadUntil(page, () => slices >= 14);
    await page.locator('.skeleton').waitFor({ state: 'detached' });
    await countAddedRows(page);
    const before = slices;
    await loadUntil(page, () => slices >= before + 5);
    await page.locator('.skeleton').waitFor({ state: 'detached' });
    // Of more than 1,100 rows in the list. Days that come near during the scrolling may be among them.
    expect(await page.evaluate('globalThis.addedRows')).toBeLessThanOrEqual(
      2 * 20 * (slices - before),
    );
    expect(await rows(page).count()).toBeLessThanOrEqual(mostRows);
  });

  test('leads through all rows by keyboard, and returns the focus to a row far from the viewport', async () => {
    const all = (await example.statementOf(account)).map(({ id }) => id);
    await using opened = await openWhole();
    const { page } = opened;
    await rows(page).first().getByRole('button').focus();
    const reached = [await focusedId(page)];
    for (let presses = 0; presses < 250; presses++) {
      await page.keyboard.press('Tab');
      reached.push(await focusedId(page));
    }
    expect(reached).toEqual(all.slice(0, 251));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Detalhes da transação' });
    await dialog.waitFor();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.locator(`[data-id="${all.at(-1)}"]`).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await focusedId(page)).toBe(all[250]);
    await page.keyboard.press('Shift+Tab');
    expect(await focusedId(page)).toBe(all[249]);
  });

  test('shows the rows in view again at once after a search in all of them', async () => {
    await using opened = await openWhole();
    const { page } = opened;
    const before = await idsOnPage(page);
    const search = page.getByRole('searchbox');
    await search.fill('camila nobrega 22,00');
    await page.getByText(/ de 5\.?000 transações carregadas corresponde/).waitFor();
    await expect.poll(() => rows(page).count(), { timeout: timeoutMs }).toBeLessThan(before.length);
    await search.fill('');
    await expect.poll(() => idsOnPage(page), { timeout: timeoutMs }).toEqual(before);
  });
});

interface Asked {
  readonly operationName: string;
  readonly variables: { first?: number };
}

async function loadUntil(page: Page, isEnough: () => boolean): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.evaluate('scrollTo(0, document.body.scrollHeight)');
        return isEnough();
      },
      { timeout: timeoutMs },
    )
    .toBe(true);
}

/** Counts the rows that come into the document from now on. */
function countAddedRows(page: Page): Promise<void> {
  return page.evaluate(`{
    globalThis.addedRows = 0;
    const rowsIn = (node) =>
      node instanceof Element ? node.querySelectorAll('[data-id]').length + node.matches('[data-id]') : 0;
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) addedRows += rowsIn(node);
    }).observe(document, { childList: true, subtree: true });
  }`);
}

/**
 * Scrolls through the page, screen by screen, each once its days are rendered: the ids of the rows that were in view, in
 * order, and the largest number of rows in the document.
 */
function scrollThrough(page: Page): Promise<{ seen: string[]; most: number }> {
  return page.evaluate(`(async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const isInView = (element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return bottom > 0 && top < innerHeight;
    };
    const seen = new Set();
    let most = 0;
    for (let last = -1; last !== scrollY; ) {
      while ([...document.querySelectorAll('.day.far')].some(isInView)) await frame();
      const rows = [...document.querySelectorAll('[data-id]')];
      most = Math.max(most, rows.length);
      for (const row of rows) if (isInView(row)) seen.add(row.dataset.id);
      last = scrollY;
      scrollBy(0, innerHeight);
      await frame();
    }
    return { seen: [...seen], most };
  })()`);
}

function focusedId(page: Page): Promise<unknown> {
  return page.evaluate("document.activeElement.closest('[data-id]')?.dataset.id");
}
