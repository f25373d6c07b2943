// GraphiQL at /explorer, in a browser, over the process as it ships with its sandbox bank.
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, startBrowser, type TestBrowser, timeoutMs } from '../support/browser.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';

describe.skipIf(!hasChromium)('GraphiQL', () => {
  let gateway: GatewayProcess;
  let browser: TestBrowser;
  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startGatewayProcess({}), startBrowser()]);
  }, 120_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await gateway[Symbol.asyncDispose]();
  });

  async function openExplorer() {
    const opened = await browser.open();
    await opened.page.goto(`${gateway.url}/explorer`);
    await isReady(opened.page);
    return opened;
  }

  test('a query is typed, completed by the schema, and answered', async () => {
    await using opened = await openExplorer();
    const { page, complaints, origins } = opened;
    await write(page, 'query', '{ accounts { balance ');
    // Out of the worker that has the schema.
    await page.keyboard.type('agen');
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'agency' }).waitFor();
    await page.keyboard.press('Enter');
    const answer = await run(page);
    expect(answer.data.accounts?.[0]).toEqual({ balance: '1523.40', agency: '0001' });
    await opened.picture('explorer-query');
    expect(complaints).toEqual([]);
    expect([...origins]).toEqual([gateway.url]);
  });

  test('a statement is walked, slice by slice', async () => {
    await using opened = await openExplorer();
    const { page, complaints } = opened;
    await openTab(page, 'Walk');
    const first = await run(page);
    await opened.picture('explorer-walk');
    await page.getByRole('button', { name: 'Variables' }).click();
    const { edges, pageInfo } = slicesIn(first);
    const variables = await readEditor(page, 'variables');
    const after = { ...(JSON.parse(variables) as object), after: pageInfo.endCursor };
    await write(page, 'variables', JSON.stringify(after));
    const second = await run(page);
    const ids = [...edges, ...slicesIn(second).edges].map(({ node }) => node.id);
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(10);
    expect(complaints).toEqual([]);
  });

  test('each tab is answered as it stands, and a token outlives none of them', async () => {
    await using opened = await openExplorer();
    const { page, complaints } = opened;
    for (const tab of ['Profile', 'Statement', 'Walk', 'NewSince']) {
      await openTab(page, tab);
      expect(await run(page), tab).not.toHaveProperty('errors');
    }
    // It is kept a moment after it changes; a page that is loaded before shows another tab in its place.
    await expect
      .poll(() => page.evaluate(keptQueries), { timeout: timeoutMs })
      .toEqual([expect.stringContaining('NewSince'), expect.stringContaining('NewSince')]);
    const kept = await page.evaluate(() => JSON.stringify(localStorage));
    expect(kept.includes('eyJ'), 'a token is kept').toBe(false);

    await page.reload();
    await isReady(page);
    await openTab(page, 'Walk');
    expect(slicesIn(await run(page)).edges).toHaveLength(5);
    expect(complaints).toEqual([]);
  });

  test('what arrived since the page was opened is told as new', async () => {
    await using opened = await openExplorer();
    const { page } = opened;
    await openTab(page, 'NewSince');
    const variables = JSON.parse(await readEditor(page, 'variables')) as { accountId: string };
    expect((await run(page)).data.account?.transactions.nodes).toEqual([]);
    const arrivals = `${bankOf(gateway)}/accounts/${variables.accountId}/arrivals`;
    await fetch(arrivals, { method: 'POST', body: JSON.stringify({ count: 2 }) });
    expect((await run(page)).data.account?.transactions.nodes).toHaveLength(2);
  });

  test('another holder is asked for by choosing it', async () => {
    await using opened = await openExplorer();
    const { page, complaints } = opened;
    const before = await readEditor(page, 'headers');
    await page.getByLabel('Ask as').selectOption({ label: 'Padaria Pão Dourado Ltda (aurora)' });
    await expect.poll(() => readEditor(page, 'headers'), { timeout: timeoutMs }).not.toBe(before);
    await isReady(page);
    expect((await run(page)).data.me).toMatchObject({ __typename: 'Company' });
    expect(complaints).toEqual([]);
  });

  test('what the service fails with is shown as errors', async () => {
    await using opened = await openExplorer();
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Headers' }).click();
    await write(page, 'headers', '{ "authorization": "Bearer x", "x-tenant-id": "aurora" }');
    expect(await run(page)).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    });
    await opened.picture('explorer-error');
    // Chromium itself says so of every status from 400 on.
    expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([]);
  });
});

