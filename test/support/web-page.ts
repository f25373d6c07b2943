// The example web app's pages: their content, and the actions of a user.
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { timeoutMs } from './browser.ts';

export const phone = {
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
  locale: 'pt-BR',
};

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Signs in at the customer's bank as the first customer whose button contains this string. */
export async function signIn(page: Page, url: string, name: string): Promise<void> {
  await page.goto(url);
  const bank = name.startsWith('Juliana') ? 'cooperativa:litoral' : 'aurora';
  await page.getByRole('link', { name: bank }).click();
  await page.getByRole('button', { name }).first().click();
}

/** Opens the dialog with the holder's data, the language and the sign-out. */
export async function openProfile(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^(?:Perfil|Profile)$/ }).click();
  return page.getByRole('dialog');
}

export function rows(page: Page) {
  return page.locator('[data-id]');
}

export function failure(page: Page, code: string) {
  return page.locator(`[role="alert"][data-code="${code}"]`);
}

export function idsOnPage(page: Page): Promise<string[]> {
  return page.evaluate("[...document.querySelectorAll('[data-id]')].map((row) => row.dataset.id)");
}

/** The text with ordinary spaces instead of the non-breaking spaces that Intl puts into amounts. */
export function plain(text: string | null | undefined): string {
  return (text ?? '').replace(/\s/g, ' ');
}

export function scrollToEnd(page: Page): Promise<void> {
  return scrollUntil(page, () => page.getByText('Fim do extrato').isVisible());
}

export async function scrollUntil(page: Page, isReached: () => Promise<boolean>): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, 2000);
        return isReached();
      },
      { timeout: timeoutMs },
    )
    .toBe(true);
}

interface Axe {
  run(): Promise<{ violations: readonly { readonly id: string; readonly help: string }[] }>;
}

export interface SavedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The file that the page saves after an action. */
export async function savedAfter(page: Page, step: () => Promise<void>): Promise<SavedFile> {
  const [download] = await Promise.all([page.waitForEvent('download'), step()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** The accessibility problems that axe finds, such as missing labels or too little contrast. */
export async function barriersOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: engine } = globalThis as unknown as { axe: Axe };
    const { violations } = await engine.run();
    return violations.map(({ id, help }) => `${id}: ${help}`);
  });
}
