// The package as npm delivers it: packed, installed in an empty folder, and started by its name.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settingNames } from '../src/settings/settings.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'account-bff-'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
};
// Puts the Node.js of this process first on the path, because npm may run with another version.
const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
let packed: { filename: string; integrity: string; files: { path: string }[] };

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  [packed = { filename: '', integrity: '', files: [] }] = JSON.parse(
    run('npm', ['pack', root, '--json', '--loglevel=error']).stdout,
  ) as [typeof packed];
  run('npm', ['install', `./${packed.filename}`, '--prefer-offline', '--loglevel=error']);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 3 }));

test('the package contains the compiled sources, the schema, GraphiQL and five files about it, and nothing else', () => {
  const sources = ['src', 'doctor'].flatMap(filesBelow).filter((file) => file.endsWith('.ts'));
  const schemas = readdirSync(join(root, 'schema')).filter((file) => file.endsWith('.graphql'));
  const expected = [
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', 'dist/package.json'],
    ...filesBelow('bin'),
    ...sources.map((file) => `dist/${file.replace(/\.ts$/, '.js')}`),
    ...schemas.flatMap((file) => [`schema/${file}`, `dist/schema/${file}`]),
    ...filesBelow('explorer/built').map((file) => `dist/${file}`),
  ];
  expect(packed.files.map(({ path: file }) => file).sort()).toEqual(expected.sort());
});

test('a build in another folder makes the same package, byte by byte', () => {
  const other = join(folder, 'another-clone');
  const tracked = run('git', [
    '-C',
    root,
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
  ]);
  for (const file of tracked.stdout.trim().split('\n')) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(other, file));
  }
  symlinkSync(join(root, 'node_modules'), join(other, 'node_modules'));
  const { stdout } = run('npm', ['pack', other, '--json', '--loglevel=error']);
  const [again] = JSON.parse(stdout) as [typeof packed];
  expect(again.integrity).toBe(packed.integrity);
}, 300_000);

describe('account-bff', () => {
  test('--version prints the version of the package', () => {
    expect(npx(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('--help lists options and settings, each with its meaning and default, in short lines', () => {
    const { status, stdout } = npx(['--help']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Usage: account-bff/);
    expect(stdout).toContain('  --check-config  ');
    expect(stdout).toContain(`
  UPSTREAM_RETRIES
      the number of retries after a connection error, 502 or 503
      takes a whole number from 0 to 10; default 1
`);
    const explained = [...stdout.matchAll(/^ {2}([A-Z_]+)\n {6}\S/gm)].map(([, name]) => name);
    expect(explained).toEqual(settingNames.map(({ variable }) => variable));
    const longest = Math.max(...stdout.split('\n').map(({ length }) => length));
    expect(longest).toBeLessThanOrEqual(100);
  });

  test('--check-config lists invalid settings, and exits with 1 if there are any', () => {
    const wrong = npx(['--check-config'], { PORT: 'x', LOG_LEVEL: 'loud' });
    expect(wrong.status).toBe(1);
    expect(wrong.stderr).toMatch(/^PORT: "x" cannot be used.*\nLOG_LEVEL: "loud" cannot.*\n$/);
    expect(npx(['--check-config'])).toMatchObject({ status: 0, stderr: '' });
  });

  test('cursor explains a cursor, and rejects a damaged cursor', () => {
    const cursor = '2.wnfu9csh8o.2n.k.244d74utbx4.1.mr05ddk1.0a0uivq.0alx4e13xmpj.uxeal';
    const explained = npx(['cursor', cursor]);
    expect(explained).toMatchObject({ status: 0, stderr: '' });
    expect(explained.stdout).toContain('place       2 of 95 from the newest');
    const rejected = npx(['cursor', cursor.slice(1)]);
    expect(rejected).toMatchObject({ status: 1, stdout: '' });
    expect(rejected.stderr).toMatch(/^This is not a cursor of this gateway/);
  });

  test('doctor lists its options if a required one is missing', () => {
    const { status, stderr } = npx(['doctor', '--url', 'http://127.0.0.1:1']);
    expect(status).toBe(2);
    expect(stderr).toContain('  --tenant  ');
  });

  test('rejects an unknown command', () => {
    const { status, stderr } = npx(['curser', 'x']);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'There is no command "curser"; account-bff --help lists the commands.\n',
    });
  });

  test('rejects an unknown option', () => {
    const { status, stderr } = npx(['--port=1']);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining("'--port'") as string,
    });
  });

  test('fails on an older Node.js version, with a message that states the required version', () => {
    const older = "Object.defineProperty(process, 'version', { value: 'v24.20.9' })";
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(older)}`;
    const { status, stderr } = npx([], { NODE_OPTIONS });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^account-bff needs Node\.js \^24\.21 \|\| >=26\.9, and this is v24\.20\.9\. .+\n$/,
    );
  });

  test('serves requests if it is started without options, and the printed command works', async () => {
    const gateway = spawn('npx', ['account-bff'], {
      cwd: folder,
      env: environment({ PORT: '0', ADMIN_PORT: '0' }),
      stdio: ['ignore', 'pipe', 'inherit'],
      // npx starts the gateway through a shell, so the signal is sent to the process group, as a terminal does.
      detached: true,
    });
    const ended = once(gateway, 'exit');
    const curl = await printedCommand(gateway.stdout);
    const { stdout } = run('bash', ['-c', `${curl} --silent --show-error`]);
    expect(JSON.parse(stdout)).toMatchObject({
      data: { me: { name: expect.any(String) as string } },
    });
    const [, origin = ''] = /^curl (\S+)\/graphql /.exec(curl) ?? [];
    expect((await fetch(`${origin}/explorer`)).status).toBe(200);
    process.kill(-(gateway.pid ?? 0), 'SIGINT');
    await ended;
  });
});

/** The files in a folder of the repository and in its subfolders. */
function filesBelow(path: string): string[] {
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function environment(env: Readonly<Record<string, string>>) {
  const { HOME } = process.env;
  return { PATH: path, HOME, npm_config_update_notifier: 'false', ...env };
}

/** Runs a command in the temporary folder and returns the result; throws if the command fails. */
function run(command: string, args: readonly string[]) {
  const result = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  });
  if (result.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${result.stderr}`);
  return result;
}

function npx(options: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawnSync('npx', ['--loglevel=error', 'account-bff', ...options], {
    cwd: folder,
    encoding: 'utf8',
    env: environment(env),
  });
}

/** The curl command in the output, in the form that a user can paste; throws if there is none. */
async function printedCommand(output: NodeJS.ReadableStream): Promise<string> {
  const command: string[] = [];
  for await (const line of createInterface(output)) {
    if (line.startsWith('curl ') || command.length > 0) command.push(line);
    if (command.length > 0 && !line.endsWith('\\')) return command.join('\n');
  }
  throw new Error('it ended without printing one');
}
