// Builds explorer/built, the page that the gateway serves: `npm run build:explorer`. With `--check` it fails if
// explorer/built differs from a new build.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { build } from 'vite';

const folder = import.meta.dirname;
const built = join(folder, 'node_modules/.cache/dist');
const kept = join(folder, 'built');

await build({
  root: folder,
  configFile: join(folder, 'vite.config.ts'),
  logLevel: 'warn',
  build: { outDir: built, emptyOutDir: true },
});
if (process.argv.includes('--check')) check();
else keep();

/** Scripts, styles and fonts are stored compressed, at a quarter of their size. */
function keep(): void {
  rmSync(kept, { recursive: true, force: true });
  mkdirSync(join(kept, 'assets'), { recursive: true });
  for (const name of filesOf(built)) {
    const content = readFileSync(join(built, name));
    if (isCompressed(name)) writeFileSync(join(kept, `${name}.br`), compress(content));
    else writeFileSync(join(kept, name), content);
  }
}

function compress(content: Buffer): Buffer {
  return brotliCompressSync(content, {
    params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  });
}

/** Compares the uncompressed content, because another release of brotli may compress it differently. */
function check(): void {
  const wanted = new Map(filesOf(built).map((name) => [name, readFileSync(join(built, name))]));
  const found = new Map(filesOf(kept).map(readKept));
  const names = [...new Set([...wanted.keys(), ...found.keys()])];
  const stale = names.filter((name) => wanted.get(name)?.equals(found.get(name) ?? empty) !== true);
  if (stale.length === 0) return;
  console.error('explorer/built is not what `npm run build:explorer` makes:', stale.join(', '));
  process.exitCode = 1;
}

const empty = Buffer.alloc(0);

function readKept(name: string): [string, Buffer] {
  const content = readFileSync(join(kept, name));
  return name.endsWith('.br')
    ? [join('assets', basename(name, '.br')), brotliDecompressSync(content)]
    : [name, content];
}

function isCompressed(name: string): boolean {
  return name.startsWith('assets/');
}

/** The paths of all files below `root`, relative to it. */
function filesOf(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
