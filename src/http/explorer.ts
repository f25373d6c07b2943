// Serves GraphiQL at /explorer from explorer/built, so that it works without internet access (docs/explorers.md).
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import Negotiator from 'negotiator';
import type { SampleCaller } from '../graphql/sandbox-page.ts';
import { type Exchange, Refusal, send } from './http-exchange.ts';
import { explorerPageHeaders } from './page-headers.ts';

const root = new URL('../../explorer/built/', import.meta.url);
const assets = new URL('assets/', root);

const mediaTypes: Readonly<Record<string, string>> = {
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
  const names = new Set(readdirSync(assets));
  return async (exchange: Exchange): Promise<void> => {
    const { url = '' } = exchange.request;
    Object.assign(exchange.headers, explorerPageHeaders);
    if (/^\/explorer\/?(?:\?|$)/.test(url)) sendAs('text/html; charset=utf-8', exchange, page);
    else await sendAsset(exchange, names, url.slice('/explorer/assets/'.length));
  };
}

async function sendAsset(
  exchange: Exchange,
  names: ReadonlySet<string>,
  name: string,
): Promise<void> {
  const mediaType = mediaTypes[extname(name)];
  if (!names.has(`${name}.br`) || mediaType === undefined) {
    throw new Refusal(404, 'The explorer has no file at this path.');
  }
  const compressed = await readFile(new URL(`${name}.br`, assets));
  // Browsers accept Brotli over HTTPS and on localhost, but most do not accept it over plain HTTP.
  const takesBrotli = new Negotiator(exchange.request).encoding(['br', 'identity']) === 'br';
  if (takesBrotli) exchange.headers['content-encoding'] = 'br';
  sendAs(mediaType, exchange, takesBrotli ? compressed : await decompress(compressed));
}

const decompress = promisify(brotliDecompress);

function sendAs(mediaType: string, exchange: Exchange, content: string | Buffer): void {
  exchange.headers['content-type'] = mediaType;
  send(exchange, 200, content);
}
