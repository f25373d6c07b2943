// Exports of the example web app: the content of the saved files, progress, cancellation, and recovery from failures.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../support/browser.ts';
import {
  elementsAt,
  grouped,
  readCsv,
  readOfx,
  reais,
  sumOfCentavos,
} from '../support/statement-files.ts';
import { useWebApp } from '../support/web-app.ts';
import type { BankRow } from '../support/web-example.ts';
import {
  barriersOf,
  failure,
  openProfile,
  phone,
  plain,
  savedAfter,
  signIn,
} from '../support/web-page.ts';

/** Ana's second account, which has 5,000 transactions. */
const account = 'a36e5c47-59f2-4aa1-8343-b3a0a7762a1e';
const balance = 'R$ 84.210,00';

/** The names of the sums in the summary, by the status of the transactions. */
const sumNames = {
  DONE: 'Soma das efetivadas',
  PROCESSING: 'Soma das em processamento',
  CANCELED: 'Soma das canceladas',
  ERROR: 'Soma das não realizadas',
};

/** The start and the end of June 2026 in the time zone of São Paulo. */
const june = { fromMs: Date.parse('2026-06-01T03:00Z'), toMs: Date.parse('2026-07-01T03:00Z') };

describe.skipIf(!hasChromium)('an export', () => {
  const { example, browser } = useWebApp();

  /** Opens the export dialog for Ana's second account. */
  async function openExport() {
    const opened = await browser.open(phone);
    await signIn(opened.page, example.url, 'Ana Beatriz');
    await chooseAccount(opened.page);
    await opened.page.getByRole('button', { name: 'Exportar' }).click();
    return opened;
  }

  const fault = (body: object) => example.script('POST', '/faults', body);

  test('of a month as CSV has the transactions of that month and their exact sum, even while others arrive', async () => {
    const before = await example.statementOf(account);
    await example.script('POST', `/accounts/${account}/read-hooks`, { arrivals: 1, skip: 1 });
    await using opened = await browser.open(phone);
    const { page, complaints } = opened;
    await signIn(page, example.url, 'Ana Beatriz');
    await chooseAccount(page);
    await page.getByRole('button', { name: 'junho' }).click();
    await page.getByRole('button', { name: 'Exportar' }).click();
    const file = await savedAfter(page, () => start(page));

    expect(file.name).toMatch(/^extrato-\d+-2026-06-01-2026-06-30\.csv$/);
    const cells = linesOf(file.bytes);
    const ofJune = (await example.statementOf(account)).filter(isInJune);
    expect(ofJune.length).toBeGreaterThan(before.filter(isInJune).length + 40);
    // The file has only the rows that existed when the walk began, so newer rows of the bank are left out here.
    const inFile = ofJune.slice(ofJune.findIndex(({ id }) => id === cells[0]?.id));
    expect(cells.map(({ id }) => id)).toEqual(inFile.map(({ id }) => id));
    expect(inFile.slice(-before.filter(isInJune).length)).toEqual(before.filter(isInJune));
    expect(cells.map(({ amount }) => amount)).toEqual(inFile.map(signedAmountOf));
    const sum = sumOfCentavos(inFile.map(signedAmountOf));
    expect(sumOfCentavos(cells.map(({ amount }) => amount))).toBe(sum);
    const done = inFile.filter(({ status }) => status === 'DONE').map(signedAmountOf);
    expect(await valueOf(page, 'Transações no arquivo')).toBe(grouped(inFile.length));
    expect(await valueOf(page, 'Soma das efetivadas')).toBe(reais(sumOfCentavos(done)));
    expect(await barriersOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('of all 5,000 transactions as CSV has each of them once, with its exact amount', async () => {
    const all = await example.statementOf(account);
    await using opened = await openExport();
    const { page } = opened;
    const cells = linesOf((await savedAfter(page, () => start(page))).bytes);
    expect(cells).toHaveLength(5000);
    expect(cells).toEqual(all.map((row) => ({ id: row.id, amount: signedAmountOf(row) })));
    for (const [status, name] of Object.entries(sumNames)) {
      const amounts = all.filter((row) => row.status === status).map(signedAmountOf);
      expect(await valueOf(page, name)).toBe(reais(sumOfCentavos(amounts)));
    }
  });

  test('of all 5,000 transactions as OFX has the completed ones and the balance', async () => {
    const all = await example.statementOf(account);
    const done = all.filter(({ status }) => status === 'DONE');
    await using opened = await openExport();
    const { page } = opened;
    await page.getByRole('radio', { name: 'OFX' }).check();
    const file = await savedAfter(page, () => start(page));
    expect(file.name).toMatch(/^extrato-\d+\.ofx$/);
    const [statement] = elementsAt(readOfx(file.bytes).root, 'BANKMSGSRSV1', 'STMTTRNRS', 'STMTRS');
    if (statement === undefined) throw new Error('no STMTRS');
    const textsAt = (...path: string[]) => elementsAt(statement, ...path).map(({ text }) => text);
    expect(textsAt('BANKTRANLIST', 'STMTTRN', 'FITID')).toEqual(done.map(({ id }) => id));
    expect(textsAt('BANKTRANLIST', 'STMTTRN', 'TRNAMT')).toEqual(
      done.map((row) => signedAmountOf(row).replace(',', '.')),
    );
    expect(textsAt('LEDGERBAL', 'BALAMT')).toEqual(['84210.00']);
    const sum = sumOfCentavos(done.map(signedAmountOf));
    expect(sumOfCentavos(textsAt('BANKTRANLIST', 'STMTTRN', 'TRNAMT'))).toBe(sum);
    expect(await valueOf(page, 'Soma das efetivadas')).toBe(reais(sum));
    await page.getByText(`${all.length - done.length} transações em processamento`).waitFor();
  });

  test('shows its progress; after it is canceled, it saves nothing and sends no more requests', async () => {
    await using opened = await openExport();
    const { page, complaints } = opened;
    const slices = await holdSlice(page, 3);
    let saved = 0;
    page.on('download', () => (saved += 1));
    await start(page);
    await page.getByText('200 de 5.000 transações lidas').waitFor();
    const bar = page.getByRole('progressbar', { name: 'Andamento da exportação' });
    expect([await bar.getAttribute('value'), await bar.getAttribute('max')]).toEqual([
      '200',
      '5000',
    ]);
    expect(await barriersOf(page)).toEqual([]);
    await opened.picture('web-export');
    // The focus is on the cancel button, because the start button is gone.
    await page.keyboard.press('Enter');
    await page.getByText('Exportação cancelada').waitFor();
    slices.release();
    await page.getByRole('button', { name: 'Fechar' }).click();
    expect(saved).toBe(0);
    expect(slices.asked()).toBe(3);
    expect(await focusedText(page)).toContain('Exportar');
    expect(complaints).toEqual([]);
  });

  test('ends when its dialog is closed', async () => {
    await using opened = await openExport();
    const { page } = opened;
    const slices = await holdSlice(page, 2);
    await start(page);
    await page.getByText('100 de 5.000 transações lidas').waitFor();
    const [aborted] = await Promise.all([
      page.waitForEvent('requestfailed'),
      page.keyboard.press('Escape'),
    ]);
    expect(aborted.failure()?.errorText).toBe('net::ERR_ABORTED');
    slices.release();
  });

  test('continues from the last cursor once the app is online again', async () => {
    await using opened = await openExport();
    const { page } = opened;
    const cursors: unknown[] = [];
    await page.route('**/graphql', async (route) => {
      const { operationName, variables } = route.request().postDataJSON() as Asked;
      if (operationName === 'Export') cursors.push(variables.after);
      if (cursors.length === 10) await page.context().setOffline(true);
      await route.continue();
    });
    const saved = savedAfter(page, () => start(page));
    await failure(page, 'OFFLINE').waitFor();
    expect(await barriersOf(page)).toEqual([]);
    const atFailure = cursors.length;
    await page.context().setOffline(false);
    const cells = linesOf((await saved).bytes);
    expect(cells.map(({ id }) => id)).toEqual(
      (await example.statementOf(account)).map(({ id }) => id),
    );
    expect(cursors[atFailure]).toBe(cursors[atFailure - 1]);
    expect(cursors.filter((cursor) => cursor === null)).toHaveLength(1);
  });

  test('has all transactions even if the service answers once with 500 and once with 429', async () => {
    await using opened = await openExport();
    const { page } = opened;
    await fault({ kind: 'status', status: 500, match: { page: 30 }, times: 1 });
    await fault({ kind: 'status', status: 429, retryAfter: 1, match: { page: 60 }, times: 1 });
    expect(linesOf((await savedAfter(page, () => start(page))).bytes)).toHaveLength(5000);
  });

  test('starts over if its cursor has expired, and has each transaction once', async () => {
    await example.script('PUT', `/accounts/${account}/statement`, {
      transactions: 600,
      tieSizes: [600],
    });
    const existing = (await example.statementOf(account)).map(({ id }) => id);
    // Removed before the fourth slice: the row of its cursor, all rows that the cursor names, and some more rows.
    const lost = existing.slice(240, 360);
    await using opened = await openExport();
    const { page } = opened;
    let slices = 0;
    await page.route('**/graphql', async (route) => {
      const { operationName } = route.request().postDataJSON() as Asked;
      slices += operationName === 'Export' ? 1 : 0;
      if (slices === 4) {
        await example.script('POST', `/accounts/${account}/removals`, { ids: lost });
      }
      await route.continue();
    });
    const cells = linesOf((await savedAfter(page, () => start(page))).bytes);
    const ids = cells.map(({ id }) => id);
    // The file may contain removed rows, because they existed when the export began.
    expect(ids).toHaveLength(new Set(ids).size);
    expect(ids.filter((id) => !lost.includes(id))).toEqual(
      existing.filter((id) => !lost.includes(id)),
    );
    expect(slices).toBeGreaterThan(6);
  });

  test('reports how many transactions could not be read', async () => {
    await using opened = await openExport();
    const { page } = opened;
    const match = { accountId: account, page: 3 };
    await fault({ kind: 'wrongShape', pointer: '/data/7/id', value: 7, match });
    expect(linesOf((await savedAfter(page, () => start(page))).bytes)).toHaveLength(4999);
    await page.getByText('1 transação não pôde ser lida e falta no arquivo.').waitFor();
  });

  test('of a month, like its list, reports the transactions without a readable date, because they may belong to it', async () => {
    const all = await example.statementOf(account);
    const wrong = {
      pointer: '/data/0/createdAt',
      value: 5,
      match: { accountId: account, page: 0 },
    };
    await fault({ kind: 'wrongShape', ...wrong });
    await using opened = await browser.open(phone);
    const { page } = opened;
    await signIn(page, example.url, 'Ana Beatriz');
    await chooseAccount(page);
    await page.getByRole('button', { name: 'Outro período' }).click();
    await page.getByLabel('De', { exact: true }).fill('01/06/2026');
    await page.getByRole('button', { name: 'Aplicar' }).click();
    await page.getByText('1 transação não pôde ser lida e falta na lista.').waitFor();
    await page.getByRole('button', { name: 'Exportar' }).click();
    const cells = linesOf((await savedAfter(page, () => start(page))).bytes);
    expect(cells.length).toBeGreaterThan(0);
    expect(cells.map(({ id }) => id)).not.toContain(all[0]?.id);
    await page.getByText('1 transação não pôde ser lida e falta no arquivo.').waitFor();
  });

  test('reports how many transactions have no amount, and are therefore not in the sum', async () => {
    const all = await example.statementOf(account);
    await using opened = await openExport();
    const { page } = opened;
    const match = { accountId: account, page: 3 };
    await fault({ kind: 'wrongShape', pointer: '/data/7/amount', value: 'x', match });
    const amounts = linesOf((await savedAfter(page, () => start(page))).bytes).map(
      ({ amount }) => amount,
    );
    expect(amounts).toEqual(all.map(signedAmountOf).with(67, ''));
    const rest = all.toSpliced(67, 1).filter(({ status }) => status === 'DONE');
    expect(await valueOf(page, 'Soma das efetivadas')).toBe(
      reais(sumOfCentavos(rest.map(signedAmountOf))),
    );
    await page.getByText('1 transação está no arquivo sem valor, fora das somas.').waitFor();
  });

  test('as OFX reports that the balance is missing, and can retry without reading the rows again', async () => {
    await using opened = await openExport();
    const { page } = opened;
    // This account is the second of the holder.
    const pointer = '/accounts/1/balance';
    await fault({ kind: 'wrongShape', pointer, value: 'x', match: { route: 'persons' } });
    let slices = 0;
    page.on('request', (request) => {
      slices += request.postData()?.includes('query Export') === true ? 1 : 0;
    });
    await page.getByRole('radio', { name: 'OFX' }).check();
    await start(page);
    await failure(page, 'NO_BALANCE').getByText('não conseguimos ler o saldo').waitFor();
    await example.script('DELETE', '/faults');
    const retry = page.getByRole('button', { name: 'Tentar de novo' });
    const { bytes } = await savedAfter(page, () => retry.click());
    expect(bytes.toString('latin1')).toContain('<BALAMT>84210.00</BALAMT>');
    expect(slices).toBe(50);
  });

  test('escapes values that a spreadsheet would evaluate as formulas', async () => {
    const given = { beneficiaryName: '=HYPERLINK("http://example.com";"R$ 1")', category: '-1+1' };
    await example.script('PUT', `/accounts/${account}/statement`, { transactions: [given] });
    await using opened = await openExport();
    const { page } = opened;
    const { bytes } = await savedAfter(page, () => start(page));
    const [, record] = readCsv(bytes.toString('utf8'), ';');
    expect(record?.slice(2, 4)).toEqual(["'-1+1", `'${given.beneficiaryName}`]);
  });

  test('as CSV in English has commas between columns, and decimal points', async () => {
    await using opened = await openExport();
    const { page } = opened;
    await page.keyboard.press('Escape');
    await (await openProfile(page)).getByRole('button', { name: 'English' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = await savedAfter(page, () =>
      page.getByRole('button', { name: 'Export' }).last().click(),
    );
    expect(file.name).toMatch(/^statement-\d+\.csv$/);
    const [titles, first] = readCsv(file.bytes.toString('utf8'), ',');
    expect(titles?.[6]).toBe('Amount');
    const [newest = ''] = (await example.statementOf(account)).map(signedAmountOf);
    expect(first?.[6]).toBe(newest.replace(',', '.'));
  });
});

interface Asked {
  readonly operationName: string;
  readonly variables: { readonly after: string | null };
}

async function chooseAccount(page: Page): Promise<void> {
  await page.getByLabel('Contas').getByRole('button', { name: balance }).click();
}

function start(page: Page): Promise<void> {
  return page.getByRole('dialog').getByRole('button', { name: 'Exportar', exact: true }).click();
}

/** Holds the request for one slice of an export until `release` is called. `asked` counts the requests for slices. */
async function holdSlice(page: Page, held: number) {
  const { promise, resolve: release } = Promise.withResolvers<undefined>();
  let asked = 0;
  await page.route('**/graphql', async (route) => {
    const { operationName } = route.request().postDataJSON() as Asked;
    asked += operationName === 'Export' ? 1 : 0;
    if (asked === held) await promise;
    await route.continue();
  });
  return { asked: () => asked, release: () => release(undefined) };
}

/** The id and the amount in each line after the header of a CSV file in Portuguese. */
function linesOf(bytes: Buffer): { id: string; amount: string }[] {
  const [, ...records] = readCsv(bytes.toString('utf8'), ';');
  return records.map((record) => ({ id: record[7] ?? '', amount: record[6] ?? '' }));
}

function isInJune({ createdAt }: BankRow): boolean {
  const ms = Date.parse(createdAt);
  return ms >= june.fromMs && ms < june.toMs;
}

/** The signed amount as a CSV file in Portuguese shows it. */
function signedAmountOf({ amount, credit }: BankRow): string {
  return `${credit ? '' : '-'}${amount}`.replace('.', ',');
}

function valueOf(page: Page, name: string): Promise<string> {
  return page.locator(`dl > div:has(dt:text-is("${name}")) dd`).textContent().then(plain);
}

function focusedText(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.textContent');
}
