// `npm run bench:web [-- --folder dist]`: the CPU time that the page of the example web app needs in Chromium for a
// statement of 5,000 transactions, in the production build or in another one, given by its folder. It is that of the
// page's main thread, which varies less than the elapsed time if the machine does other work; without layout, painting
// and garbage collection, that of the app's JavaScript.
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { startBrowser } from '../test/support/browser.ts';
import { startWebExample } from '../test/support/web-example.ts';
import { median } from './median.ts';

/** Ana's second account, which has 5,000 transactions. */
const balance = 'R$ 84.210,00';
const firstSlices = 9;
/** Slices of 100, so that 4,600 rows are loaded before the last slices that are measured. */
const longSlices = 44;
const lastSlices = 15;
const rounds = 5;
const { values } = parseArgs({ options: { folder: { type: 'string' } } });
const served = values.folder === undefined ? ['--built'] : ['--folder', values.folder];

await using example = await startWebExample({}, ...served);
await using browser = await startBrowser();
await using opened = await browser.open({
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
  locale: 'pt-BR',
});
const { page } = opened;
// Taps, because after a click the browser also looks for what is below the mouse whenever the list moves.
await page.goto(example.url);
await page.getByRole('link', { name: 'aurora' }).tap();
await page.getByRole('button', { name: 'Ana Beatriz' }).first().tap();
await page.getByLabel('Contas').getByRole('button', { name: balance }).tap();
await page.locator('[data-id]').nth(19).waitFor();
const costOf = await startMeter(page);

const first = await costOf(() => loadSlices(page, firstSlices));
await page.route('**/graphql', async (route) => {
  const body = route.request().postDataJSON() as { readonly variables: { first?: number } };
  body.variables.first = 100;
  await route.continue({ postData: JSON.stringify(body) });
});
await loadSlices(page, longSlices);
await page.unroute('**/graphql');

const last = await costOf(() => loadSlices(page, lastSlices));
const lines = await page.locator('[data-id]').count();
await page.evaluate('scrollTo(0, 0)');
const search = page.getByRole('searchbox');
const typed = 'nobrega 22,00';
const typing: Cost[] = [];
const clearing: Cost[] = [];
for (let round = 0; round < rounds; round++) {
  typing.push(
    await costOf(async () => {
      await search.pressSequentially(typed);
      await page.getByText(/ transações carregadas correspondem? à busca/).waitFor();
    }),
  );
  clearing.push(
    await costOf(async () => {
      await search.fill('');
      await page.locator('.day').nth(100).waitFor({ state: 'attached' });
    }),
  );
}
await page.getByRole('button', { name: 'Exportar' }).tap();
const dialog = page.getByRole('dialog');
const exporting = await costOf(async () => {
  const saved = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Exportar' }).tap();
  await saved;
});
console.table({
  'a slice of 20, up to 200 rows': rowOf([first], firstSlices),
  'a slice of 20, from 4,600 rows': rowOf([last], lastSlices),
  'a letter typed in the search, the first time': rowOf(typing.slice(0, 1), typed.length),
  'a letter typed in the search': rowOf(typing, typed.length),
  'clearing the search': rowOf(clearing),
  'exporting 5,000 rows': rowOf([exporting]),
});
console.log(`${lines} lines are in the document`);

/**
 * Scrolls to the end and waits for the answer, so many times. All of this is in the page, because questions from
 * outside would cost it more than a slice; and it waits for a time, because each frame that it asked for would cost too.
 */
function loadSlices(page: Page, count: number): Promise<void> {
  return page.evaluate(`(async () => {
    let answered;
    const observer = new PerformanceObserver((list) => {
      if (list.getEntries().some(({ name }) => name.endsWith('/graphql'))) answered();
    });
    observer.observe({ type: 'resource' });
    for (let left = ${count}; left > 0; left--) {
      const answer = new Promise((resolve) => (answered = resolve));
      scrollTo(0, document.body.scrollHeight);
      await answer;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    observer.disconnect();
  })()`);
}

/** The CPU time of a step in milliseconds: of the page's main thread, and of the app's JavaScript in it. */
interface Cost {
  readonly allMs: number;
  readonly scriptMs: number;
}

function rowOf(costs: readonly Cost[], times = 1): Record<string, string> {
  const ms = (key: keyof Cost) => (median(costs.map((cost) => cost[key])) / times).toFixed(1);
  return { 'main thread, ms': ms('allMs'), 'JavaScript, ms': ms('scriptMs') };
}

/** A function that measures the CPU time of a step. */
async function startMeter(page: Page): Promise<(step: () => Promise<void>) => Promise<Cost>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const used = async (): Promise<Cost> => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    const ms = (metric: string) =>
      1000 * (metrics.find(({ name }) => name === metric)?.value ?? NaN);
    return { allMs: ms('TaskDuration'), scriptMs: ms('ScriptDuration') };
  };
  return async (step) => {
    const before = await used();
    await step();
    const after = await used();
    return { allMs: after.allMs - before.allMs, scriptMs: after.scriptMs - before.scriptMs };
  };
}
