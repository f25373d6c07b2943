// GraphiQL at /explorer, without internet access, the page at / that leads to both explorers, and the security headers of
// these pages (docs/explorers.md).
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import Negotiator from 'negotiator';
import type { SampleCaller } from '../graphql/sandbox-page.ts';
import { type HttpExchange, Refusal, send } from './http-exchange.ts';
import { startPage } from './start-page.ts';
import { htmlType } from './request/media-type.ts';

const root = new URL('../../explorer/built/', import.meta.url);
const assets = new URL('assets/', root);

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': htmlType,
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
};

const callersScript = /(<script id="callers" type="application\/json">)[^<]*/;

/** Creates the handler of GET requests; it rejects with a Refusal if there is no file for the path. */
export function createExplorer(callers: readonly SampleCaller[]) {
  // `<` is escaped, so that no string in the JSON can close the script element.
  const json = JSON.stringify(callers).replaceAll('<', String.raw`\u003c`);
  const page = readFileSync(new URL('index.html', root), 'utf8').replace(
    callersScript,
    (_all, tag: string) => tag + json,
  );
  const files = readAssets();
  return async (exchange: HttpExchange): Promise<void> => {
    const { url = '' } = exchange.request;
    if (isStartPage(url)) {
      Object.assign(exchange.headers, startPageHeaders, { 'content-type': htmlType });
      send(exchange, 200, startPage);
      return;
    }
    Object.assign(exchange.headers, explorerPageHeaders);
    const isPage = /^\/explorer\/?(?:\?|$)/.test(url);
    const name = isPage ? 'index.html' : url.replace('/explorer/assets/', '');
    const mediaType = mediaTypes[extname(name)];
    const content = isPage ? page : files.get(name);
    if (mediaType === undefined || content === undefined) {
      throw new Refusal(404, 'The explorer has no file at this path.');
    }
    exchange.headers['content-type'] = mediaType;
    send(exchange, 200, typeof content === 'string' ? content : await encode(exchange, content));
  };
}

/** Whether a path is that of the page with links to both explorers. */
export function isStartPage(url: string): boolean {
  return url === '/' || url.startsWith('/?');
}

/** A file of the explorer; `plain` is absent until a client needs it. */
interface Asset {
  readonly compressed: Buffer;
  plain?: Promise<Buffer>;
}

/** The files stay in memory, 9 MB at most: otherwise each request would take the memory for its file. */
function readAssets(): ReadonlyMap<string, Asset> {
  const names = readdirSync(assets).filter((name) => name.endsWith('.br'));
  return new Map(
    names.map((name) => [
      name.slice(0, -'.br'.length),
      { compressed: readFileSync(new URL(name, assets)) },
    ]),
  );
}

const decompress = promisify(brotliDecompress);

/** Most browsers accept Brotli only over HTTPS and on localhost. */
async function encode({ request, headers }: HttpExchange, asset: Asset): Promise<Buffer> {
  if (new Negotiator(request).encoding(['br', 'identity']) !== 'br')
    return (asset.plain ??= decompress(asset.compressed));
  headers['content-encoding'] = 'br';
  return asset.compressed;
}

/** For GraphiQL's page and files. Monaco needs inline styles without a nonce; no script or worker uses eval. */
const explorerPageHeaders = headersFor([
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
]);

/** The page has no script, and its style is in the page. */
const startPageHeaders = headersFor(["style-src 'unsafe-inline'", 'img-src data:']);

/** For Apollo Sandbox's page. The page contains a policy with nonces, but only a header can forbid framing. */
export function sandboxPageHeaders(page: string): Record<string, string> {
  const nonce = /'nonce-[\w+/=-]+'/.exec(page)?.[0] ?? "'none'";
  return headersFor([
    `script-src ${nonce}`,
    `style-src ${nonce} https://fonts.googleapis.com`,
    'font-src https://fonts.gstatic.com',
    'img-src https://apollo-server-landing-page.cdn.apollographql.com',
    'manifest-src https://apollo-server-landing-page.cdn.apollographql.com',
    'frame-src https://sandbox.embed.apollographql.com',
  ]);
}

/** Apollo Sandbox's page, which without internet access would show only its name, with a link to GraphiQL. */
export function linkToExplorer(page: string): string {
  const link =
    '<p><a href="/explorer">GraphiQL at /explorer</a> works without internet access.</p>';
  return (
    page
      .replace(/(<div class="fallback">[^]*?)(<\/div>)/, `$1${link}$2`)
      // Sandbox's place lies above the text, even while it is empty.
      .replace('.fallback {', '#embeddableSandbox:empty { pointer-events: none } .fallback {')
  );
}

function headersFor(sources: readonly string[]): Record<string, string> {
  const always = "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return {
    'content-security-policy': ["default-src 'none'", ...sources, always].join('; '),
    // With no-referrer, a browser may send "Origin: null" with requests to the gateway.
    'referrer-policy': 'same-origin',
  };
}
