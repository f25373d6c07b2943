// GraphiQL at /explorer, in a browser. The gateway runs in a separate process, as shipped, with its sandbox bank.
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

  test('suggests fields of the schema while a query is typed, and shows the query’s answer', async () => {
    await using opened = await openExplorer();
    const { page, complaints, origins } = opened;
    await write(page, 'query', '{ accounts { balance ');
    // The suggestion of this field shows that Monaco's GraphQL worker has the schema.
    await page.keyboard.type('agen');
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'agency' }).waitFor();
    await page.keyboard.press('Enter');
    const answer = await run(page);
    expect(answer.data.accounts?.[0]).toEqual({ balance: '1523.40', agency: '0001' });
    await opened.picture('explorer-query');
    expect(complaints).toEqual([]);
    expect([...origins]).toEqual([gateway.url]);
  });

  test('reads two consecutive slices of a statement', async () => {
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

  test('runs the operation of each tab without errors, stores no token, and still works after a reload', async () => {
    await using opened = await openExplorer();
    const { page, complaints } = opened;
    for (const tab of ['Profile', 'Statement', 'Walk', 'NewSince']) {
      await openTab(page, tab);
      expect(await run(page), tab).not.toHaveProperty('errors');
    }
    // GraphiQL stores the open tab with a delay. The test waits for that before it reads the storage and reloads the
    // page.
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

  test('has the same tabs after reloads, with the changed one open', async () => {
    await using opened = await openExplorer();
    const { page, complaints } = opened;
    const tabs = page.getByRole('tab');
    await openTab(page, 'Walk');
    await page.getByRole('button', { name: 'Variables' }).click();
    await write(page, 'variables', '{ "accountId": "1", "after": null }');
    await expect
      .poll(() => page.evaluate(keptVariables), { timeout: timeoutMs })
      .toContain('"accountId": "1"');
    const titles = ['Profile', 'Statement', 'Walk', 'NewSince'];
    for (let reloads = 0; reloads < 3; reloads++) {
      await page.reload();
      await isReady(page);
      // The names of a tab's icons are part of its text.
      expect((await tabs.allTextContents()).map((text) => text.replace('dc icon', ''))).toEqual(
        titles,
      );
      expect(await page.getByRole('tab', { selected: true }).textContent()).toContain('Walk');
      expect(await readEditor(page, 'query')).toContain('query Walk');
      expect(await readEditor(page, 'variables')).toContain('"accountId": "1"');
    }
    expect(complaints).toEqual([]);
  });

  test('describes the schema without the parts for routers, beside operations that are not cut off', async () => {
    await using opened = await openExplorer();
    const { page, complaints } = opened;
    await page.getByRole('button', { name: /Documentation Explorer/ }).click();
    await page.getByText("The profile of a bank's customer").waitFor();
    const docs = page.locator('.graphiql-doc-explorer-content');
    const types = (await docs.textContent()) ?? '';
    expect(types).toContain('TransactionConnection');
    expect(types).not.toMatch(/link__|federation__|_Any|_Service/);
    await docs.getByText('Query', { exact: true }).first().click();
    await docs.getByRole('link', { name: 'accounts' }).waitFor();
    expect(await docs.textContent()).not.toContain('_entities');
    await expect.poll(() => page.evaluate(isCutOff), { timeout: timeoutMs }).toBe(false);
    await opened.picture('explorer-docs');
    expect(complaints).toEqual([]);
  });

  test('shows transactions that have arrived since the page was opened', async () => {
    await using opened = await openExplorer();
    const { page } = opened;
    await openTab(page, 'NewSince');
    const variables = JSON.parse(await readEditor(page, 'variables')) as { accountId: string };
    expect((await run(page)).data.account?.transactions.nodes).toEqual([]);
    const arrivals = `${bankOf(gateway)}/accounts/${variables.accountId}/arrivals`;
    await fetch(arrivals, { method: 'POST', body: JSON.stringify({ count: 2 }) });
    expect((await run(page)).data.account?.transactions.nodes).toHaveLength(2);
  });

  test('sends requests as the chosen holder', async () => {
    await using opened = await openExplorer();
    const { page, complaints } = opened;
    const before = await readEditor(page, 'headers');
    await page.getByLabel('Ask as').selectOption({ label: 'Padaria Pão Dourado Ltda (aurora)' });
    await expect.poll(() => readEditor(page, 'headers'), { timeout: timeoutMs }).not.toBe(before);
    await isReady(page);
    expect((await run(page)).data.me).toMatchObject({ __typename: 'Company' });
    expect(complaints).toEqual([]);
  });

  test('shows the errors of an answer', async () => {
    await using opened = await openExplorer();
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Headers' }).click();
    await write(page, 'headers', '{ "authorization": "Bearer x", "x-tenant-id": "aurora" }');
    expect(await run(page)).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    });
    await opened.picture('explorer-error');
    // Chromium itself logs an error for every response with a status of 400 or above.
    expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([]);
  });
});

