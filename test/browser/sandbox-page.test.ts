// Apollo Sandbox at GET /graphql, in a browser. Normally its script and its frame are loaded from the internet. Here
// the script comes from the package @apollo/sandbox, and a stand-in for the frame sends requests as the frame does. The
// tests show whether the gateway's headers, including its content security policy, allow the script and the frame, and
// check the default operation.
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, startBrowser, type TestBrowser } from '../support/browser.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';

const scriptAddress = 'https://embeddable-sandbox.cdn.apollographql.com/**';
const frameOrigin = 'https://sandbox.embed.apollographql.com';

describe.skipIf(!hasChromium)('Apollo Sandbox', () => {
  let gateway: GatewayProcess;
  let browser: TestBrowser;
  let script: string;
  beforeAll(async () => {
    [gateway, browser, script] = await Promise.all([
      startGatewayProcess({}),
      startBrowser(),
      buildEmbed(),
    ]);
  }, 120_000);
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await gateway[Symbol.asyncDispose]();
  });

  async function openSandbox() {
    const opened = await browser.open();
    const { page } = opened;
    // Answers requests for fonts, icons and the manifest with an empty body, because the page does not need them.
    await page.route(/^https:\/\/(?:fonts\.|apollo-server-landing-page\.)/, (route) =>
      route.fulfill({ body: '', headers: { 'access-control-allow-origin': '*' } }),
    );
    await page.route(scriptAddress, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: script }),
    );
    await page.route(`${frameOrigin}/**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: framePage }),
    );
    await page.goto(`${gateway.url}/graphql`);
    const frame = page.frameLocator(`iframe[src^="${frameOrigin}"]`);
    await frame.locator('#answer').waitFor();
    return { ...opened, frame };
  }

  test('complies with the content security policy, and sends requests as the first holder of the sandbox bank', async () => {
    const opened = await openSandbox();
    const { complaints, frame } = opened;
    const answer: unknown = JSON.parse((await frame.locator('#answer').textContent()) ?? '');
    expect(answer).toMatchObject({
      schema: { __schema: { queryType: { name: 'Query' } } },
      response: { data: { me: { name: 'Ana Beatriz Moreira da Silva' } }, status: 200 },
    });
    await opened.picture('sandbox-page');
    // Sandbox requests an icon that does not exist.
    expect(complaints.filter((text) => !text.includes('status of 404'))).toEqual([]);
    await opened.page.close();
  });

  test('leads to GraphiQL without internet access', async () => {
    await using opened = await browser.open();
    const { page } = opened;
    await page.route(/^https:/, (route) => route.abort());
    await page.goto(`${gateway.url}/graphql`);
    await page.getByRole('link', { name: 'GraphiQL at /explorer' }).click();
    await page.waitForURL(`${gateway.url}/explorer`);
  });

  test('is one of the two explorers on the page at /', async () => {
    await using opened = await browser.open();
    const { page, complaints } = opened;
    await page.goto(gateway.url);
    await opened.picture('start-page');
    const targets = await page.evaluate('[...document.links].map((link) => link.pathname)');
    expect(targets).toEqual(['/explorer', '/graphql']);
    expect(complaints).toEqual([]);
  });

  test('explains the two required headers in its default operation', async () => {
    const { frame, page } = await openSandbox();
    const document = await frame.locator('#document').textContent();
    expect(document).toContain('#   x-tenant-id:');
    expect(document).toContain('#   authorization:');
    expect(document).toContain('Ana Beatriz Moreira da Silva of the sandbox bank');
    await page.close();
  });
});

/** A stand-in for the CDN's embeddable-sandbox.umd.production.min.js, built from the package @apollo/sandbox. */
async function buildEmbed(): Promise<string> {
  const outputs = await build({
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      lib: {
        entry: fileURLToPath(new URL('index.mjs', import.meta.resolve('@apollo/sandbox'))),
        name: 'sandbox',
        formats: ['iife'],
        fileName: 'embed',
      },
    },
  });
  const [output] = (Array.isArray(outputs) ? outputs : [outputs]) as Rolldown.RolldownOutput[];
  const code = output?.output[0].code ?? '';
  return `${code};window.EmbeddedSandbox = sandbox.ApolloSandbox;`;
}

/**
 * A stand-in for the frame of Sandbox. It reads the operation and the headers from its URL, requests the schema and the
 * answer from the surrounding page, and shows the schema and the answer.
 */
const framePage = `<!doctype html><title>Sandbox</title><pre id="document"></pre><script>
  const options = new URLSearchParams(location.search);
  const read = (name) => decodeURIComponent(options.get(name));
  const headers = JSON.parse(read('sharedHeaders'));
  const endpoint = options.get('endpoint');
  document.getElementById('document').textContent = read('defaultDocument');
  const said = {};
  const say = (message) => parent.postMessage(message, '*');
  addEventListener('message', ({ data }) => {
    if (data.name === 'HandshakeResponse') {
      const query = '{ __schema { queryType { name } } }';
      say({ name: 'IntrospectionQueryWithHeaders', introspectionRequestBody: JSON.stringify({ query }),
        introspectionRequestHeaders: headers, sandboxEndpointUrl: endpoint, operationId: '1' });
      say({ name: 'ExplorerRequest', operation: read('defaultDocument'), variables: {}, headers,
        operationName: 'Profile', operationId: '2', endpointUrl: endpoint });
    }
    if (data.name === 'SchemaResponse') said.schema = data.schema;
    if (data.name === 'ExplorerResponse') said.response ??= data.response;
    if (!said.schema || !said.response) return;
    const shown = document.createElement('pre');
    shown.id = 'answer';
    shown.textContent = JSON.stringify(said);
    document.body.append(shown);
  });
  say({ name: 'ExplorerListeningForHandshake' });
</script>`;