/** Where the sandbox bank is scripted. */
function bankOf({ lines }: GatewayProcess): string {
  const [, url] = /scripted at (\S+)\./.exec(lines.join('\n')) ?? [];
  if (url === undefined) throw new Error('no bank is introduced');
  return url;
}

interface Slice {
  readonly edges: readonly { readonly node: { readonly id: string } }[];
  readonly pageInfo: { readonly endCursor: string };
}

interface ShownAnswer {
  readonly data: {
    readonly me?: object;
    readonly accounts?: readonly object[];
    readonly account?: { readonly transactions: { readonly nodes: readonly object[] } };
    readonly transactions?: Slice;
  };
}

function slicesIn({ data }: ShownAnswer): Slice {
  if (data.transactions === undefined) throw new Error('no slice is shown');
  return data.transactions;
}

/** The editors, by what the address of Monaco's model ends in, and how their section is marked. */
const editors = {
  query: ['operation.graphql', '.graphiql-query-editor'],
  variables: ['variables.json', '.graphiql-editor-tool'],
  headers: ['request-headers.json', '.graphiql-editor-tool'],
  response: ['response.json', '.graphiql-response'],
} as const;

type EditorName = keyof typeof editors;

function editor(page: Page, name: EditorName) {
  return page.locator(`${editors[name][1]} .monaco-editor:visible`);
}

/** All editors are there, which come one after the other, and would undo what was done in the meantime. */
async function isReady(page: Page): Promise<void> {
  await editor(page, 'query').locator('.view-line').first().waitFor();
  await expect
    .poll(() => readEditor(page, 'headers'), { timeout: timeoutMs })
    .toContain('authorization');
}

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click();
  await expect
    .poll(() => readEditor(page, 'query'), { timeout: timeoutMs })
    .toContain(`query ${name}`);
}

/** Runs in the page: the query that is shown, as GraphiQL has kept it, and that of the tab that is open. */
function keptQueries(): string[] {
  const kept = (end: string) =>
    localStorage.getItem(Object.keys(localStorage).find((key) => key.endsWith(end)) ?? '');
  const { tabs, activeTabIndex } = JSON.parse(
    kept('graphiql:tabState') ?? '{"tabs":[],"activeTabIndex":0}',
  ) as { readonly tabs: readonly { readonly query: string }[]; readonly activeTabIndex: number };
  return [kept('graphiql:query') ?? '', tabs[activeTabIndex]?.query ?? ''];
}

/** Replaces what is in an editor by typing. */
async function write(page: Page, name: EditorName, text: string): Promise<void> {
  await editor(page, name).locator('.view-lines').click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  // As one input: typed key by key, the editor would add the closing ones of brackets and quotes.
  await page.keyboard.insertText(text);
}

/** What an editor has, also where it is scrolled out of sight. */
function readEditor(page: Page, name: EditorName): Promise<string> {
  return page.evaluate(textOfModel, editors[name][0]);
}

interface Monaco {
  readonly editor: {
    getModels(): readonly { readonly uri: { readonly path: string }; getValue(): string }[];
  };
}

/** Runs in the page, where GraphiQL leaves Monaco in a global name. */
function textOfModel(end: string): string {
  const { __MONACO: monaco } = globalThis as unknown as { __MONACO?: Monaco };
  return (
    monaco?.editor
      .getModels()
      .find(({ uri }) => uri.path.endsWith(end))
      ?.getValue() ?? ''
  );
}

/** Runs the operation of the tab that is open, waits until its answer is shown, and reads it there. */
async function run(page: Page): Promise<ShownAnswer> {
  const [response] = await Promise.all([
    page.waitForResponse((given) => isOperation(given.request())),
    page.getByRole('button', { name: 'Execute query' }).click(),
  ]);
  const answer = (await response.json()) as ShownAnswer;
  await expect
    .poll(() => readEditor(page, 'response'), { timeout: timeoutMs })
    .toBe(JSON.stringify(answer, null, 2));
  return answer;
}

/** Not what the page asks for by itself: the schema, and where the statement begins. */
function isOperation(request: Request): boolean {
  const body = request.postData();
  return body !== null && !/IntrospectionQuery|query Newest/.test(body);
}
