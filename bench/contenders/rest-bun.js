// The REST handler on Bun, with Bun's own server and client.
import { answerTo } from './rest-routes.js';
import { readerOf } from './service-bun.js';

globalThis.Bun.serve({
  port: Number(process.env.PORT),
  hostname: '127.0.0.1',
  async fetch({ url, headers }) {
    const body = await answerTo(url.slice(url.indexOf('/', 8)), readerOf(headers));
    const type = { 'content-type': 'application/json; charset=utf-8' };
    return new Response(body, { status: body ? 200 : 404, headers: type });
  },
});
