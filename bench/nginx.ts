// The static service: nginx with one file per answer, by default without latency and on the core of the load.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Fixture } from './fixture.ts';
import { freePort } from '../test/support/port.ts';
import { type Core, onCore, requirePrograms, untilItAnswers } from './process.ts';

export interface StaticService extends AsyncDisposable {
  readonly url: string;
  readonly keySetUrl: string;
  /** The number of requests received so far, not counting those to /status. */
  calls(): Promise<number>;
}

/** A module of Debian's package libnginx-mod-http-echo; loaded only if the service has latency. */
const echoModule = '/usr/lib/nginx/modules/ngx_http_echo_module.so';
const keySetPath = '/keys';

/** What each measurement with the static service needs. */
export const programs = ['nginx', 'wrk', 'taskset'];

export async function startService(
  fixture: Fixture,
  latencyMs = 0,
  core: Core = 1,
): Promise<StaticService> {
  requirePrograms(...programs);
  const folder = await mkdtemp(join(tmpdir(), 'bench-service-'));
  await writeAnswers(folder, fixture);
  const port = await freePort();
  await writeFile(join(folder, 'nginx.conf'), configuration(folder, port, latencyMs));
  const [file, args] = onCore(core, 'nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder]);
  const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(`${url}/status`, ended);
  let asked = 2;
  return {
    url,
    keySetUrl: url + keySetPath,
    async calls() {
      const text = await (await fetch(`${url}/status`)).text();
      const [, requests] = /\d+ \d+ (\d+) \n/.exec(text) ?? [];
      return Number(requests) - asked++;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

/** Writes one file per answer: `/accounts/ID/transactions?page=2` becomes the file `/accounts/ID/transactions-2`. */
async function writeAnswers(folder: string, { answers, keySet }: Fixture): Promise<void> {
  // nginx's worker may run as another user, and has to read the folder.
  await chmod(folder, 0o755);
  const files = [...answers, [keySetPath, keySet] as const];
  for (const [path, text] of files) {
    const name = join(folder, 'files', path.replace('?page=', '-'));
    await mkdir(dirname(name), { recursive: true });
    await writeFile(name, text);
  }
}

/**
 * nginx's configuration. A request without the caller's headers gets a 401, so a contender that drops the headers
 * fails.
 */
function configuration(folder: string, port: number, latencyMs: number): string {
  const answer =
    latencyMs === 0
      ? 'try_files $answer =404;'
      : `echo_sleep ${latencyMs / 1000}; echo_exec @answer;`;
  return `
${latencyMs === 0 ? '' : `load_module ${echoModule};`}
worker_processes 1; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
worker_rlimit_nofile 20000;
events { worker_connections 10000; }
http {
  access_log off; default_type application/json; sendfile on; tcp_nodelay on; etag off;
  keepalive_requests 1000000000; keepalive_timeout 3600s; open_file_cache max=1000;
  map $http_x_tenant_id $caller { default $http_authorization; "" ""; }
  map $arg_page $page { default -$arg_page; "" ""; }
  server {
    listen 127.0.0.1:${port} backlog=8192; root ${folder}/files;
    location = /status { stub_status; }
    location = ${keySetPath} { try_files $uri =404; }
    location ~ ^(/persons|/accounts/[^/]+/transactions)$ {
      set $answer $1$page;
      if ($caller = "") { return 401; }
      ${answer}
    }
    location @answer { try_files $answer =404; }
  }
}
`;
}