/** The URL of the sandbox bank's control routes, as printed by the gateway; throws if there is none. */
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

/** For each editor, the end of the path of its Monaco model, and the CSS class of its section. */
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

/** Waits until the query and header editors are loaded, because an earlier edit would be undone. */
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

/** Runs in the page. Returns two queries that GraphiQL has stored: the current query, and the query of the open tab. */
function keptQueries(): string[] {
  const kept = (end: string) =>
    localStorage.getItem(Object.keys(localStorage).find((key) => key.endsWith(end)) ?? '');
  const { tabs, activeTabIndex } = JSON.parse(
    kept('graphiql:tabState') ?? '{"tabs":[],"activeTabIndex":0}',
  ) as { readonly tabs: readonly { readonly query: string }[]; readonly activeTabIndex: number };
  return [kept('graphiql:query') ?? '', tabs[activeTabIndex]?.query ?? ''];
}

/** Runs in the page. Whether a line of the operation is longer than its editor is wide. */
const isCutOff = `
  (() => {
    const end = (element) => element.getBoundingClientRect().right;
    const editor = document.querySelector('.graphiql-query-editor .monaco-scrollable-element');
    const lines = document.querySelectorAll('.graphiql-query-editor .view-line > span');
    return [...lines].some((line) => end(line) > end(editor));
  })()
`;

/** Runs in the page. Returns the stored variables of the open tab. */
function keptVariables(): string {
  const key = Object.keys(localStorage).find((name) => name.endsWith('graphiql:tabState')) ?? '';
  const { tabs, activeTabIndex } = JSON.parse(
    localStorage.getItem(key) ?? '{"tabs":[],"activeTabIndex":0}',
  ) as {
    readonly tabs: readonly { readonly variables: string }[];
    readonly activeTabIndex: number;
  };
  return tabs[activeTabIndex]?.variables ?? '';
}

/** Replaces the content of an editor. */
async function write(page: Page, name: EditorName, text: string): Promise<void> {
  await editor(page, name).locator('.view-lines').click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('Delete');
  // The text is inserted at once, because the editor would add closing brackets and quotes to text that is typed key by
  // key.
  await page.keyboard.insertText(text);
}

/** The content of an editor, including the part that is scrolled out of sight. */
function readEditor(page: Page, name: EditorName): Promise<string> {
  return page.evaluate(textOfModel, editors[name][0]);
}

interface Monaco {
  readonly editor: {
    getModels(): readonly { readonly uri: { readonly path: string }; getValue(): string }[];
  };
}

/**
 * Runs in the page, where GraphiQL exposes Monaco as a global. Returns the text of the first model whose path ends with
 * `end`.
 */
function textOfModel(end: string): string {
  const { __MONACO: monaco } = globalThis as unknown as { __MONACO?: Monaco };
  return (
    monaco?.editor
      .getModels()
      .find(({ uri }) => uri.path.endsWith(end))
      ?.getValue() ?? ''
  );
}

/** Runs the operation of the open tab, and returns the answer once the page shows it. */
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

/**
 * Whether a request executes the operation of a tab. The page itself also requests the schema and the start of the
 * statement.
 */
function isOperation(request: Request): boolean {
  const body = request.postData();
  return body !== null && !/IntrospectionQuery|query Newest/.test(body);
}
