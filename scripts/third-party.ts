// THIRD-PARTY.md: the third-party packages that run in production, according to the lockfile.
import { readFileSync } from 'node:fs';

interface LockedPackage {
  readonly license?: string;
  readonly dev?: boolean;
}

/** A package, and its licence as the package states it (SPDX). */
interface ThirdParty {
  readonly name: string;
  readonly licence: string;
}

/** Licences that require no more than attribution, or the publication of changes to the licensed files. */
const permitted = /^(MIT|Apache-2\.0|BSD-[23]-Clause|0BSD|ISC|BlueOak-1\.0\.0|MPL-2\.0)$/;

/** The packages that `npm ci --omit=dev` installs, sorted by name. Throws if a licence is not permitted. */
function thirdParties(): ThirdParty[] {
  const lockfile = new URL('../package-lock.json', import.meta.url);
  const { packages } = JSON.parse(readFileSync(lockfile, 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const found = Object.entries(packages)
    .filter(([path, { dev = false }]) => path !== '' && !dev)
    .map(([path, { license = 'none' }]) => ({ name: nameOf(path), licence: license }));
  for (const { name, licence } of found) {
    const parts = licence.replace(/[()]/g, '').split(/ (?:AND|OR) /);
    if (!parts.every((part) => permitted.test(part))) throw new Error(`${name}: ${licence}`);
  }
  const unique = new Map(found.map((one) => [`${one.name} ${one.licence}`, one]));
  return [...unique.keys()].sort().flatMap((key) => unique.get(key) ?? []);
}

/** The name that a path of the lockfile ends in. */
function nameOf(path: string): string {
  const folder = 'node_modules/';
  return path.slice(path.lastIndexOf(folder) + folder.length);
}

/** The page. */
export function thirdPartyPage(): string {
  const all = thirdParties();
  return [
    '# Third parties',
    '',
    'Third-party packages that the gateway runs with, generated from `package-lock.json` by `npm run docs`. The full text',
    'of each licence is in the folder of the package in `node_modules`. Packages built into the page at `/explorer` are in',
    '[explorer/built/licences.md](explorer/built/licences.md). `npm run sbom` prints versions and checksums as CycloneDX.',
    '',
    '| package | licence |',
    '| --- | --- |',
    ...all.map(({ name, licence }) => `| ${name} | ${licence} |`),
  ].join('\n');
}
