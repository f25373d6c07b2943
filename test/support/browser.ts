// Headless Chromium with its pages, and what they complain about.
import { existsSync, mkdirSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Debian's package `chromium` puts it there; .ci/run installs it. */
const program = '/usr/bin/chromium';

/** False where tests that need one are to be skipped: on a machine without one, unless it is CI's. */
export const hasChromium = existsSync(program) || process.env['CI'] !== undefined;

if (!hasChromium) console.warn(`no ${program}: tests in a browser are skipped`);

/** Where pictures of the pages are left for people to look at. */
const pictures = new URL('../../.cache/screenshots/', import.meta.url);

/** Of a click or a wait, on a busy machine too: shorter than a test's, so that what was waited for is said. */
export const timeoutMs = 100_000;

export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings on its console, exceptions that nobody caught, and requests that failed. */
  readonly complaints: readonly string[];
  /** Origins that it asked for anything. */
  readonly origins: ReadonlySet<string>;
  /** Leaves a picture of it. */
  picture(name: string): Promise<void>;
}

export interface TestBrowser extends AsyncDisposable {
  /** A page with a storage of its own. */
  open(options?: Parameters<Browser['newPage']>[0]): Promise<TestPage>;
}

/** Starts a browser that asks nobody but the pages' own servers. */
export async function startBrowser(): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: program,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return {
    async open(options) {
      const page = await browser.newPage(options);
      page.setDefaultTimeout(timeoutMs);
      return watch(page);
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

function watch(page: Page): TestPage {
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => {
    const { errorText } = request.failure() ?? { errorText: '' };
    // That is the page itself, which leaves before all of it is there.
    if (errorText !== 'net::ERR_ABORTED') complaints.push(`${request.url()}: ${errorText}`);
  });
  page.on('request', (request) => {
    if (/^(?:http|ws)/.test(request.url())) origins.add(new URL(request.url()).origin);
  });
  return {
    page,
    complaints,
    origins,
    async picture(name) {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: new URL(`${name}.png`, pictures).pathname });
    },
    [Symbol.asyncDispose]: () => page.close(),
  };
}
