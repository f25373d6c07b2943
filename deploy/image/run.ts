// Tests the image as a cautious operator would run it: without root, with no writable files, and without capabilities
// or a shell. Usage: run.ts IMAGE BASE. The `podman` in the PATH must have both images.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { startBank } from '../../src/sandbox/bank.ts';
import { callerHeaders, post } from '../../test/support/query.ts';
import { freePort } from '../../test/support/port.ts';

const [image = '', base = ''] = process.argv.slice(2);
/** The largest total size of the layers on top of the base. */
const maxBytes = 200e6;
const shell = '/usr/bin/dash';
const body = JSON.stringify({ query: '{ me { ... on AccountHolder { id name } } }' });

interface ImageDetails {
  readonly Config: { readonly User: string; readonly Entrypoint: readonly string[] };
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

checkConfig();
checkSize();
await using bank = await startBank();
const headers = await callerHeaders(bank);
await checkRun();
await checkPermissions();
const withoutCache = await start({ NODE_DISABLE_COMPILE_CACHE: '1' });
withoutCache.kill('SIGKILL');
await withoutCache.ended;
console.log(`without its compile cache: ready after ${withoutCache.readyMs} ms`);
console.log('passed');

function checkConfig(): void {
  const [details] = JSON.parse(podman(['image', 'inspect', image])) as [ImageDetails];
  assert.equal(details.Config.User, '1000:1000');
  assert.equal(details.Config.Entrypoint[0], 'node');
  // The image has no shell, which CMD-SHELL would need.
  assert.equal(details.Healthcheck?.Test[0], 'CMD');
}

function checkSize(): void {
  const [all = 0, below = 0] = [image, base].map((name) =>
    Number(podman(['image', 'inspect', '--format', '{{.Size}}', name])),
  );
  console.log(`size: ${megabytes(all - below)} upon a base of ${megabytes(below)}`);
  assert.ok(all - below < maxBytes, `more than ${megabytes(maxBytes)} upon the base`);
}

async function checkRun(): Promise<void> {
  const gateway = await start({});
  console.log(`ready after ${gateway.readyMs} ms`);
  const pid = podman(['inspect', '--format', '{{.State.Pid}}', gateway.name]);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  assert.match(status, /^Uid:\t1000\t1000\t1000\t1000$/m);
  assert.match(status, /^CapEff:\t0+$/m);
  assert.match(refusedWrite(gateway.name), /EROFS/);
  assert.equal(podman(['exec', gateway.name, 'node', 'deploy/image/healthcheck.ts']), '');
  const answer = await post(gateway, body, { headers });
  assert.equal(answer.errors, undefined);
  console.log(`uid 1000 on a read-only root answers ${answer.text}`);
  await checkDrain(gateway);
}

/** A request in progress at SIGTERM is answered, and so is one that arrives after the process stops being ready. */
async function checkDrain(gateway: Awaited<ReturnType<typeof start>>): Promise<void> {
  bank.addFault({ kind: 'delay', delayMs: 800, times: 1 });
  const underWay = post(gateway, body, { headers });
  await bank.waitForCall(() => true);
  const startedAtMs = performance.now();
  gateway.kill('SIGTERM');
  await gateway.printed(/"draining"/);
  assert.equal((await fetch(`${gateway.adminUrl}/health/ready`)).status, 503);
  assert.equal((await post(gateway, body, { headers })).status, 200);
  assert.equal((await underWay).errors, undefined);
  assert.equal(await gateway.ended, 0);
  console.log(`drained on SIGTERM within ${Math.round(performance.now() - startedAtMs)} ms`);
}

/** A module that is planted in the process can read no file outside the image's own, and start no program. */
async function checkPermissions(): Promise<void> {
  const planted = `import { readFileSync } from 'node:fs';
    import { spawnSync } from 'node:child_process';
    const codeOf = (act) => { try { act(); return 'allowed'; } catch ({ code }) { return code; } };
    console.log(codeOf(() => readFileSync('/etc/passwd')), codeOf(() => spawnSync('/usr/bin/env')));`;
  const options = `--import=data:text/javascript,${encodeURIComponent(planted)}`;
  const gateway = await start({ NODE_OPTIONS: options });
  assert.ok(
    gateway.lines.includes('ERR_ACCESS_DENIED ERR_ACCESS_DENIED'),
    gateway.lines.join('\n'),
  );
  gateway.kill('SIGKILL');
  await gateway.ended;
  console.log('a planted read of /etc/passwd, and a planted program, are denied');
}

async function start(env: Readonly<Record<string, string>>) {
  const [port, adminPort] = [await freePort(), await freePort()];
  const name = `account-bff-${port}`;
  const settings = {
    ...{ PORT: port, ADMIN_PORT: adminPort, UPSTREAM_URL: bank.url, SHUTDOWN_DELAY_MS: 1500 },
    ...env,
  };
  const startedAtMs = performance.now();
  const child = spawn(
    'podman',
    [
      ...['run', '--rm', '--name', name, '--network', 'host'],
      ...['--read-only', '--read-only-tmpfs=false', '--cap-drop', 'all'],
      ...['--security-opt', 'no-new-privileges', '--volume', `/dev/null:${shell}:ro`],
      // These limits are below the usual ones, because raising a limit needs a capability that root does not have on
      // every machine.
      ...['--ulimit', 'nofile=8192:8192', '--ulimit', 'nproc=8192:8192'],
      // The health check is run once below instead, because running it regularly needs systemd, which is not available
      // everywhere.
      ...['--no-healthcheck', '--sig-proxy=true'],
      ...Object.entries(settings).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      image,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const output = createInterface(child.stdout);
  const lines: string[] = [];
  output.on('line', (line) => lines.push(line));
  const printed = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      output.on('line', (line) => pattern.test(line) && resolve());
      void ended.then(() => reject(new Error(`it ended without ${pattern.source}`)));
    });
  await printed(/"listening"/);
  return {
    name,
    lines,
    url: `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    readyMs: Math.round(performance.now() - startedAtMs),
    kill: (signal: string) => podman(['kill', '--signal', signal, name]),
    printed,
    ended,
  };
}

function refusedWrite(name: string): string {
  const script = "require('fs').writeFileSync('/app/.compile-cache/x', '')";
  return spawnSync('podman', ['exec', name, 'node', '-e', script], { encoding: 'utf8' }).stderr;
}

function podman(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('podman', args, { encoding: 'utf8' });
  assert.equal(status, 0, `podman ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
