// The base of the comparison: a hand-written REST handler on node:http and undici that does the same work.
import { createServer } from 'node:http';
import { Pool } from 'undici';
import { answerTo } from './rest-routes.js';

const pool = new Pool(process.env.UPSTREAM_URL, { connections: 512 });

async function read(path, { authorization, 'x-tenant-id': tenant }) {
  const { body } = await pool.request({
    path,
    method: 'GET',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization,
      'x-tenant-id': tenant,
    },
  });
  return body.json();
}

async function answer({ url, headers }, response) {
  const body = await answerTo(url, (path) => read(path, headers));
  response.writeHead(body ? 200 : 404, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body ?? ''),
  });
  response.end(body);
}

createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.writeHead(500).end();
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
