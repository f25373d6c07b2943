// Headless Chromium, its pages, and the problems that they report.
import { existsSync, mkdirSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/**
 * The programs of Debian's packages `chromium-headless-shell`, which .ci/run installs, and `chromium`, with which a page
 * opens in more than twice the time.
 */
const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;
const program = programs.find((path) => existsSync(path)) ?? programs[0];

/** Whether tests that need a browser run: always in CI, and otherwise if Chromium is installed. */
export const hasChromium = existsSync(program) || process.env['CI'] !== undefined;

if (!hasChromium) console.warn(`no ${programs.join(' or ')}: tests in a browser are skipped`);

/** The folder for screenshots of the pages. */
const pictures = new URL('../../.cache/screenshots/', import.meta.url);

/**
 * The timeout of a click or a wait. It is shorter than that of a test, so that the error names the step that failed.
 */
export const timeoutMs = 60_000;

export interface TestPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings on the page's console, uncaught exceptions, and requests that failed without being aborted. */
  readonly complaints: readonly string[];
  /** The origins to which the page sent requests. */
  readonly origins: ReadonlySet<string>;
  /** Saves a screenshot. */
  picture(name: string): Promise<void>;
}

export interface TestBrowser extends AsyncDisposable {
  /** Opens a page with separate storage. */
  open(options?: Parameters<Browser['newPage']>[0]): Promise<TestPage>;
}

/** Starts a browser that sends no requests except those of the pages. */
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
    // A page aborts its requests if it navigates away before they finish.
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
