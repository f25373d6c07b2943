// The example web app and a browser for the tests of a file.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startBrowser, type TestBrowser } from './browser.ts';
import { builtWebApp, startWebExample, type WebExample } from './web-example.ts';

interface WebApp {
  readonly example: Omit<WebExample, keyof AsyncDisposable | 'token'>;
  readonly browser: Pick<TestBrowser, 'open'>;
}

/**
 * Starts the app and the browser before the tests of a describe block, and restores the data of the bank before each
 * test.
 */
export function useWebApp(): WebApp {
  let example: WebExample;
  let browser: TestBrowser;
  beforeAll(async () => {
    [example, browser] = await Promise.all([
      startWebExample({}, '--folder', builtWebApp),
      startBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await example[Symbol.asyncDispose]();
  });
  beforeEach(() => example.script('POST', '/reset'));
  return {
    example: {
      get url() {
        return example.url;
      },
      script: (method, path, body) => example.script(method, path, body),
      statementOf: (accountId) => example.statementOf(accountId),
    },
    browser: { open: (options) => browser.open(options) },
  };
}
