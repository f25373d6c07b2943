// The example web app: periods, search, details, both languages, offline use, sign-out, use by keyboard, and
// accessibility.
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium, type TestBrowser, timeoutMs } from '../support/browser.ts';
import { reais, sumOfCentavos } from '../support/statement-files.ts';
import { useWebApp } from '../support/web-app.ts';
import {
  barriersOf,
  failure,
  idsOnPage,
  openProfile,
  phone,
  plain,
  rows,
  scrollToEnd,
  scrollUntil,
  signIn,
} from '../support/web-page.ts';

const desktop = { viewport: { width: 1280, height: 800 }, locale: 'pt-BR' };

/** A window of 1280 by 800 pixels at 200 % zoom. */
const zoomed = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2, locale: 'pt-BR' };

/** Ana's first account, which has 95 transactions. */
const account = '79a4d1f3-49b2-4af8-b12d-1227cd0ebb86';

describe.skipIf(!hasChromium)('in the web app', () => {
  const { example, browser } = useWebApp();

  async function openAna(options: Parameters<TestBrowser['open']>[0] = phone) {
    const opened = await browser.open(options);
    await signIn(opened.page, example.url, 'Ana Beatriz');
    await rows(opened.page).first().waitFor();
    return opened;
  }

  /** Ids of the bank's transactions between two instants. */
  async function idsBetween(from: string, before: string): Promise<string[]> {
    const all = await example.statementOf(account);
    const found = all.filter(({ createdAt }) => createdAt >= from && createdAt < before);
    return found.map(({ id }) => id);
  }

  test.each(['inclusive', 'exclusive'])(
    'a period covers whole days in São Paulo’s time zone if the service’s endDate is %s',
    async (endDate) => {
      await example.script('PATCH', '/behaviour', { endDate });
      // The first of these instants is still on the period's last day in São Paulo, but on the next day in UTC.
      await example.script('POST', `/accounts/${account}/late-postings`, {
        given: { createdAt: '2026-06-21T02:59:59.999Z' },
      });
      await example.script('POST', `/accounts/${account}/late-postings`, {
        given: { createdAt: '2026-06-21T03:00:00.000Z' },
      });
      await using opened = await openAna();
      const { page } = opened;
      await choosePeriod(page, '2026-06-10', '2026-06-20');
      await scrollToEnd(page);
      const expected = await idsBetween('2026-06-10T03:00', '2026-06-21T03:00');
      expect(expected.length).toBeGreaterThan(3);
      expect(await idsOnPage(page)).toEqual(expected);
      await page.getByRole('button', { name: '10/06/2026 – 20/06/2026' }).waitFor();
      expect(await barriersOf(page)).toEqual([]);
    },
  );

  test('a month can be selected with one tap, and new transactions appear in the lists of their month and of all periods', async () => {
    await using opened = await openAna();
    const { page } = opened;
    await page.getByRole('button', { name: 'maio' }).click();
    await scrollToEnd(page);
    const may = await idsBetween('2026-05-01T03:00', '2026-06-01T03:00');
    expect(await idsOnPage(page)).toEqual(may);
    await page.getByRole('button', { name: 'junho' }).click();
    // Waits until the list is loaded, because only rows that arrive afterwards count as new.
    const [newest = ''] = await idsBetween('2026-06-01T03:00', '2026-07-01T03:00');
    await expect.poll(() => idsOnPage(page), { timeout: timeoutMs }).toContain(newest);
    await example.script('POST', `/accounts/${account}/arrivals`, { count: 3 });
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await page.getByText('3 novas transações').waitFor();
    await scrollToEnd(page);
    expect(await idsOnPage(page)).toEqual(await idsBetween('2026-06-01T03:00', '2026-07-01T03:00'));
    // The list of all periods was loaded earlier, and must get the new transactions too.
    await page.getByRole('button', { name: 'Tudo' }).click();
    await page.getByText('3 novas transações').waitFor();
    await scrollToEnd(page);
    expect(await rows(page).count()).toBe(98);
  });

  test('an empty period is reported, and a period that ends before it starts is invalid', async () => {
    await using opened = await openAna();
    const { page } = opened;
    await choosePeriod(page, '2020-01-01', '2020-01-31');
    await page.getByText('Nenhuma transação neste período.').waitFor();
    await fillPeriod(page, '2026-06-20', '2026-06-10');
    await page.getByRole('button', { name: 'Aplicar' }).click();
    expect(await page.locator('input:invalid').count()).toBeGreaterThan(0);
    expect(await rows(page).count()).toBe(0);
  });

  test('a search covers the loaded transactions, ignores case and accents, and can load more transactions', async () => {
    await using opened = await openAna();
    const { page } = opened;
    const search = page.getByRole('searchbox', { name: 'Buscar no que foi carregado' });
    await search.fill('CAMILA nobrega');
    await page.getByText(/^\d+ de 20 transações carregadas corresponde/).waitFor();
    const texts = await rows(page).allTextContents();
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => !text.includes('Camila Nóbrega'))).toEqual([]);
    expect(await barriersOf(page)).toEqual([]);
    // What is not found in the loaded transactions may be in the rest of the month.
    const oldest = (await example.statementOf(account)).at(-1)?.id ?? '';
    await search.fill(oldest);
    await page.getByText(/^0 de 20 transações/).waitFor();
    await page.getByRole('button', { name: /^Carregar (?:junho|maio)$/ }).click();
    await page.getByText(/^1 de 95 transações/).waitFor();
    expect(await idsOnPage(page)).toEqual([oldest]);
    await search.fill('');
    await scrollToEnd(page);
    await expect.poll(() => rows(page).count(), { timeout: timeoutMs }).toBe(95);
  });

  test('the details of a transaction can be opened by keyboard, and the focus returns to the transaction after the details are closed', async () => {
    await using opened = await openAna(desktop);
    const { page, complaints } = opened;
    const line = rows(page).nth(1).getByRole('button');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Contábil Esperança ME');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Detalhes da transação' });
    const content = plain(await dialog.textContent());
    for (const part of [
      'R$ 5,00',
      'Pix recebido',
      'DeContábil Esperança ME',
      'terça-feira, 30 de junho de 2026, 01:29 (Horário Padrão de Brasília)',
      'Em processamento',
      '17b0bc64-26ba-4c72-8d2a-1a60ab43598a',
    ]) {
      expect(content).toContain(part);
    }
    expect(await dialog.locator(':focus').count()).toBe(1);
    expect(await barriersOf(page)).toEqual([]);
    await opened.picture('web-details');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await line.evaluate('document.activeElement.closest("li").dataset.id')).toBe(
      await rows(page).nth(1).getAttribute('data-id'),
    );
    expect(complaints).toEqual([]);
  });

  test.each([
    ['whose amount cannot be read', { wrong: 'amount' }, 'out', 'Saída: ', 'Valor indisponível'],
    ['of zero', { given: { amount: '0.00', credit: false } }, 'out', 'Saída: ', 'R$ 0,00'],
    ['without a direction', { wrong: 'credit' }, 'unknown', 'Sentido desconhecido: ', 'R$ 0,99'],
  ])(
    'an outflow %s is not shown as an inflow',
    async (_, { wrong, given }: { wrong?: string; given?: object }, direction, name, amount) => {
      if (given) await example.script('POST', `/accounts/${account}/arrivals`, { given });
      if (wrong !== undefined) {
        await example.script('POST', '/faults', {
          kind: 'wrongShape',
          pointer: `/data/0/${wrong}`,
          value: 'x',
          match: { accountId: account, page: 0 },
        });
      }
      await using opened = await openAna();
      const row = rows(opened.page).first();
      expect(await row.getAttribute('class')).toBe(direction);
      expect(plain(await row.textContent())).toContain(name);
      expect(plain(await row.locator('.amount').textContent())).toContain(amount);
      await row.getByRole('button').click();
      const dialog = opened.page.getByRole('dialog');
      expect(plain(await dialog.locator('.sum').textContent())).toContain(amount);
      expect(await dialog.locator('.sum').getAttribute('class')).toBe(`sum ${direction}`);
      expect(await barriersOf(opened.page)).toEqual([]);
      await opened.picture(`web-${direction}-${wrong ?? 'zero'}`);
    },
  );

  test.each([
    ['Ana Beatriz', 'Ir para o extrato', 'statement'],
    ['Juliana Cavalcanti', 'Ir para o conteúdo', 'content'],
  ])(
    'the focus is on the heading after %s signs in, and the next Tab leads to the link “%s”',
    async (name, link, id) => {
      await using opened = await browser.open(desktop);
      const { page } = opened;
      await signIn(page, example.url, name);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page
        .getByText(/^(Ag\. .*|Você ainda não tem contas\.)$/)
        .first()
        .waitFor();
      expect(await focused(page, 'tagName')).toBe('H1');
      await page.keyboard.press('Tab');
      expect(await focused(page, 'textContent')).toBe(link);
      expect(await barriersOf(page)).toEqual([]);
      await page.keyboard.press('Enter');
      expect(await focused(page, 'id')).toBe(id);
    },
  );

  test('the language is that of the browser, and can be changed', async () => {
    await using opened = await openAna({ ...desktop, locale: 'en-GB' });
    const { page } = opened;
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    const [first] = await rows(page).allTextContents();
    expect(plain(first)).toMatch(/Out: Tarifa Pix.*-R\$0\.9911:44/);
    await page.getByRole('heading', { name: 'Tuesday, June 30, 2026' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await opened.picture('web-desktop');
    await (await openProfile(page)).getByRole('button', { name: 'Português' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'terça-feira, 30 de junho de 2026' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('pt-BR');
  });

  test('the screens and dialogs have no accessibility barriers and are as wide as the phone, in light and dark mode', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await using opened = await browser.open({ ...phone, colorScheme });
      const { page } = opened;
      const look = async () => {
        expect(await barriersOf(page)).toEqual([]);
        const width = await page.evaluate('document.documentElement.scrollWidth');
        expect(width).toBe(phone.viewport.width);
      };
      await page.goto(example.url);
      await page.getByRole('heading', { name: 'Entrar' }).waitFor();
      await look();
      await signIn(page, example.url, 'Ana Beatriz');
      await rows(page).first().waitFor();
      await look();
      await opened.picture(`web-${colorScheme}`);
      await page.getByRole('button', { name: 'Outro período' }).click();
      await look();
      await rows(page).first().getByRole('button').click();
      await look();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Exportar' }).click();
      await look();
      await page.getByRole('dialog').getByRole('button', { name: 'Exportar' }).click();
      await page.getByRole('link', { name: 'Baixar de novo' }).waitFor();
      await look();
    }
  });

  test('a wide dark screen has no accessibility barriers', async () => {
    await using opened = await openAna({ ...desktop, colorScheme: 'dark' });
    expect(await barriersOf(opened.page)).toEqual([]);
    await opened.picture('web-desktop-dark');
  });

  test('nothing is cut off, overlaps or needs horizontal scrolling at 200 % zoom', async () => {
    await using opened = await browser.open(zoomed);
    const { page } = opened;
    const look = async (name: string) => {
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(
        zoomed.viewport.width,
      );
      expect(await cutOffOn(page)).toEqual([]);
      expect(await overlapsOn(page)).toEqual([]);
      expect(await barriersOf(page)).toEqual([]);
      await opened.picture(`web-zoom-${name}`);
    };
    const dialog = page.getByRole('dialog');
    const close = async () => {
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    await page.goto(example.url);
    await page.getByRole('heading', { name: 'Entrar' }).waitFor();
    await look('sign-in');
    await signIn(page, example.url, 'Ana Beatriz');
    await rows(page).first().waitFor();
    await look('statement');
    await page.getByRole('button', { name: 'Outro período' }).click();
    await page.getByRole('button', { name: 'Somar entradas e saídas' }).click();
    await page.getByRole('region', { name: 'Entradas e saídas' }).waitFor();
    await look('period');
    await rows(page).first().getByRole('button').click();
    await look('details');
    await close();
    await openProfile(page);
    await dialog.getByText('E-mail').waitFor();
    await look('profile');
    await close();
    await page.getByRole('button', { name: 'Exportar' }).click();
    await dialog.waitFor();
    await look('export');
  });

  test('amounts can be hidden and shown again, on all screens', async () => {
    await using opened = await openAna();
    const { page } = opened;
    await page.getByRole('button', { name: 'Somar entradas e saídas' }).click();
    await page.getByRole('region', { name: 'Entradas e saídas' }).waitFor();
    const hide = page.getByRole('button', { name: 'Ocultar valores' });
    await hide.click();
    expect(await hide.getAttribute('aria-pressed')).toBe('true');
    const visible = async () => plain(await page.locator('body').innerText());
    expect(await visible()).not.toMatch(/R\$ ?\d/);
    const hidden = page.getByLabel('Contas').getByRole('img', { name: 'Valor oculto' });
    expect(await hidden.count()).toBe(4);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.viewport.width);
    await rows(page).first().getByRole('button').click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await visible()).not.toMatch(/R\$ ?\d/);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await barriersOf(page)).toEqual([]);
    await opened.picture('web-hidden');
    await hide.click();
    expect(await visible()).toContain('R$ 1.523,40');
  });

  test('what came in and went out in a period is added up exactly, by status', async () => {
    await using opened = await openAna();
    const { page } = opened;
    const sums = page.getByRole('region', { name: 'Entradas e saídas' });
    const bankRows = await example.statementOf(account);
    const expectedOf = (from: string, before: string) => {
      const within = bankRows.filter(({ createdAt }) => createdAt >= from && createdAt < before);
      return Object.entries(statusNames).flatMap(([status, name]) => {
        const ofStatus = within.filter((row) => row.status === status);
        if (ofStatus.length === 0) return [];
        const sum = (credit: boolean) =>
          sumOfCentavos(
            ofStatus.filter((row) => row.credit === credit).map(({ amount }) => amount),
          );
        return [[name, reais(sum(true)), reais(-sum(false))]];
      });
    };
    const shown = async () => {
      await sums.waitFor();
      const lines = await sums.getByRole('group').all();
      return Promise.all(
        lines.map(async (line) => (await line.locator('p, dd').allTextContents()).map(plain)),
      );
    };
    // A month is added up without being asked.
    await page.getByRole('button', { name: 'junho' }).click();
    expect(await shown()).toEqual(expectedOf('2026-06-01T03:00', '2026-07-01T03:00'));
    expect(await barriersOf(page)).toEqual([]);
    await opened.picture('web-totals');
    await page.getByRole('button', { name: 'Tudo' }).click();
    await page.getByRole('button', { name: 'Somar entradas e saídas' }).click();
    expect(await shown()).toEqual(expectedOf('2000', '3000'));
    expect(await rows(page).count()).toBe(bankRows.length);
    expect(await idsOnPage(page)).toEqual(bankRows.map(({ id }) => id));
  });

  test('what is in no sum is counted', async () => {
    await example.script('POST', '/faults', {
      kind: 'wrongShape',
      pointer: '/data/0/amount',
      value: 'x',
      match: { accountId: account, page: 0 },
    });
    await using opened = await openAna();
    await opened.page.getByRole('button', { name: 'Somar entradas e saídas' }).click();
    await opened.page.getByText('1 transação está fora das somas').waitFor();
  });

  test('placeholders stand for what is loading, and nothing moves when it arrives', async () => {
    await using opened = await browser.open({ ...phone, reducedMotion: 'reduce' });
    const { page } = opened;
    const held = Promise.withResolvers<undefined>();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query Statement') === true) await held.promise;
      await route.continue();
    });
    await signIn(page, example.url, 'Ana Beatriz');
    const placeholders = page.locator('.skeleton[data-of="chips"] span');
    await placeholders.first().waitFor();
    expect(await placeholders.count()).toBe(3);
    expect(await page.locator('.skeleton[data-of="lines"] span').count()).toBe(6);
    const animation = 'getComputedStyle(document.querySelector(".skeleton span")).animationName';
    expect(await page.evaluate(animation)).toBe('none');
    expect(await barriersOf(page)).toEqual([]);
    await opened.picture('web-skeleton');
    const heightOf = async () => (await boxOf(page.getByRole('group', { name: 'Período' }))).height;
    const before = await heightOf();
    held.resolve(undefined);
    await rows(page).first().waitFor();
    expect(await heightOf()).toBe(before);
    expect(await page.locator('.skeleton[data-of="chips"]').count()).toBe(0);
  });

  test.each([
    ['Ana Beatriz', ['CPF ***.456.789-**', '@', '•••• ', 'CNH •••• ']],
    ['Carlos Eduardo', ['CNPJ', '@', '•••• ']],
  ])('the profile of %s shows masked numbers, for persons and companies', async (name, parts) => {
    await using opened = await browser.open(phone);
    const { page } = opened;
    await signIn(page, example.url, name);
    await rows(page).first().waitFor();
    const dialog = await openProfile(page);
    await dialog.getByText('E-mail').waitFor();
    const content = plain(await dialog.textContent());
    for (const part of parts) expect(content).toContain(part);
    expect(content).not.toMatch(/\d{7}/);
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.viewport.width);
    await opened.picture(`web-profile-${name.split(' ')[0]}`);
  });

  test('a transaction has words in place of codes, and can be copied and shared', async () => {
    await example.script('POST', `/accounts/${account}/arrivals`, {
      given: {
        type: 'FEE',
        category: 'Manutenção da conta',
        status: 'DONE',
        externalStatus: 'PROCESSING',
        amount: '1.50',
        credit: false,
      },
    });
    await using opened = await browser.open({
      ...phone,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = opened;
    await page.addInitScript(
      'navigator.share = async ({ text }) => void (globalThis.shared = text);',
    );
    await signIn(page, example.url, 'Ana Beatriz');
    await rows(page).getByText('Manutenção da conta').click();
    const dialog = page.getByRole('dialog');
    const content = plain(await dialog.textContent());
    expect(content).toContain('Processamento externoEm andamentoTipoTarifa');
    expect(content).not.toMatch(/FEE|PROCESSING|SUCCESS|DONE/);
    await dialog.getByRole('button', { name: 'Copiar' }).click();
    await dialog.getByText('Copiado').waitFor();
    const copied = plain(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toContain('Saída: -R$ 1,50');
    expect(copied).toContain('Situação: Efetivada');
    await dialog.getByRole('button', { name: 'Compartilhar' }).click();
    await expect.poll(async () => plain(await page.evaluate('globalThis.shared'))).toBe(copied);
    expect(await barriersOf(page)).toEqual([]);
    await opened.picture('web-share');
  });

  test('dates are written in the language of the app, whatever that of the browser is', async () => {
    await using opened = await openAna({ ...desktop, locale: 'en-US' });
    const { page } = opened;
    await page.getByRole('button', { name: 'Other period' }).click();
    const from = page.getByLabel('From', { exact: true });
    await from.fill('06102026');
    await page.getByLabel('To', { exact: true }).fill('06/20/2026');
    expect(await from.inputValue()).toBe('06/10/2026');
    await from.fill('06/31/2026');
    await page.getByRole('button', { name: 'Apply' }).click();
    expect(await page.locator('input:invalid').count()).toBe(1);
    await (await openProfile(page)).getByRole('button', { name: 'Português' }).click();
    await page.keyboard.press('Escape');
    await choosePeriod(page, '2026-06-10', '2026-06-20');
    await page.getByRole('button', { name: '10/06/2026 – 20/06/2026' }).waitFor();
  });

  test.each(['123456789012345.89', `${'1234567890'.repeat(4)}.12`])(
    'the amount %s and its category are readable on the narrowest phone',
    async (amount) => {
      await example.script('POST', `/accounts/${account}/arrivals`, {
        given: { amount, credit: false, category: 'Pix enviado' },
      });
      await using opened = await openAna({ ...phone, viewport: { width: 320, height: 740 } });
      const row = rows(opened.page).first();
      const [rowBox, categoryBox, amountBox] = await Promise.all(
        [row, row.locator('.what'), row.locator('.amount > span')].map(boxOf),
      );
      expect(categoryBox?.width).toBeGreaterThan(60);
      expect(amountBox?.x).toBeGreaterThan(rowBox?.x ?? Infinity);
      expect(amountBox?.right).toBeLessThan(rowBox?.right ?? 0);
      await opened.picture(`web-amount-${amount.length}`);
    },
  );

  test('the loaded transactions stay visible offline, below a notice, and nothing is stored', async () => {
    await using opened = await openAna();
    const { page } = opened;
    await scrollToEnd(page);
    await page.context().setOffline(true);
    const notice = page.getByText(/^Sem conexão\. Você vê o que foi carregado até \d\d:\d\d/);
    await notice.waitFor();
    expect(await rows(page).count()).toBe(95);
    await page.getByRole('searchbox').fill('tarifa');
    await expect.poll(() => rows(page).count(), { timeout: timeoutMs }).toBeLessThan(30);
    await page.getByRole('searchbox').fill('');
    await rows(page).first().getByRole('button').click();
    await page.getByRole('dialog').getByText('Tarifa Pix').waitFor();
    await page.keyboard.press('Escape');
    // Offline, a period that was not requested before shows only the rows that are already loaded.
    await page.getByRole('button', { name: 'maio' }).click();
    await page.getByText('Só o que já foi carregado deste período').waitFor();
    expect(await idsOnPage(page)).toEqual(await idsBetween('2026-05-01T03:00', '2026-06-01T03:00'));
    await failure(page, 'OFFLINE').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await opened.picture('web-offline');
    expect(await storedBy(page)).toEqual([0, 0, [], []]);

    await page.context().setOffline(false);
    await notice.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Tentar de novo' }).click();
    await scrollUntil(page, async () => {
      // The first request after the network is back may still fail.
      await page.evaluate("document.querySelector('[data-code=OFFLINE] button')?.click()");
      return page.getByText('Fim do extrato').isVisible();
    });
    expect(await idsOnPage(page)).toEqual(await idsBetween('2026-05-01T03:00', '2026-06-01T03:00'));
  });

  test('no data of a holder is left for the next holder after a sign-out', async () => {
    await using opened = await openAna();
    const { page } = opened;
    await (await openProfile(page)).getByRole('button', { name: 'Sair' }).click();
    // The links are there once the provider has signed out too.
    await page.getByRole('link', { name: 'aurora' }).waitFor();
    await page.route('**/graphql', (route) => route.abort());
    await signIn(page, example.url, 'Juliana Cavalcanti');
    await failure(page, 'OFFLINE').waitFor();
    expect(await rows(page).count()).toBe(0);
    expect(await page.getByRole('main').textContent()).not.toContain('1.523,40');
    expect(await storedBy(page)).toEqual([0, 0, [], []]);
  });
});

const statusNames = {
  DONE: 'Efetivadas',
  PROCESSING: 'Em processamento',
  CANCELED: 'Canceladas',
  ERROR: 'Não realizadas',
};

async function choosePeriod(page: Page, from: string, to: string): Promise<void> {
  await fillPeriod(page, from, to);
  await page.getByRole('button', { name: 'Aplicar' }).click();
}

/**
 * Opens the form with the last button of the group, and fills it in. The button's label is the period in use, if no
 * other button stands for that period.
 */
async function fillPeriod(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('group', { name: 'Período' }).getByRole('button').last().click();
  const written = (day: string) => day.split('-').reverse().join('/');
  await page.getByLabel('De', { exact: true }).fill(written(from));
  await page.getByLabel('Até').fill(written(to));
}

async function boxOf(element: Locator) {
  const { x = 0, width = 0, height = 0 } = (await element.boundingBox()) ?? {};
  return { x, width, height, right: x + width };
}

/** The elements whose content is wider or higher than they are, apart from those that only a screen reader reads. */
function cutOffOn(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('button, a, label, h1, h2, h3, p, small, strong, em, dt, dd, time')]
    .filter((element) => element.closest('.only-read') === null && element.clientWidth > 0)
    .filter((element) => getComputedStyle(element).overflow !== 'visible' || element.matches('button, a'))
    .filter(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
      scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1)
    .map((element) => element.outerHTML)`);
}

/** The pairs of controls and headings that overlap, in the dialog if there is one. */
function overlapsOn(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const screen = document.querySelector('dialog') ?? document;
    // A day that is not laid out yet has the place of its estimated height.
    const elements = [...screen.querySelectorAll('button, a:not(.skip), input, h1, h2, h3')]
      .filter((element) => element.checkVisibility({ contentVisibilityAuto: true }));
    const boxes = elements.map((element) => [element, element.getBoundingClientRect()]);
    const doOverlap = ([one, a], [other, b]) =>
      !one.contains(other) && !other.contains(one) &&
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
      Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    return boxes.flatMap((box, index) =>
      boxes.slice(index + 1).filter((other) => doOverlap(box, other))
        .map(([other]) => box[0].outerHTML + ' and ' + other.outerHTML));
  })()`);
}

/** A property of the focused element. */
function focused(page: Page, property: 'id' | 'tagName' | 'textContent'): Promise<unknown> {
  return page.evaluate(`document.activeElement.${property}`);
}

/** Presses Tab until the focused element has the text. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if (String(await focused(page, 'textContent')).includes(text)) return;
  }
  throw new Error(`Tab does not lead to ${text}`);
}

/**
 * What the page stores on the device, apart from cookies: the numbers of entries in both storages, the databases, and
 * the caches.
 */
function storedBy(page: Page): Promise<unknown> {
  return page.evaluate(
    `Promise.all([localStorage.length, sessionStorage.length, indexedDB.databases(), caches.keys()])`,
  );
}
