// Signing in to the example web app through the session kit: no token reaches the browser. A token can also be pasted.
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, startBrowser, type TestBrowser, timeoutMs } from '../support/browser.ts';
import { startWebExample, type WebExample } from '../support/web-example.ts';
import {
  barriersOf,
  failure,
  openProfile,
  phone,
  rows,
  savedAfter,
  scrollToEnd,
  signIn,
} from '../support/web-page.ts';

/** Ana's first account, which has 95 transactions. */
const account = '79a4d1f3-49b2-4af8-b12d-1227cd0ebb86';
const ISSUED_TOKENS = join(tmpdir(), `issued-${process.pid}`);

describe.skipIf(!hasChromium)('the web app', () => {
  let example: WebExample;
  let browser: TestBrowser;
  beforeAll(async () => {
    // Tokens that soon expire, so that they are refreshed during the test.
    const env = { ISSUED_TOKENS, TOKEN_SECONDS: '20' };
    [example, browser] = await Promise.all([startWebExample(env), startBrowser()]);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await example[Symbol.asyncDispose]();
  });

  test('walks, exports, outlives its tokens and signs out in all tabs, and the page never has a token', async () => {
    await using opened = await browser.open(phone);
    const { page } = opened;
    const answers = recordAnswers(page, example.url);
    await signIn(page, example.url, 'Ana Beatriz');
    await scrollToEnd(page);
    await page.getByRole('button', { name: 'Exportar' }).click();
    const dialog = page.getByRole('dialog');
    await savedAfter(page, () => dialog.getByRole('button', { name: 'Exportar' }).click());
    await dialog.getByRole('button', { name: 'Fechar' }).click();
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await page.getByText('Nada de novo').waitFor();
    // A sign-in issues four, and each refresh three.
    await expect.poll(() => issuedTokens().length, { timeout: timeoutMs }).toBeGreaterThan(9);
    expect(await tokensIn(page, answers, issuedTokens())).toEqual([]);

    const [other] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate("window.open('/', '_blank', 'noopener')"),
    ]);
    other.setDefaultTimeout(timeoutMs);
    await rows(other).first().waitFor();
    await (await openProfile(other)).getByRole('button', { name: 'Sair' }).click();
    await page.getByRole('link', { name: 'aurora' }).waitFor();
    await other.getByRole('link', { name: 'aurora' }).waitFor();
    expect(await rows(page).count()).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    await other.close();
  });

  test('the search finds tokens that were planted in memory, a storage, the document and an answer, and no others', async () => {
    await using opened = await browser.open(phone);
    const { page } = opened;
    const answers = recordAnswers(page, example.url);
    await page.goto(example.url);
    await page.getByRole('link', { name: 'aurora' }).waitFor();
    const tokenOf = (place: string) => `eyJhbGciOiJSUzI1NiJ9.${place.repeat(5)}`;
    const places = ['memory', 'storage', 'document', 'answer'];
    await page.evaluate(`
      globalThis.kept = { token: '${tokenOf('memory')}' };
      sessionStorage.setItem('token', '${tokenOf('storage')}');
      document.body.dataset.token = '${tokenOf('document')}';
      fetch('/?${tokenOf('answer')}').then((answer) => answer.text());
    `);
    const searched = [...places, 'nowhere'].map(tokenOf);
    expect(await tokensIn(page, answers, searched)).toEqual(places.map(tokenOf));
  });

  test('keeps what it has loaded if a pasted token is replaced by a new one', async () => {
    await using opened = await browser.open(phone);
    const { page, complaints } = opened;
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.headers()['authorization'] ?? ''));
    await page.goto(example.url);
    await page.getByText('Usar um token').click();
    await page.getByLabel('Instituição').fill('aurora');
    await page.getByLabel('Token', { exact: true }).fill(example.token);
    await page.getByRole('button', { name: 'Entrar' }).click();
    await scrollToEnd(page);
    await example.script('POST', '/faults', { kind: 'status', status: 401 });
    await page.getByRole('button', { name: 'Atualizar' }).click();
    await failure(page, 'UNAUTHENTICATED').getByRole('button', { name: 'Entrar' }).click();
    // The sandbox bank verifies no signature.
    const renewed = `${example.token}A`;
    const dialog = page.getByRole('dialog', { name: 'Entrar' });
    await dialog.getByLabel('Token').fill(renewed);
    expect(await barriersOf(page)).toEqual([]);
    await example.script('DELETE', '/faults');
    await example.script('POST', `/accounts/${account}/arrivals`, { count: 2 });
    await dialog.getByRole('button', { name: 'Entrar' }).click();
    await failure(page, 'UNAUTHENTICATED').waitFor({ state: 'detached' });
    await expect.poll(() => rows(page).count(), { timeout: timeoutMs }).toBe(97);
    expect(requested.at(-1)).toBe(`Bearer ${renewed}`);
    expect(complaints).toEqual([]);
  });
});

function issuedTokens(): string[] {
  return readFileSync(ISSUED_TOKENS, 'utf8').trim().split('\n');
}

/** Records the headers and bodies of all answers of the app's origin. */
function recordAnswers(page: Page, url: string): Promise<string>[] {
  const answers: Promise<string>[] = [];
  page.context().on('response', (response) => {
    if (!response.url().startsWith(url)) return;
    const body = response.body().then(String, () => 'a redirect has no body');
    answers.push(
      Promise.all([response.headersArray(), body]).then(
        ([headers, text]) => `${response.url()} ${JSON.stringify(headers)} ${text}`,
        // The page was closed before the answer had arrived.
        () => '',
      ),
    );
  });
  return answers;
}

/** The tokens that are in the page's memory, storages, cookies or document, or in an answer. */
async function tokensIn(
  page: Page,
  answers: readonly Promise<string>[],
  tokens: readonly string[],
): Promise<string[]> {
  const places = [
    await heapOf(page),
    String(
      await page.evaluate(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])',
      ),
    ),
    // An address that the provider sends the browser to has the code in it; no script can read that redirect.
    ...(await Promise.all(answers)).filter((text) => !/^\S+\/session\/callback\//.test(text)),
  ];
  return tokens.filter((token) => places.some((place) => place.includes(token)));
}

/** A snapshot of everything in the memory of the page's scripts. */
async function heapOf(page: Page): Promise<string> {
  const devtools = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  devtools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await devtools.send('HeapProfiler.takeHeapSnapshot', { captureNumericValue: false });
  await devtools.detach();
  return chunks.join('');
}
